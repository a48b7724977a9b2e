#define PCRE2_CODE_UNIT_WIDTH 8
#include "redact/redact.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"
#include "redact/internal.h"
#include "redact/rules.h"

#define REACH ((size_t)24 << 10) /* a match must end within this many bytes */
#define MATCH_LIMIT 200000
#define JIT_STACK ((size_t)256 << 10)

/* A secret that was found. It keeps the name of the rule that found it first. */
struct known {
	char hash[CTX_HASH_HEX + 1];
	size_t rule;
};

struct ctx_redact {
	struct rules rules;
	struct finder finder;
	bool ready;
	struct view view;
	struct found *found;
	size_t n, cap;
	struct known *known;
	size_t n_known, cap_known;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	pcre2_jit_stack *stack;
};

struct ctx_redact *
ctx_redact_new(void)
{
	struct ctx_redact *r = ctx_mem_new(sizeof(*r));

	r->limits = pcre2_match_context_create(NULL);
	r->stack = pcre2_jit_stack_create(32 << 10, JIT_STACK, NULL);
	r->match = pcre2_match_data_create(8, NULL);
	if (r->limits == NULL || r->match == NULL)
		ctx_mem_out();
	pcre2_set_match_limit(r->limits, MATCH_LIMIT);
	pcre2_jit_stack_assign(r->limits, NULL, r->stack);
	ctx_redact_rules_default(&r->rules);
	return r;
}

void
ctx_redact_free(struct ctx_redact *r)
{
	if (r == NULL)
		return;
	ctx_redact_rules_release(&r->rules);
	ctx_redact_finder_release(&r->finder);
	ctx_redact_view_release(&r->view);
	free(r->found);
	free(r->known);
	pcre2_match_data_free(r->match);
	pcre2_match_context_free(r->limits);
	pcre2_jit_stack_free(r->stack);
	free(r);
}

int
ctx_redact_add(struct ctx_redact *r, struct ctx_span rules, struct ctx_err *err)
{
	return ctx_redact_rules_add(&r->rules, rules, err);
}

/* ---- finding ---- */

static bool
is_token(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       c == '_' || c == '-';
}

static bool
at_border(const struct ctx_redact *r, size_t at)
{
	const struct ctx_buf *t = &r->view.text;

	return at == 0 || at >= t->n || !is_token(t->p[at]) || !is_token(t->p[at - 1]) ||
	       ctx_redact_view_colour(&r->view, at);
}

/* Returns whether a secret may begin here: after a character that is not a letter, digit,
 * '_' or '-', or at a border. */
static bool
begins_at(const struct ctx_redact *r, size_t at)
{
	return at == 0 || !is_token(r->view.text.p[at - 1]) || at_border(r, at);
}

/* Matches a rule whose literal was found at from..to. Returns false if it does not
 * match. */
static bool
match_rule(struct ctx_redact *r, struct rule *rule, size_t back, size_t from, size_t to,
    struct found *out)
{
	size_t begin = from > back ? from - back : 0, end = r->view.text.n;
	uint32_t options = PCRE2_NO_UTF_CHECK | (back == 0 ? PCRE2_ANCHORED : 0);
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->match);
	const char *p = r->view.text.p;
	int groups;

	if (end - begin > REACH)
		end = begin + REACH;
	while (begin > 0 && back > 0 && ((unsigned char)p[begin] & 0xc0) == 0x80)
		begin++;
	while (end < r->view.text.n && end > to && ((unsigned char)p[end] & 0xc0) == 0x80)
		end--;
	pcre2_set_offset_limit(
	    r->limits, from); /* the match must not begin after the literal */
	for (; begin <= from; begin = at[0] + 1) {
		groups = pcre2_match(
		    rule->code, (PCRE2_SPTR)p, end, begin, options, r->match, r->limits);
		if (groups <= 0)
			return false;
		if (at[1] >= to && at[1] > at[0])
			break;
	}
	if (begin > from)
		return false;
	rule->group = groups > 1 && at[2] != PCRE2_UNSET;
	out->from = rule->group ? at[2] : at[0];
	out->to = rule->group ? at[3] : at[1];
	return out->to > out->from &&
	       (rule->group || (begins_at(r, out->from) && at_border(r, out->to)));
}

