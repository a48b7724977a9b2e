/* Recall from a stored session: which turns are candidates, and what is printed of those
 * chosen. */
#include "recall/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/visible.h"
#include "json/json.h"
#include "recall/internal.h"
#include "record/message.h"
#include "record/quote.h"
#include "store/fulltext.h"
#include "words/words.h"

#define ALL_MAX 4096                /* a session of so many messages is read as a whole */
#define HITS_MAX 150                /* of a longer one, the best so many matches … */
#define COMMON 10000                /* matches that make a word a common one */
#define LATELY 20000                /* newest messages in which those are looked for */
#define REACH 3                     /* … with so many messages on either side */
#define VECTORS_LATELY 1000         /* newest messages that vectors may find in it */
#define TEXT_MAX ((size_t)64 << 10) /* bytes of a text that are looked at */
/* Tokens: a longer message is quoted by its best passage. The user's own are short as a rule,
 * and say in every sentence what is wanted. */
#define WHOLE_MAX 200
#define WHOLE_MAX_USER 500
#define ENOUGH 3 /* times the budget, of turns whose tokens are counted */

struct loader {
	struct ctx_recall *r;
	struct ctx_store *st;
	const struct ctx_session *s;
	const struct ctx_recall_options *o;
	struct ctx_message parsed;
	struct ctx_buf text, line;
	struct ctx_seq_range *hidden;
	size_t n_hidden, cap;
	int64_t last; /* seq of the newest candidate */
	bool gap;     /* before the next turn */
};

#define SPEAKERS 16

/* Some of those who speak, each once. */
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

/* The whole of a turn, or its best passage. What it says cannot pass for another turn. */
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

/* "[2023-05-08 13:56]": with the hour, as there may be several sittings in a day. */
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
count_quote(struct loader *l, const struct ctx_recall_turn *t, bool whole)
{
	ctx_buf_reset(&l->line);
	ctx_buf_adds(&l->line, LEFT_OUT); /* perhaps */
	format_turn(&l->line, l->r, t, whole);
	return ctx_tokens_text(l->o->tokenizer, l->line.p, l->line.n);
}

static bool
is_recall_turn_hidden(const struct loader *l, int64_t seq)
{
	size_t lo = 0, hi = l->n_hidden;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->hidden[mid].last < seq)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->n_hidden && l->hidden[lo].first <= seq;
}

static struct ctx_span
speaker_of(struct loader *l)
{
	struct ctx_buf tmp = CTX_BUF_INIT, line = CTX_BUF_INIT;
	struct ctx_span name;

	ctx_visible_add_line(&line, ctx_json_text(l->parsed.name, &tmp));
	name = ctx_buf_span(&line);
	if (name.n == 0)
		name = ctx_span_of(ctx_role_name(l->parsed.role));
	name = ctx_arena_copy(&l->r->arena, name);
	ctx_buf_release(&tmp);
	ctx_buf_release(&line);
	return name;
}

static int
add_recall_turn(struct loader *l, const struct ctx_stored *m, struct ctx_err *err)
{
	struct ctx_recall_turn *t;
	struct ctx_span text;

	if ((m->role != CTX_ROLE_USER && m->role != CTX_ROLE_ASSISTANT) ||
	    is_recall_turn_hidden(l, m->seq))
		return 0;
	if (ctx_message_parse(&l->parsed, m->message, err) < 0)
		return -1;
	/* results of tools, which one provider gives to the user, are no turns */
	if (ctx_message_count(&l->parsed, CTX_PART_TOOL_RESULT) > 0)
		return 0;
	ctx_buf_reset(&l->text);
	ctx_message_text(&l->parsed, &l->text);
	text = ctx_span_trim(ctx_buf_span(&l->text));
	if (text.n == 0)
		return 0;
	CTX_MEM_GROW(l->r->turns, l->r->n, l->cap);
	t = &l->r->turns[l->r->n++];
	memset(t, 0, sizeof(*t));
	t->seq = m->seq;
	t->gap = l->gap;
	t->created_at = m->created_at;
	t->speaker = speaker_of(l);
	t->text = text;
	t->cost = l->o->cost != NULL ? l->o->cost(l->o->cost_arg, m)
				     : (int64_t)(t->speaker.n + text.n) / 4 + 4;
	t->text = ctx_arena_copy(&l->r->arena, text);
	l->gap = false;
	return 0;
}

