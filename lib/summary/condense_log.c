#include "summary/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"

#define SHOWN_MAX 400 /* longest shown part of a line, in bytes */
#define GAP_TOKENS 10 /* "[… 120 lines left out]" */
#define END_TOKENS 24 /* the final line with the counts */

struct line {
	struct ctx_span text;
	/* errors: number of lines that differ from this one at most in digits */
	size_t alike;
	bool error, first, kept;
};

struct log {
	struct line *v;
	size_t n, cap;
	size_t errors;
	int64_t room;
	struct ctx_tokenizer *t;
};

/* Lines that differ only in numbers, times and addresses have the same hash. */
static uint64_t
hash_alike(struct ctx_span line)
{
	uint64_t h = 1;
	size_t from;

	for (size_t i = 0; i < line.n;) {
		i += ctx_span_digits(ctx_span_from(line, i));
		for (from = i; i < line.n && !ctx_is_digit(line.p[i]); i++)
			;
		h = ctx_summary_hash(h, line.p + from, i - from);
	}
	return h;
}

static void
mark_alike(struct log *l)
{
	struct ctx_map seen = {NULL, 0, 0};

	for (size_t i = 0; i < l->n; i++) {
		size_t *at;
		if (!l->v[i].error)
			continue;
		at = ctx_map_at(&seen, hash_alike(l->v[i].text), NULL, NULL);
		l->v[i].first = *at == 0;
		if (*at == 0)
			*at = i + 1;
		l->v[*at - 1].alike++;
	}
	ctx_map_release(&seen);
}

static void
split_log_lines(struct log *l, struct ctx_span text)
{
	struct ctx_span line;

	while (ctx_summary_line(&text, &line)) {
		CTX_MEM_GROW(l->v, l->n, l->cap);
		l->v[l->n] = (struct line){
		    .text = line, .error = ctx_summary_error_line(line)};
		l->errors += l->v[l->n++].error;
	}
	mark_alike(l);
}

static bool
keep_log_line(struct log *l, size_t i, int64_t *share)
{
	struct line *line = &l->v[i];
	int64_t cost;
	size_t shown;

	if (line->kept)
		return true;
	shown = ctx_grapheme_before(line->text.p, line->text.n, SHOWN_MAX);
	cost = ctx_tokens_text(l->t, line->text.p, shown) + 2;
	if (line->alike > 1)
		cost += 6;
	if ((i == 0 || !l->v[i - 1].kept) && (i + 1 == l->n || !l->v[i + 1].kept))
		cost += GAP_TOKENS;
	if (cost > l->room || (share != NULL && cost > *share))
		return false;
	l->room -= cost;
	if (share != NULL)
		*share -= cost;
	return line->kept = true;
}

/* Keeps the first and the last line, then one line of each kind of error within half of
 * the room, then further lines from both ends. */
static void
choose_log_lines(struct log *l)
{
	int64_t share = l->room / 2;
	size_t head = 0, tail = l->n;
	bool more = true;

	for (size_t i = 0; i < l->n; i++)
		l->v[i].kept = false;
	keep_log_line(l, 0, NULL);
	keep_log_line(l, l->n - 1, NULL);
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].first)
			keep_log_line(l, i, &share);
	while (more && head < tail) {
		more = keep_log_line(l, head, NULL) && ++head < tail;
		if (more)
			more = keep_log_line(l, tail - 1, NULL) && tail-- > 0;
	}
}

static void
print_gap(struct ctx_buf *out, size_t gap)
{
	if (gap > 0)
		ctx_buf_addf(out, "[… %zu line%s left out]\n", gap, CTX_PLURAL(gap));
}

static void
print_log(const struct log *l, struct ctx_buf *out)
{
	size_t gap = 0, lines = 0, bytes = 0, n;

	for (size_t i = 0; i < l->n; i++) {
		const struct line *line = &l->v[i];
		if (!line->kept) {
			gap++;
			lines++;
			bytes += line->text.n + 1;
			continue;
		}
		print_gap(out, gap);
		gap = 0;
		n = ctx_grapheme_before(line->text.p, line->text.n, SHOWN_MAX);
		ctx_buf_add(out, line->text.p, n);
		if (n < line->text.n)
			ctx_buf_addf(out, " [… %zu bytes left out]", line->text.n - n);
		bytes += line->text.n - n;
		if (line->alike > 1)
			ctx_buf_addf(out, " [%zu line%s alike]", line->alike,
			    CTX_PLURAL(line->alike));
		ctx_buf_addc(out, '\n');
	}
	print_gap(out, gap);
	ctx_buf_addf(out,
	    "[… log of %zu lines, %zu errors; %zu lines, %zu bytes left out]", l->n,
	    l->errors, lines, bytes);
}

bool
ctx_summary_condense_log(
    struct ctx_buf *out, struct ctx_span text, struct ctx_tokenizer *t, int64_t max)
{
	struct log l = {.t = t};
	size_t from = out->n;
	bool fits = false;

	split_log_lines(&l, text);
	for (int64_t room = max - END_TOKENS; l.n > 0 && room > 0 && !fits;
	     room -= room / 8 + 1) {
		l.room = room;
		choose_log_lines(&l);
		print_log(&l, out);
		fits = ctx_tokens_text(t, out->p + from, out->n - from) <= max;
		if (!fits)
			ctx_buf_cut(out, from);
	}
	free(l.v);
	return fits;
}