static bool
is_allowed(struct ctx_redact *r, struct ctx_span secret)
{
	pcre2_set_offset_limit(r->limits, PCRE2_UNSET);
	for (size_t i = 0; i < r->rules.n_allowed; i++)
		if (ctx_redact_rules_compile(&r->rules.allowed[i]) &&
		    pcre2_match(r->rules.allowed[i].code, (PCRE2_SPTR)secret.p, secret.n,
			0, PCRE2_NO_UTF_CHECK, r->match, r->limits) > 0)
			return true;
	return false;
}

/* Called for a literal that ends at end: searches for a secret by its rule. */
static void
try_literal(struct ctx_redact *r, const struct literal *l, size_t end)
{
	struct rule *rule = &r->rules.list[l->rule];
	size_t from = end - l->n;
	const char *p = r->view.text.p;
	struct found f = {0, 0, l->rule};
	struct ctx_span secret;

	if (from < rule->until ||
	    (rule->check == RULE_FORM && (memcmp(p + from, l->text, l->n) != 0 ||
					     (l->back == 0 && !begins_at(r, from)))))
		return;
	if (!ctx_redact_rules_compile(rule) ||
	    !match_rule(r, rule, l->back, from, end, &f))
		return;
	secret = (struct ctx_span){p + f.from, f.to - f.from};
	if (!ctx_redact_value_ok(rule, secret) ||
	    ctx_redact_value_opaque(
		ctx_buf_span(&r->view.text), f.from, rule->check == RULE_VALUE) ||
	    is_allowed(r, secret))
		return;
	rule->until = f.to;
	CTX_MEM_GROW(r->found, r->n, r->cap);
	r->found[r->n++] = f;
}

static int
compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* Drops overlapping findings: the one of the earlier rule is kept. */
static void
drop_overlaps(struct ctx_redact *r)
{
	size_t n = 0;

	qsort(r->found, r->n, sizeof(*r->found), compare_found);
	for (size_t i = 0; i < r->n; i++) {
		const struct found f = r->found[i];
		bool stays = true;
		while (stays && n > 0 && r->found[n - 1].to > f.from) {
			stays = f.rule < r->found[n - 1].rule;
			n -= stays;
		}
		if (stays)
			r->found[n++] = f;
	}
	r->n = n;
}

/* Finds all secrets in the text, in order. */
static void
find_secrets(struct ctx_redact *r, struct ctx_span text)
{
	const struct finder *f = &r->finder;
	size_t state = 0;

	if (!r->ready) {
		ctx_redact_finder_build(
		    &r->finder, r->rules.literal, r->rules.n_literals);
		r->ready = true;
	}
	r->n = 0;
	for (size_t i = 0; i < r->rules.n; i++)
		r->rules.list[i].until = 0;
	ctx_redact_view(&r->view, text);
	for (size_t i = 0; i < r->view.text.n; i++) {
		state = f->next[(state << f->shift) +
				f->class[(unsigned char)r->view.text.p[i]]];
		if (!(state & FINDER_HIT))
			continue;
		state &= ~(size_t)FINDER_HIT;
		for (size_t s = state; s != 0; s = f->suffix[s])
			for (int32_t k = f->first[s]; k >= 0; k = f->same[k])
				try_literal(r, &r->rules.literal[k], i + 1);
	}
	if (r->n > 1)
		drop_overlaps(r);
}

/* ---- replacing ---- */

struct output {
	struct ctx_redact *r;
	struct ctx_span text;
	struct ctx_buf *out;
	size_t done; /* bytes of the text copied so far */
	size_t n;
	ctx_redact_fn *fn;
	void *arg;
	struct ctx_buf path;
};

static const char *
name_secret(struct ctx_redact *r, const struct found *f, char hash[CTX_HASH_HEX + 1])
{
	ctx_hash_sha256(r->view.text.p + f->from, f->to - f->from, hash);
	for (size_t i = 0; i < r->n_known; i++)
		if (memcmp(r->known[i].hash, hash, CTX_HASH_HEX) == 0)
			return r->rules.list[r->known[i].rule].name;
	CTX_MEM_GROW(r->known, r->n_known, r->cap_known);
	memcpy(r->known[r->n_known].hash, hash, CTX_HASH_HEX + 1);
	r->known[r->n_known++].rule = f->rule;
	return r->rules.list[f->rule].name;
}