static int
add_recall_range(struct loader *l, int64_t first, int64_t last, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	if (ctx_cursor_open(&c, l->st, l->s, first, last, false, err) < 0)
		return -1;
	while ((rc = ctx_cursor_next(c, &m, err)) == 1)
		if (add_recall_turn(l, &m, err) < 0) {
			rc = -1;
			break;
		}
	ctx_cursor_close(c);
	return rc;
}

/* ---- candidates in a long session ---- */

/* Append those of the query's words that count, any of which may be in a turn: all, and
 * those that few messages have. */
static int
index_queries(
    struct loader *l, struct ctx_buf *all, struct ctx_buf *rare, struct ctx_err *err)
{
	struct ctx_buf word = CTX_BUF_INIT, one = CTX_BUF_INIT;
	struct ctx_words w;
	int n = 0, rc = 0;

	ctx_words_init(&w, l->o->query);
	while (rc == 0 && n < RECALL_TERMS_MAX && ctx_words_next(&w)) {
		int64_t count;
		if (w.emoji)
			continue;
		ctx_buf_reset(&word);
		ctx_words_fold(w.raw, &word);
		if (word.n == 0 || ctx_recall_stop_word(ctx_buf_span(&word)))
			continue;
		ctx_buf_reset(&one);
		ctx_fulltext_query(&one, w.raw, true);
		rc = ctx_fulltext_count(l->st, l->s, one.p, COMMON, &count, err);
		ctx_buf_addf(all, "%s%s", all->n > 0 ? " OR " : "", one.p);
		if (rc == 0 && count < COMMON)
			ctx_buf_addf(rare, "%s%s", rare->n > 0 ? " OR " : "", one.p);
		n++;
	}
	ctx_buf_release(&word);
	ctx_buf_release(&one);
	return rc;
}

static int
compare_recall_hit_seqs(const void *a, const void *b)
{
	const struct ctx_fulltext_hit *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int
add_hits(struct loader *l, struct ctx_fulltext_hit *hits, size_t n, struct ctx_err *err)
{
	int64_t done = 0;

	if (n > 0)
		qsort(hits, n, sizeof(*hits), compare_recall_hit_seqs);
	for (size_t i = 0; i < n && done < l->last; i++) {
		int64_t first = hits[i].seq - REACH, last = hits[i].seq + REACH;
		if (l->o->embedder != NULL && last > l->last - VECTORS_LATELY)
			break;
		if (first <= done)
			first = done + 1;
		else
			l->gap = true;
		if (last > l->last)
			last = l->last;
		if (add_recall_range(l, first, last, err) < 0)
			return -1;
		done = last;
	}
	if (l->o->embedder == NULL)
		return 0;
	l->gap |= done < l->last - VECTORS_LATELY;
	if (done < l->last - VECTORS_LATELY)
		done = l->last - VECTORS_LATELY;
	return add_recall_range(l, done + 1, l->last, err);
}

/* Append the best matches from message first_seq on. */
static int
find_recall_hits(struct loader *l, const struct ctx_buf *query, int64_t first_seq,
    struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err)
{
	struct ctx_fulltext_options o = {.query = query->p,
	    .sessions = &l->s->no,
	    .n_sessions = 1,
	    .roles = 1U << CTX_ROLE_USER | 1U << CTX_ROLE_ASSISTANT,
	    .since = CTX_TIME_NONE,
	    .until = CTX_TIME_NONE,
	    .first_seq = first_seq,
	    .last_seq = l->last,
	    .max = HITS_MAX};
	struct ctx_fulltext_hit *more;
	size_t n_more;

	if (query->n == 0)
		return 0;
	if (ctx_fulltext_search(l->st, &o, &more, &n_more, err) < 0)
		return -1;
	*hits = ctx_mem_resize(*hits, *n + n_more + 1, sizeof(**hits));
	if (n_more > 0)
		memcpy(*hits + *n, more, n_more * sizeof(*more));
	*n += n_more;
	free(more);
	return 0;
}

/* Rare words are looked for everywhere, common ones only in what was said lately: so the
 * number of matches that have to be scored is bounded. */
static int
add_matches(struct loader *l, struct ctx_err *err)
{
	struct ctx_buf all = CTX_BUF_INIT, rare = CTX_BUF_INIT;
	struct ctx_fulltext_hit *hits = NULL;
	size_t n = 0;
	int rc = index_queries(l, &all, &rare, err);

	if (rc == 0)
		rc = find_recall_hits(l, &rare, 1, &hits, &n, err);
	if (rc == 0 && rare.n != all.n)
		rc = find_recall_hits(
		    l, &all, l->last > LATELY ? l->last - LATELY : 1, &hits, &n, err);
	if (rc == 0)
		rc = add_hits(l, hits, n, err);
	free(hits);
	ctx_buf_release(&all);
	ctx_buf_release(&rare);
	return rc;
}

/* ---- vectors ---- */

static void
warn_missing(const struct loader *l, const struct ctx_embed_text *texts, size_t n)
{
	struct ctx_err err = CTX_ERR_INIT;
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		missing += texts[i].vector.n == 0;
	ctx_err_set(&err, CTX_EIO, "%zu of %zu earlier messages have no vector yet",
	    missing, n - 1);
	if (l->o->embed_failed != NULL)
		l->o->embed_failed(l->o->embed_arg, &err);
}

/* The query comes first, then the turns, the newest first, in case time runs out. */
static void
rank_by_vectors(struct loader *l)
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

/* Choose what is quoted of long messages, and estimate what it costs. */
static void
choose_parts(struct loader *l)
{
	for (size_t i = 0; i < l->r->n; i++) {
		struct ctx_recall_turn *t = &l->r->turns[i];
		bool user = ctx_span_is(t->speaker, "user");
		if (t->parts > 1 && t->cost > (user ? WHOLE_MAX_USER : WHOLE_MAX))
			t->part_cost = (int64_t)(t->to - t->from + 3) / 4 + 4;
	}
}

/* Count the tokens of those turns that may be kept, the best of them, and take the others out:
 * counting all would take longer than ranking them. */
static void
count_best(struct loader *l)
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
	}
}

