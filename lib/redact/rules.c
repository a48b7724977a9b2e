#define PCRE2_CODE_UNIT_WIDTH 8
#include "redact/rules.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* bytes of all literals, which limits the automaton's states */
#define LITERALS_MAX 20000
#define BACK_MAX 1000

static const char default_rules[] = {
#include "redact/default.rules.inc"
};

/* Compiles the expression. Values after a keyword may be any UTF-8 text; tokens are
 * matched as bytes. */
static bool
compile_pattern(struct rule *rule, PCRE2_SIZE *where, int *code)
{
	uint32_t options = PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;

	if (rule->check != RULE_FORM)
		options |= PCRE2_UTF | PCRE2_CASELESS;
	rule->code = pcre2_compile(
	    (PCRE2_SPTR)rule->pattern, PCRE2_ZERO_TERMINATED, options, code, where, NULL);
	if (rule->code != NULL)
		pcre2_jit_compile(rule->code, PCRE2_JIT_COMPLETE);
	return rule->code != NULL;
}

bool
ctx_redact_rules_compile(struct rule *rule)
{
	PCRE2_SIZE where;
	int code;

	if (rule->code == NULL && !rule->broken)
		rule->broken = !compile_pattern(rule, &where, &code);
	return !rule->broken;
}

static void
release_rule(struct rule *rule)
{
	free(rule->name);
	free(rule->pattern);
	pcre2_code_free(rule->code);
	memset(rule, 0, sizeof(*rule));
}

void
ctx_redact_rules_release(struct rules *rs)
{
	for (size_t i = 0; i < rs->n; i++)
		release_rule(&rs->list[i]);
	for (size_t i = 0; i < rs->n_allowed; i++)
		release_rule(&rs->allowed[i]);
	for (size_t i = 0; i < rs->n_literals; i++)
		free((char *)rs->literal[i].text);
	free(rs->list);
	free(rs->allowed);
	free(rs->literal);
	memset(rs, 0, sizeof(*rs));
}

/* Returns the next word of a line, and removes it and the following white space from the
 * line. */
static struct ctx_span
take_field(struct ctx_span *line)
{
	size_t n = 0;
	struct ctx_span field;

	while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t')
		n++;
	field = (struct ctx_span){line->p, n};
	line->p += n;
	line->n -= n;
	*line = ctx_span_trim(*line);
	return field;
}

static int
check_pattern(struct rule *rule, struct ctx_err *err)
{
	PCRE2_UCHAR why[200];
	PCRE2_SIZE where = 0;
	int code = 0;

	if (compile_pattern(rule, &where, &code))
		return 0;
	pcre2_get_error_message(code, why, sizeof(why));
	return ctx_err_set(err, CTX_EINPUT, "regular expression '%s': %s at byte %zu",
	    rule->pattern, (const char *)why, (size_t)where);
}

static int
take_entropy(struct rule *rule, struct ctx_span field, struct ctx_err *err)
{
	char *text = ctx_span_dup(field), *end;
	int rc = 0;

	rule->entropy = strtod(text, &end);
	if (strcmp(end, "v") == 0)
		rule->check = RULE_VALUE;
	else if (strcmp(end, "u") == 0)
		rule->check = RULE_PLACEHOLDER;
	else if (end == text || *end != '\0')
		rc = ctx_err_set(
		    err, CTX_EINPUT, "'%s' is not an entropy value (a number)", text);
	free(text);
	return rc;
}

/* Adds one of the literals in a prefix such as "N<sk-|rk-". */
static int
add_rule_literal(struct rules *rs, size_t rule, struct ctx_span s, struct ctx_err *err)
{
	size_t back = 0, i = 0;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && back < BACK_MAX)
		back = 10 * back + (size_t)(s.p[i++] - '0');
	if (i > 0 && i < s.n && s.p[i] == '<') {
		s.p += i + 1;
		s.n -= i + 1;
	} else {
		back = 0;
	}
	if (s.n < 2 || back > BACK_MAX || rs->bytes + s.n > LITERALS_MAX)
		return ctx_err_set(err, CTX_EINPUT,
		    "a literal is shorter than two bytes, or the rules contain too many literals");
	rs->bytes += s.n;
	CTX_MEM_GROW(rs->literal, rs->n_literals, rs->cap_literals);
	rs->literal[rs->n_literals++] = (struct literal){
	    ctx_span_dup(s), s.n, rule, back};
	return 0;
}

