/* Recall from the store: chooses among the candidates and prints them. */
#include "recall/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "recall/load.h"
#include "record/quote.h"

/* Tokens; a longer message is quoted by its best passage. The user's messages have a
 * higher limit, because they are usually short and every sentence of them matters. */
#define WHOLE_MAX 200
#define WHOLE_MAX_USER 500
/* tokens are counted for the best turns, up to this multiple of the budget */
#define ENOUGH 3

#define SPEAKERS 16

/* Lists the first speakers, each once. */
static size_t
list_speakers(const struct ctx_recall *r, struct ctx_span out[SPEAKERS])
{
	size_t n = 0, k;

	for (size_t i = 0; i < r->n && n < SPEAKERS; i++) {
		for (k = 0; k < n && !ctx_span_eq(out[k], r->turns[i].speaker); k++)
			;
		if (k == n)
			out[n++] = r->turns[i].speaker;
	}
	return n;
}

/* Prints a whole turn, or its best passage. Text of a turn cannot be mistaken for the
 * beginning of another turn. */
static void
format_turn(struct ctx_buf *out, const struct ctx_recall *r,
    const struct ctx_recall_turn *t, bool whole)
{
	struct ctx_span text = t->text, speakers[SPEAKERS];
	bool from_start, to_end;

	ctx_buf_addspan(out, t->speaker);
	if (!whole) {
		ctx_buf_addf(out, " (part %zu of %zu)", t->part, t->parts);
		text = (struct ctx_span){text.p + t->from, t->to - t->from};
	}
	ctx_buf_adds(out, ": ");
	from_start = whole || t->part == 1;
	to_end = whole || t->part == t->parts;
	ctx_buf_adds(out, from_start ? "" : "… ");
	ctx_quote_after(out, ctx_span_trim(text), speakers, list_speakers(r, speakers));
	ctx_buf_adds(out, to_end ? "\n" : " …\n");
}

#define MINUTE 60000 /* ms */

/* Prints a date such as "[2023-05-08 13:56]", with the time because a day can have
 * several sittings. */
static void
format_date(struct ctx_buf *out, int64_t created_at)
{
	char time[CTX_TIME_LEN + 1];

	ctx_time_format(created_at, time);
	time[10] = ' ';
	time[16] = '\0';
	ctx_buf_addf(out, "[%s]\n", time);
}

#define LEFT_OUT "…\n"

static int64_t
count_quote(struct recall_loader *l, const struct ctx_recall_turn *t, bool whole)
{
	ctx_buf_reset(&l->line);
	ctx_buf_adds(&l->line, LEFT_OUT); /* it may precede the turn */
	format_turn(&l->line, l->r, t, whole);
	return ctx_tokens_text(l->o->tokenizer, l->line.p, l->line.n);
}

/* ---- vectors ---- */

static void
warn_missing(const struct recall_loader *l, const struct ctx_embed_text *texts, size_t n)
{
	struct ctx_err err = CTX_ERR_INIT;
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		missing += texts[i].vector.n == 0;
	ctx_err_set(&err, CTX_EIO,
	    "%zu of %zu earlier messages have no embedding vector yet", missing, n - 1);
	if (l->o->embed_failed != NULL)
		l->o->embed_failed(l->o->embed_arg, &err);
}

/* The texts are sorted by importance in case the time runs out: the query, then the
 * turns, newest first. */
static void
rank_by_vectors(struct recall_loader *l)
{
	size_t n = l->r->n;
	struct ctx_recall_turn *turns = l->r->turns;
	struct ctx_embed_text *texts = ctx_mem_new((n + 1) * sizeof(*texts));
	double *similarity = ctx_mem_new((n + 1) * sizeof(*similarity));
	struct ctx_err err = CTX_ERR_INIT;
	int rc;

	texts[0] = (struct ctx_embed_text){.text = l->o->query, .session_no = l->s->no};
	for (size_t i = 0; i < n; i++)
		texts[n - i] = (struct ctx_embed_text){
		    .text = turns[i].text, .session_no = l->s->no};
	rc = ctx_embedder_ask(l->o->embedder, texts, n + 1, &err);
	for (size_t i = 0; i < n; i++)
		similarity[i] = texts[n - i].vector.n == 0
				    ? -1
				    : ctx_vector_cosine(
					  &texts[0].vector, &texts[n - i].vector);
	if (rc >= 0)
		ctx_recall_fuse(turns, n, similarity);
	else if (l->o->embed_failed != NULL)
		l->o->embed_failed(l->o->embed_arg, &err);
	if (rc == 1)
		warn_missing(l, texts, n + 1);
	ctx_embed_release(texts, n + 1);
	free(texts);
	free(similarity);
}

/* ---- selection ---- */

