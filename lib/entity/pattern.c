#define PCRE2_CODE_UNIT_WIDTH 8
#include "entity/pattern.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"

/* Backtracking steps at one start: far above what a pattern for names needs. */
#define MATCH_LIMIT 20000
#define DEPTH_LIMIT 2000
#define HEAP_LIMIT_KIB 4096
#define JIT_STACK (256 * 1024)

/* Processor time for one text: this much, and a microsecond for each byte. */
#define BUDGET_US 200000

struct pattern {
	char *type, *text;
	pcre2_code *code;
	int name_group; /* 0: the whole match */
	bool left_out;
};

struct ctx_patterns {
	struct pattern *list;
	size_t n, cap;
	pcre2_match_context *limits;
	pcre2_jit_stack *stack;
	pcre2_match_data *match;
	ctx_patterns_report_fn *report;
	void *report_arg;
};

struct ctx_patterns *
ctx_patterns_new(void)
{
	struct ctx_patterns *ps = ctx_mem_new(sizeof(*ps));

	ps->limits = pcre2_match_context_create(NULL);
	ps->stack = pcre2_jit_stack_create(32 * 1024, JIT_STACK, NULL);
	ps->match = pcre2_match_data_create(32, NULL);
	if (ps->limits != NULL) {
		pcre2_set_match_limit(ps->limits, MATCH_LIMIT);
		pcre2_set_depth_limit(ps->limits, DEPTH_LIMIT);
		pcre2_set_heap_limit(ps->limits, HEAP_LIMIT_KIB);
		pcre2_jit_stack_assign(ps->limits, NULL, ps->stack);
	}
	return ps;
}

void
ctx_patterns_free(struct ctx_patterns *ps)
{
	if (ps == NULL)
		return;
	for (size_t i = 0; i < ps->n; i++) {
		free(ps->list[i].type);
		free(ps->list[i].text);
		pcre2_code_free(ps->list[i].code);
	}
	free(ps->list);
	pcre2_match_data_free(ps->match);
	pcre2_jit_stack_free(ps->stack);
	pcre2_match_context_free(ps->limits);
	free(ps);
}

void
ctx_patterns_on_limit(struct ctx_patterns *ps, ctx_patterns_report_fn *report, void *arg)
{
	ps->report = report;
	ps->report_arg = arg;
}

int
ctx_patterns_add(struct ctx_patterns *ps, struct ctx_span type, struct ctx_span pattern,
    struct ctx_err *err)
{
	PCRE2_UCHAR why[256];
	PCRE2_SIZE where = 0;
	struct pattern x = {0};
	int code = 0;

	if (pattern.n > CTX_PATTERN_LEN_MAX)
		return ctx_err_set(
		    err, CTX_EINPUT, "pattern longer than %d bytes", CTX_PATTERN_LEN_MAX);
	if (ps->limits == NULL || ps->match == NULL)
		return ctx_err_set(err, CTX_EIO, "pattern: out of memory");
	x.code = pcre2_compile((PCRE2_SPTR)(pattern.p == NULL ? "" : pattern.p),
	    pattern.n, PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &where,
	    NULL);
	if (x.code == NULL) {
		pcre2_get_error_message(code, why, sizeof(why));
		return ctx_err_set(err, CTX_EINPUT, "pattern '%.*s': %s at byte %zu",
		    pattern.n > 200 ? 200 : (int)pattern.n,
		    pattern.p == NULL ? "" : pattern.p, (const char *)why, (size_t)where);
	}
	/* without a just-in-time compiler the interpreter does it, under the same limits */
	pcre2_jit_compile(x.code, PCRE2_JIT_COMPLETE);
	x.name_group = pcre2_substring_number_from_name(x.code, (PCRE2_SPTR) "name");
	if (x.name_group < 0 || x.name_group >= 32)
		x.name_group = 0;
	x.type = ctx_mem_dup(type.p == NULL ? "" : type.p, type.n);
	x.text = ctx_mem_dup(pattern.p == NULL ? "" : pattern.p, pattern.n);
	CTX_MEM_GROW(ps->list, ps->n, ps->cap);
	ps->list[ps->n++] = x;
	return 0;
}