static int
add_literals(struct rules *rs, size_t rule, struct ctx_span list, struct ctx_err *err)
{
	struct ctx_span literal;

	while (ctx_span_split(&list, '|', &literal))
		if (add_rule_literal(rs, rule, literal, err) < 0)
			return -1;
	return 0;
}

static void
drop_literals(struct rules *rs, size_t rule)
{
	size_t n = 0;

	for (size_t i = 0; i < rs->n_literals; i++) {
		if (rs->literal[i].rule == rule) {
			rs->bytes -= rs->literal[i].n;
			free((char *)rs->literal[i].text);
		} else {
			rs->literal[n++] = rs->literal[i];
		}
	}
	rs->n_literals = n;
}

/* Puts the rule in place of the one with its name, or adds it. Returns its index. */
static size_t
place_rule(struct rules *rs, const struct rule *rule)
{
	size_t i = 0;

	while (i < rs->n && strcmp(rs->list[i].name, rule->name) != 0)
		i++;
	if (i < rs->n) {
		release_rule(&rs->list[i]);
		drop_literals(rs, i);
	} else {
		CTX_MEM_GROW(rs->list, rs->n, rs->cap);
		rs->n++;
	}
	rs->list[i] = *rule;
	return i;
}

static bool
is_rule_name(struct ctx_span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < 'a' || s.p[i] > 'z') && (s.p[i] < '0' || s.p[i] > '9') &&
		    s.p[i] != '-')
			return false;
	return s.n > 0 && s.n <= 64;
}

static int
add_rule(struct rules *rs, struct ctx_span line, bool check, struct ctx_err *err)
{
	struct rule rule = {0};
	struct ctx_span name = take_field(&line), literals = CTX_SPAN_NONE;
	bool allow = ctx_span_is(name, "allow");
	int rc = 0;

	if (!is_rule_name(name))
		return ctx_err_set(err, CTX_EINPUT,
		    "the name of a rule may contain only lower-case letters, digits and '-'");
	if (!allow) {
		rc = take_entropy(&rule, take_field(&line), err);
		literals = take_field(&line);
	}
	if (rc == 0 && line.n == 0)
		rc = ctx_err_set(err, CTX_EINPUT, "the rule has no regular expression");
	if (rc < 0)
		return -1;
	rule.name = ctx_span_dup(name);
	rule.pattern = ctx_span_dup(line);
	if (check && check_pattern(&rule, err) < 0) {
		release_rule(&rule);
		return -1;
	}
	if (allow) {
		CTX_MEM_GROW(rs->allowed, rs->n_allowed, rs->cap_allowed);
		rs->allowed[rs->n_allowed++] = rule;
		return 0;
	}
	return add_literals(rs, place_rule(rs, &rule), literals, err);
}

static int
parse_redact_rules(
    struct rules *rs, struct ctx_span text, bool check, struct ctx_err *err)
{
	struct ctx_span s;

	for (int line = 1; ctx_span_split(&text, '\n', &s); line++) {
		s = ctx_span_trim(s);
		if (s.n > 0 && s.p[0] != '#' && add_rule(rs, s, check, err) < 0)
			return ctx_err_prefix(err, "line %d", line);
	}
	return 0;
}

int
ctx_redact_rules_add(struct rules *rs, struct ctx_span text, struct ctx_err *err)
{
	return parse_redact_rules(rs, text, true, err);
}

void
ctx_redact_rules_default(struct rules *rs)
{
	struct ctx_err err = CTX_ERR_INIT;

	parse_redact_rules(rs, ctx_span_of(default_rules), false, &err);
}
