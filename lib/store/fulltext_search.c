/* Searching the full-text index. */
#include "store/fulltext.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "store/engine_table.h"
#include "store/fulltext_text.h"
#include "store/row.h"
#include "words/words.h"

/* ---- queries typed by people ---- */

/* Appends the words of a piece as one quoted phrase. Inside quotes, only '"' is special
 * to FTS5, and no word contains it. */
static void
add_phrase(struct ctx_buf *out, struct ctx_span piece, bool prefix, bool any)
{
	struct ctx_words w, ahead;
	bool found = false, after_pair = false;

	ctx_words_init(&w, piece);
	while (ctx_words_next(&w)) {
		bool alone = w.pair && !w.more;
		ahead = w;
		if (alone && !ctx_words_next(&ahead)) {
			/* In the index the run of characters may continue: the last pair
			 * is enough, or, for a single character, all pairs that begin
			 * with it. */
			if (after_pair)
				break;
			prefix = true;
		}
		if (found)
			ctx_buf_addc(out, ' ');
		else
			ctx_buf_adds(out, out->n == 0 ? "\"" : any ? " OR \"" : " \"");
		found = true;
		if (w.pair)
			ctx_buf_addspan(out, w.raw);
		else
			ctx_words_space(w.raw, out); /* folded as in the index */
		after_pair = w.pair && w.more;
	}
	if (found)
		ctx_buf_adds(out, prefix ? "\" *" : "\"");
}

static bool
is_search_whitespace(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void
ctx_fulltext_query(struct ctx_buf *out, struct ctx_span typed, bool any)
{
	const char *p = typed.p, *end = typed.p + typed.n;
	struct ctx_buf query = CTX_BUF_INIT;

	while (p < end) {
		const char *start = p;
		const char *close = *p == '"' ? memchr(p + 1, '"', (size_t)(end - p - 1))
					      : NULL;
		if (close != NULL) {
			add_phrase(&query,
			    (struct ctx_span){p + 1, (size_t)(close - p - 1)},
			    close[-1] == '*', any);
			p = close + 1;
			continue;
		}
		while (p < end && *p != '"' && !is_search_whitespace(*p))
			p++;
		if (p > start)
			add_phrase(&query, (struct ctx_span){start, (size_t)(p - start)},
			    p[-1] == '*', any);
		else
			p++;
	}
	ctx_buf_addspan(out, ctx_buf_span(&query));
	ctx_buf_release(&query);
}

/* ---- visible sessions ---- */

/* Finds the visible ones among the given sessions or, if none are given, all visible
 * sessions. */
static int
find_visible(struct ctx_store *st, const struct ctx_fulltext_options *o,
    struct ctx_numbers *nos, struct ctx_err *err)
{
	static const struct ctx_whole what = {"session", "no", 1, CTX_SESSION_NO_MAX};
	struct ctx_buf sql = CTX_BUF_INIT;
	int rc = 0;

	ctx_buf_addf(&sql,
	    "SELECT no "
	    "FROM session "
	    "WHERE status <> 2 AND %s %s%s",
	    ctx_store_shown(st),
	    o->user_id == NULL ? ""
			       : "AND no IN ("
				 "SELECT no "
				 "FROM session "
				 "WHERE user_id = ?2 "
				 "UNION ALL SELECT session_no "
				 "FROM share "
				 "WHERE user_id = ?2) ",
	    o->sessions == NULL ? "ORDER BY no" : "AND no = ?3");
	for (size_t i = 0; rc == 0 && i < (o->sessions == NULL ? 1 : o->n_sessions); i++)
		rc = ctx_stmt_list(&st->db, sql.p,
		    CTX_VALUES(ctx_str(st->tenant), ctx_str(o->user_id),
			ctx_int(o->sessions == NULL ? 0 : o->sessions[i])),
		    what, nos, err);
	if (nos->n > 0)
		ctx_session_nos_sort(nos->v, nos->n);
	ctx_buf_release(&sql);
	return rc;
}

/* ---- best matches ---- */

struct finder {
	struct ctx_store *st;
	struct ctx_db *db;
	const struct ctx_fulltext_options *o;
	struct ctx_numbers visible;    /* numbers of the visible sessions, ascending */
	struct ctx_fulltext_hit *heap; /* heap of the best hits, the worst at the top */
	size_t n;
	/* score of the worst hit, set once there are o->max hits */
	struct ctx_score_floor floor;
	bool searched; /* a range of rows was searched before */
};

static bool
is_worse_hit(const struct ctx_fulltext_hit *a, const struct ctx_fulltext_hit *b)
{
	if (a->score != b->score)
		return a->score < b->score;
	if (a->order != b->order)
		return a->order < b->order;
	return a->seq < b->seq;
}

static void
sift_down(struct ctx_fulltext_hit *heap, size_t n, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
			if (is_worse_hit(&heap[child], &heap[least]))
				least = child;
		if (least == i)
			return;
		struct ctx_fulltext_hit t = heap[i];
		heap[i] = heap[least];
		heap[least] = t;
		i = least;
	}
}