/* Decides which long messages are quoted by a passage, and estimates its tokens. */
static void
choose_parts(struct recall_loader *l)
{
	for (size_t i = 0; i < l->r->n; i++) {
		struct ctx_recall_turn *t = &l->r->turns[i];
		bool user = ctx_span_is(t->speaker, "user");
		if (t->parts > 1 && t->cost > (user ? WHOLE_MAX_USER : WHOLE_MAX))
			t->part_cost = (int64_t)(t->to - t->from + 3) / 4 + 4;
	}
}

/* Returns true if the request already contains the quotation in l->line. */
static bool
is_quoted(const struct recall_loader *l)
{
	/* starts with the line break before the turn */
	const char *turn = l->line.p + strlen(LEFT_OUT) - 1;

	return l->o->quoted != NULL && strstr(l->o->quoted, turn) != NULL;
}

/* Counts the tokens of the best turns only, because counting all turns would take longer
 * than ranking them. The others are excluded. */
static void
count_best(struct recall_loader *l)
{
	struct ctx_recall_turn *turns = l->r->turns;
	size_t n = l->r->n;

	ctx_recall_fill(turns, n, ENOUGH * l->o->budget, 0);
	for (size_t i = 0; i < n; i++) {
		struct ctx_recall_turn *t = &turns[i];
		if (!t->keep) {
			t->score = CTX_RECALL_NOTHING;
			continue;
		}
		if (t->part_cost > 0)
			t->part_cost = count_quote(l, t, false);
		else
			t->cost = count_quote(l, t, true);
		t->quoted = is_quoted(l);
	}
}

/* Removes the turns that are not kept, and the turns that are already quoted. The number
 * of a sitting becomes the index of its first remaining turn. */
static void
remove_other_turns(struct ctx_recall *r)
{
	size_t n = 0, sitting = 0, last = SIZE_MAX;

	for (size_t i = 0; i < r->n; i++) {
		const struct ctx_recall_turn *t = &r->turns[i];
		if (t->keep && t->quoted)
			r->cost -= t->part_cost > 0 ? t->part_cost : t->cost;
		if (!t->keep || t->quoted)
			continue;
		if (r->turns[i].sitting != last)
			sitting = n;
		last = r->turns[i].sitting;
		r->turns[n] = r->turns[i];
		r->turns[n++].sitting = sitting;
	}
	r->n = n;
}

void
ctx_recall_reduce(struct ctx_recall *r, int64_t budget)
{
	r->cost = ctx_recall_fill(r->turns, r->n, budget, r->sitting_cost);
	remove_other_turns(r);
}

int
ctx_recall_select(struct ctx_recall *r, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_recall_options *o, struct ctx_err *err)
{
	struct recall_loader l = {
	    .r = r, .st = st, .s = s, .o = o, .parsed = CTX_MESSAGE_INIT};
	struct ctx_buf date = CTX_BUF_INIT;
	int rc;

	if (s != NULL)
		l.last = o->before_seq > 0 && o->before_seq <= s->last_seq
			     ? o->before_seq - 1
			     : s->last_seq;
	if (o->cost == NULL) {
		format_date(&date, 0);
		r->sitting_cost = o->sitting_cost +
				  ctx_tokens_text(o->tokenizer, date.p, date.n);
	}
	rc = ctx_recall_load(&l, err);
	if (rc == 0 && !o->all) {
		ctx_recall_rank(r->turns, r->n, o->query);
		if (o->embedder != NULL && r->n > 0)
			rank_by_vectors(&l);
		if (!o->whole)
			choose_parts(&l);
		if (o->cost == NULL)
			count_best(&l);
		ctx_recall_reduce(r, o->budget);
	}
	ctx_buf_release(&date);
	ctx_buf_release(&l.text);
	ctx_buf_release(&l.line);
	ctx_message_release(&l.parsed);
	free(l.hidden);
	return rc;
}

void
ctx_recall_release(struct ctx_recall *r)
{
	free(r->turns);
	ctx_arena_release(&r->arena);
	memset(r, 0, sizeof(*r));
}

void
ctx_recall_format(struct ctx_buf *out, const struct ctx_recall *r)
{
	int64_t minute = 0; /* of the last date */

	for (size_t i = 0; i < r->n; i++) {
		const struct ctx_recall_turn *t = &r->turns[i];
		bool new_sitting = i == 0 || t->sitting != t[-1].sitting;
		/* messages that were stored together can be several sittings of the same
		 * minute, because a sitting has at most a hundred turns */
		if (i == 0 || (new_sitting && t->created_at / MINUTE != minute)) {
			format_date(out, t->created_at);
			minute = t->created_at / MINUTE;
		} else if (t->seq != t[-1].seq + 1) {
			ctx_buf_adds(out, LEFT_OUT);
		}
		format_turn(out, r, t, t->part_cost == 0);
	}
}