static void
replace_secret(struct output *o, const struct found *f, size_t begin, size_t end)
{
	char hash[CTX_HASH_HEX + 1];
	struct ctx_redact_finding found = {.rule = name_secret(o->r, f, hash),
	    .path = ctx_buf_span(&o->path),
	    .offset = begin,
	    .n = end - begin};

	if (begin < o->done)
		return;
	memcpy(found.hash, hash, 16);
	found.hash[16] = '\0';
	ctx_buf_add(o->out, o->text.p + o->done, begin - o->done);
	ctx_buf_addf(o->out, "[REDACTED:%s]", found.rule);
	o->done = end;
	o->n++;
	if (o->fn != NULL)
		o->fn(o->arg, &found);
}

static size_t
end_output(struct output *o)
{
	if (o->n > 0)
		ctx_buf_add(o->out, o->text.p + o->done, o->text.n - o->done);
	ctx_buf_release(&o->path);
	return o->n;
}

size_t
ctx_redact_text(struct ctx_redact *r, struct ctx_span text, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg)
{
	struct output o = {
	    .r = r, .text = text, .out = out, .fn = fn, .arg = arg, .path = CTX_BUF_INIT};

	find_secrets(r, text);
	for (size_t i = 0; i < r->n; i++) {
		size_t begin, end;
		ctx_redact_view_place(
		    &r->view, r->found[i].from, r->found[i].to, &begin, &end);
		replace_secret(&o, &r->found[i], begin, end);
	}
	return end_output(&o);
}

/* Replaces the secrets in a string, unless it is opaque. *next is the first secret that
 * has not been passed yet. */
static void
replace_in_string(struct output *o, struct ctx_span string, bool opaque, size_t *next)
{
	size_t from = (size_t)(string.p - o->text.p) + 1, to = from + string.n - 2;

	for (; *next < o->r->n; ++*next) {
		const struct found *f = &o->r->found[*next];
		size_t begin, end;
		ctx_redact_view_place(&o->r->view, f->from, f->to, &begin, &end);
		if (begin >= to)
			return;
		if (begin >= from && end <= to && !opaque)
			replace_secret(o, f, begin, end);
	}
}

/* Returns whether any of the remaining secrets is in this value. */
static bool
holds_secret(const struct output *o, struct ctx_span value, size_t next)
{
	size_t begin, end, to = (size_t)(value.p - o->text.p) + value.n;

	if (next >= o->r->n)
		return false;
	ctx_redact_view_place(
	    &o->r->view, o->r->found[next].from, o->r->found[next].to, &begin, &end);
	return begin < to;
}

static void
walk_value(struct output *o, struct ctx_span value, bool opaque, size_t *next)
{
	size_t n = o->path.n, i = 0;

	if (!holds_secret(o, value, *next))
		return;
	if (ctx_json_type(value) == CTX_JSON_STRING) {
		replace_in_string(o, value, opaque, next);
		return;
	}
	CTX_JSON_EACH(it, value) {
		bool own = opaque;
		if (it.key.p != NULL) {
			replace_in_string(o, it.key, false, next);
			if (n > 0)
				ctx_buf_addc(&o->path, '.');
			ctx_json_decode(it.key, &o->path);
			own = own || ctx_redact_member_opaque(it.key, value);
		} else {
			ctx_buf_addf(&o->path, "[%zu]", i++);
		}
		walk_value(o, it.value, own, next);
		o->path.n = n;
	}
}

size_t
ctx_redact_json(struct ctx_redact *r, struct ctx_span json, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg)
{
	struct output o = {
	    .r = r, .text = json, .out = out, .fn = fn, .arg = arg, .path = CTX_BUF_INIT};
	size_t next = 0;

	find_secrets(r, json);
	if (r->n > 0)
		walk_value(&o, json, false, &next);
	return end_output(&o);
}
