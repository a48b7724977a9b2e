#define PCRE2_CODE_UNIT_WIDTH 8
#include "entity/pattern.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"

/* Limit of backtracking steps at one start: far more than a pattern for names needs. */
#define MATCH_LIMIT 20000
#define DEPTH_LIMIT 2000
#define HEAP_LIMIT_KIB 4096
#define JIT_STACK (256 * 1024)

/* Processor time for one text: this number of microseconds, and one more per byte. */
#define BUDGET_US 200000

struct pattern {
	char *type, *text;
	pcre2_code *code;
	int name_group; /* 0: the whole match is the name */
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
		return ctx_err_set(err, CTX_EINPUT, "the pattern is longer than %d bytes",
		    CTX_PATTERN_LEN_MAX);
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
	/* Without a just-in-time compiler the interpreter is used, with the same
	 * limits. */
	pcre2_jit_compile(x.code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
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

/* The search in one line. */
struct scan {
	struct ctx_patterns *ps;
	struct pattern *p;
	const char *line;
	size_t n;          /* bytes of the line */
	size_t at;         /* the next start to try */
	size_t end;        /* end of the part of the line that PCRE2 is given */
	int64_t allowance; /* processor time, as of ctx_time_cpu, at which to stop */
	size_t *unchecked; /* work, roughly in bytes, since the clock was last read */
};

/* Moves end back to the start of a character. */
static size_t
see_to(const struct scan *s, size_t end)
{
	if (end >= s->n)
		return s->n;
	while (end > s->at && ((unsigned char)s->line[end] & 0xc0) == 0x80)
		end--;
	return end;
}

/* Returns false, and disables the pattern, if its time is used up. The clock is not read
 * for short lines, because that costs more than searching them. */
static bool
in_time(struct scan *s, size_t work)
{
	*s->unchecked += work;
	if (*s->unchecked < CTX_PATTERN_PIECE)
		return true;
	*s->unchecked = 0;
	if (ctx_time_cpu() <= s->allowance)
		return true;
	leave_out(s->ps, s->p, "matching takes too long");
	return false;
}

/* Calls pcre2_match and returns its result. s->end is not the end of the line, so an
 * attempt that reaches it gives a partial match. A wide attempt uses the interpreter,
 * because only the interpreter counts every step. */
static int
try_match(struct scan *s, bool wide)
{
	uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY;
	int got;

	if (s->end < s->n)
		options |= PCRE2_PARTIAL_HARD;
	if (wide)
		options |= PCRE2_ANCHORED | PCRE2_NO_JIT;
	got = pcre2_match(s->p->code, (PCRE2_SPTR)s->line, s->end, s->at, options,
	    s->ps->match, s->ps->limits);
	if (got < 0 && got != PCRE2_ERROR_NOMATCH && got != PCRE2_ERROR_PARTIAL) {
		PCRE2_UCHAR why[128];
		pcre2_get_error_message(got, why, sizeof(why));
		leave_out(s->ps, s->p, (const char *)why);
	}
	return got;
}

/* Called when the attempt at s->at reached the end of a piece: repeats it with more of
 * the line. If that is not enough, continues after the next white space: attempts before
 * it would reach as far, and one near the end of a long word would match its tail
 * only. */
static int
try_wide(struct scan *s)
{
	int got;

	s->end = see_to(s, s->at + CTX_PATTERN_REACH);
	got = try_match(s, true);
	if (got == PCRE2_ERROR_PARTIAL)
		while (s->at < s->n && s->line[s->at] != ' ' && s->line[s->at] != '\t')
			s->at++;
	if (got == PCRE2_ERROR_PARTIAL || got == PCRE2_ERROR_NOMATCH)
		do
			s->at++;
		while (s->at < s->n && ((unsigned char)s->line[s->at] & 0xc0) == 0x80);
	return got;
}

/* Finds the next match. Returns its number of groups, 0 if there is none, -1 if the
 * pattern was disabled. */
static int
next_match(struct scan *s)
{
	while (s->at < s->n) {
		size_t from = s->at, work = CTX_PATTERN_PIECE;
		int got;

		s->end = see_to(s, s->at + CTX_PATTERN_PIECE);
		got = try_match(s, false);
		if (got == PCRE2_ERROR_PARTIAL) {
			s->at = pcre2_get_ovector_pointer(s->ps->match)[0];
			if (s->at <= from) {
				s->at = from;
				got = try_wide(s);
			}
		} else if (got == PCRE2_ERROR_NOMATCH) {
			s->at = s->end;
			work = s->end - from;
		}
		if (got > 0)
			return got;
		if (got != PCRE2_ERROR_PARTIAL && got != PCRE2_ERROR_NOMATCH)
			return -1;
		if (s->at < s->n && !in_time(s, work))
			return -1;
	}
	return 0;
}

/* Returns false if the pattern exceeded a limit. */
static bool
scan_line(struct scan *s, size_t offset, struct ctx_mentions *out)
{
	int got;

	while ((got = next_match(s)) > 0) {
		const PCRE2_SIZE *v = pcre2_get_ovector_pointer(s->ps->match);
		int g = s->p->name_group;

		/* With \K in a look-around, a match can end before it starts. */
		if (v[1] <= v[0] || v[1] <= s->at)
			return true;
		if (g >= got || v[2 * g] == PCRE2_UNSET || v[2 * g + 1] <= v[2 * g])
			g = 0;
		ctx_mentions_add(out, CTX_MENTION_PATTERN, s->p->type, 0, offset + v[0],
		    v[1] - v[0],
		    (struct ctx_span){s->line + v[2 * g], v[2 * g + 1] - v[2 * g]});
		s->at = v[1];
		if (!in_time(s, 64))
			return false;
	}
	return got == 0;
}

static void
scan_one(struct ctx_patterns *ps, struct pattern *p, struct ctx_span text,
    struct ctx_mentions *out)
{
	int64_t start = ctx_time_cpu() + BUDGET_US;
	struct ctx_span rest = text, line;
	size_t unchecked = 0;

	while (ctx_span_split(&rest, '\n', &line)) {
		size_t from = (size_t)(line.p - text.p);
		struct scan s = {.ps = ps,
		    .p = p,
		    .line = line.p,
		    .n = line.n,
		    .allowance = start + (int64_t)(from + line.n),
		    .unchecked = &unchecked};

		if (!scan_line(&s, from, out) ||
		    (from + s.n < text.n && !in_time(&s, s.n + 1)))
			return;
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