static int
load_recall_turns(struct loader *l, struct ctx_err *err)
{
	bool all = l->last <= ALL_MAX;
	int rc;

	if (!all && ctx_fulltext_catch_up(l->st, l->s, err) < 0)
		return -1;
	if (ctx_store_begin_read(l->st, err) < 0)
		return -1;
	rc = l->o->hidden ? 0
			  : ctx_store_hidden(l->st, l->s, &l->hidden, &l->n_hidden, err);
	if (rc == 0)
		rc = all ? add_recall_range(l, 1, l->last, err) : add_matches(l, err);
	ctx_store_end_read(l->st);
	return rc;
}

int
ctx_recall_select(struct ctx_recall *r, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_recall_options *o, struct ctx_err *err)
{
	struct loader l = {.r = r, .st = st, .s = s, .o = o, .parsed = CTX_MESSAGE_INIT};
	struct ctx_buf date = CTX_BUF_INIT;
	int64_t date_cost = 0;
	size_t n = 0;
	int rc;

	l.last = o->before_seq > 0 && o->before_seq <= s->last_seq ? o->before_seq - 1
								   : s->last_seq;
	if (o->cost == NULL) {
		format_date(&date, 0);
		date_cost = ctx_tokens_text(o->tokenizer, date.p, date.n);
	}
	rc = load_recall_turns(&l, err);
	if (rc == 0) {
		ctx_recall_rank(r->turns, r->n, o->query);
		if (o->embedder != NULL && r->n > 0)
			rank_by_vectors(&l);
		if (!o->whole)
			choose_parts(&l);
		if (o->cost == NULL)
			count_best(&l);
		r->cost = ctx_recall_fill(r->turns, r->n, o->budget, date_cost);
		for (size_t i = 0; i < r->n; i++)
			if (r->turns[i].keep)
				r->turns[n++] = r->turns[i];
		r->n = n;
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
	for (size_t i = 0; i < r->n; i++) {
		const struct ctx_recall_turn *t = &r->turns[i];
		if (i == 0 || t->sitting != t[-1].sitting)
			format_date(out, t->created_at);
		else if (t->seq != t[-1].seq + 1)
			ctx_buf_adds(out, LEFT_OUT);
		format_turn(out, r, t, t->part_cost == 0);
	}
}