static void
push_search_hit(struct finder *f, const struct ctx_fulltext_hit *h)
{
	if (f->n < f->o->max) {
		f->heap = ctx_mem_resize(f->heap, f->n + 1, sizeof(*f->heap));
		f->heap[f->n++] = *h;
		if (f->n == f->o->max)
			for (size_t i = f->n / 2; i-- > 0;)
				sift_down(f->heap, f->n, i);
	} else {
		f->heap[0] = *h;
		sift_down(f->heap, f->n, 0);
	}
	f->floor.set = f->n == f->o->max;
	f->floor.score = f->heap[0].score;
}

static bool
too_bad(const struct finder *f, const struct ctx_fulltext_hit *h)
{
	return f->n == f->o->max && (f->n == 0 || !is_worse_hit(&f->heap[0], h));
}

/* Checks the conditions for which the message must be looked up. Returns 1 if the hit
 * fits, 0 if not, -1 on error. */
static int
check_hit_filters(struct finder *f, const struct ctx_fulltext_hit *h, struct ctx_err *err)
{
	const struct ctx_fulltext_options *o = f->o;
	int64_t created_at;
	unsigned roles;
	int rc;

	if (o->roles == 0 && o->since == CTX_TIME_NONE && o->until == CTX_TIME_NONE)
		return 1;
	rc = ctx_fulltext_roles(
	    f->st, ctx_row_id(h->session_no, h->seq), &roles, &created_at, err);
	if (rc <= 0)
		return rc;
	return (o->roles == 0 || (o->roles & roles) != 0) &&
	       (o->since == CTX_TIME_NONE || created_at >= o->since) &&
	       (o->until == CTX_TIME_NONE || created_at < o->until);
}

/* The search of one range of rows: the session of the last match, and whether it is
 * visible. */
struct searching {
	struct finder *f;
	int64_t last_no;
	bool seen;
};

static int
take_search_hit(void *arg, int64_t id, double score, struct ctx_err *err)
{
	struct searching *s = arg;
	struct ctx_fulltext_hit h = {id >> 32, ctx_row_seq(id), score, 0};
	int rc;

	h.order = ctx_store_session_order(s->f->st, h.session_no);
	if (h.session_no != s->last_no)
		s->seen = ctx_seq_among(s->f->visible.v, s->f->visible.n, h.session_no);
	s->last_no = h.session_no;
	if (!s->seen || too_bad(s->f, &h))
		return 0;
	rc = check_hit_filters(s->f, &h, err);
	if (rc == 1)
		push_search_hit(s->f, &h);
	return rc < 0 ? -1 : 0;
}

static int
search_range(struct finder *f, int64_t first_id, int64_t last_id, struct ctx_err *err)
{
	struct ctx_index_query query = {
	    f->o->query, first_id, last_id, &f->floor, f->searched};
	struct searching s = {f, -1, false};

	f->searched = true;
	return f->db->engine->index_search(f->db, &query, take_search_hit, &s, err);
}

static int
best_first(const void *a, const void *b)
{
	return is_worse_hit(a, b) ? 1 : is_worse_hit(b, a) ? -1 : 0;
}

static int
search_all(struct finder *f, struct ctx_err *err)
{
	const struct ctx_fulltext_options *o = f->o;
	int64_t first = o->first_seq, last = o->last_seq > 0 ? o->last_seq : CTX_SEQ_MAX;

	if (o->sessions == NULL)
		return search_range(f, 0, INT64_MAX, err);
	for (size_t i = 0; i < o->n_sessions; i++)
		if (search_range(f, ctx_row_id(o->sessions[i], first),
			ctx_row_id(o->sessions[i], last), err) < 0)
			return -1;
	return 0;
}

int
ctx_fulltext_search(struct ctx_store *st, const struct ctx_fulltext_options *o,
    struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err)
{
	struct finder f = {.st = st, .o = o, .db = ctx_store_derived(st, err)};
	int rc = -1;

	*hits = NULL;
	*n = 0;
	if (f.db != NULL && find_visible(st, o, &f.visible, err) == 0)
		rc = search_all(&f, err);
	free(f.visible.v);
	if (rc < 0) {
		free(f.heap);
		return -1;
	}
	if (f.n > 0)
		qsort(f.heap, f.n, sizeof(*f.heap), best_first);
	*hits = f.heap;
	*n = f.n;
	return 0;
}

int
ctx_fulltext_count(struct ctx_store *st, const struct ctx_session *s, const char *query,
    int64_t max, int64_t *n, struct ctx_err *err)
{
	struct ctx_index_query match = {
	    query, ctx_row_id(s->no, 1), ctx_row_id(s->no, CTX_SEQ_MAX), NULL, true};
	struct ctx_db *db = ctx_store_derived(st, err);

	return db == NULL ? -1 : db->engine->index_count(db, &match, max, n, err);
}