static void
leave_out(struct ctx_patterns *ps, struct pattern *p, const char *why)
{
	p->left_out = true;
	if (ps->report != NULL)
		ps->report(ps->report_arg, p->type, p->text, why);
}

/* All matches in one piece. False when the pattern ran into a limit. */
static bool
scan_piece(struct ctx_patterns *ps, struct pattern *p, struct ctx_span text, size_t from,
    size_t end, struct ctx_mentions *out)
{
	PCRE2_SPTR subject = (PCRE2_SPTR)text.p + from;
	size_t at = 0, n = end - from;
	int got;

	while (at <= n) {
		const PCRE2_SIZE *v = pcre2_get_ovector_pointer(ps->match);
		int g = p->name_group;
		struct ctx_span name;

		got = pcre2_match(p->code, subject, n, at,
		    PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, ps->match, ps->limits);
		if (got == PCRE2_ERROR_NOMATCH)
			return true;
		if (got < 0) {
			PCRE2_UCHAR why[128];
			pcre2_get_error_message(got, why, sizeof(why));
			leave_out(ps, p, (const char *)why);
			return false;
		}
		/* \K in a look-around can turn a match around */
		if (v[1] <= v[0] || v[1] <= at)
			return true;
		if (g >= got || v[2 * g] == PCRE2_UNSET || v[2 * g + 1] <= v[2 * g])
			g = 0;
		name = (struct ctx_span){
		    text.p + from + v[2 * g], v[2 * g + 1] - v[2 * g]};
		ctx_mentions_add(
		    out, CTX_MENTION_PATTERN, p->type, 0, from + v[0], v[1] - v[0], name);
		at = v[1];
	}
	return true;
}

/* The end of the piece that begins at from. */
static size_t
piece_end(struct ctx_span text, size_t from)
{
	size_t left = text.n - from, end, cut;
	const char *nl;

	/* looking no further than a piece keeps this linear in one long line */
	left = left > CTX_PATTERN_PIECE ? CTX_PATTERN_PIECE : left;
	nl = memchr(text.p + from, '\n', left);
	if (nl != NULL)
		return (size_t)(nl - text.p);
	if (from + left == text.n)
		return text.n;
	end = cut = from + CTX_PATTERN_PIECE;
	while (cut > from && text.p[cut] != ' ' && text.p[cut] != '\t')
		cut--;
	if (cut > from)
		return cut;
	while (((unsigned char)text.p[end] & 0xc0) == 0x80)
		end--;
	return end;
}

static void
scan_one(struct ctx_patterns *ps, struct pattern *p, struct ctx_span text,
    struct ctx_mentions *out)
{
	int64_t start = ctx_time_cpu();
	size_t checked = 0;

	for (size_t from = 0; from < text.n;) {
		size_t end = piece_end(text, from);

		if (end > from && !scan_piece(ps, p, text, from, end, out))
			return;
		from = end < text.n && text.p[end] == '\n' ? end + 1 : end;
		if (end - checked < CTX_PATTERN_PIECE)
			continue; /* asking for the time costs more than a short line */
		checked = end;
		if (ctx_time_cpu() - start > BUDGET_US + (int64_t)end) {
			leave_out(ps, p, "takes too long");
			return;
		}
	}
}

void
ctx_patterns_scan(struct ctx_patterns *ps, struct ctx_span text, struct ctx_mentions *out)
{
	text.n = ctx_utf8_valid(text.p, text.n);
	for (size_t i = 0; i < ps->n; i++) {
		if (!ps->list[i].left_out)
			scan_one(ps, &ps->list[i], text, out);
	}
}
