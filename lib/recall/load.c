/* Recall from the store: reads the candidate turns. */
#include "recall/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "recall/internal.h"
#include "store/fulltext.h"
#include "store/purge.h"
#include "words/words.h"

/* A session with up to so many messages and tokens is read as a whole. Vectors do not
 * depend on the limit of tokens, because they take much longer than reading. */
#define ALL_MAX 4096
#define ALL_TOKENS 400000
#define HITS_MAX 150 /* maximum number of matches that are used in a longer session */
#define EVERYWHERE_MAX 100 /* maximum number of matches in several sessions together */
#define COMMON 10000       /* a word with this many matches is common */
#define LATELY 20000 /* common words are searched only in this many newest messages */
#define REACH 3      /* number of messages read on either side of a match */
/* In a session whose messages are long on average, the words of a match say more, and
 * its neighbours cost more to read: more matches are used, and fewer messages around. */
#define LONG_MEAN 200 /* tokens */
#define LONG_HITS_MAX 250
#define LONG_REACH 1
#define VECTORS_LATELY 1000 /* number of newest messages that are ranked by vectors */

static bool
has_long_messages(const struct ctx_session *s)
{
	return s != NULL && s->token_count > LONG_MEAN * s->message_count;
}

static struct ctx_span
speaker_of(struct recall_loader *l)
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

static void
add_recall_text(struct recall_loader *l, int64_t seq, int64_t created_at,
    struct ctx_span speaker, struct ctx_span text)
{
	struct ctx_recall_turn *t;

	CTX_MEM_GROW(l->r->turns, l->r->n, l->cap);
	t = &l->r->turns[l->r->n++];
	memset(t, 0, sizeof(*t));
	t->session_no = l->s->no;
	t->seq = seq;
	t->gap = l->gap;
	t->created_at = created_at;
	t->speaker = speaker;
	t->cost = (int64_t)(speaker.n + text.n) / 4 + 4;
	t->text = ctx_arena_copy(&l->r->arena, text);
	l->gap = false;
}

/* such as "<task-notification>…" or "[Request interrupted by user]" */
static bool
is_program_note(struct ctx_span text)
{
	return (text.p[0] == '<' && text.n > 1 && ctx_is_lower(text.p[1])) ||
	       (text.p[0] == '[' && text.p[text.n - 1] == ']');
}

static int
add_recall_turn(struct recall_loader *l, const struct ctx_stored *m, struct ctx_err *err)
{
	struct ctx_span text;

	if ((m->role != CTX_ROLE_USER && m->role != CTX_ROLE_ASSISTANT) ||
	    ctx_seq_range_at(l->hidden, l->n_hidden, m->seq) != NULL)
		return 0;
	if (ctx_message_parse(&l->parsed, m->message, err) < 0)
		return -1;
	/* results of tools are not turns, even if a provider puts them into user
	 * messages */
	if (ctx_message_count(&l->parsed, CTX_PART_TOOL_RESULT) > 0)
		return 0;
	ctx_buf_reset(&l->text);
	ctx_message_text(&l->parsed, &l->text);
	text = ctx_span_trim(ctx_buf_span(&l->text));
	if (text.n == 0)
		return 0;
	add_recall_text(l, m->seq, m->created_at, speaker_of(l), text);
	l->r->turns[l->r->n - 1].aside = m->role == CTX_ROLE_USER
					     ? is_program_note(text)
					     : ctx_message_count(
						   &l->parsed, CTX_PART_TOOL_CALL) > 0;
	if (l->o->cost != NULL)
		l->r->turns[l->r->n - 1].cost = l->o->cost(l->o->cost_arg, m);
	return 0;
}

static int
add_recall_range(
    struct recall_loader *l, int64_t first, int64_t last, struct ctx_err *err)
{
	struct ctx_cursor *c = ctx_cursor_open(l->st, l->s, first, last, false, err);
	struct ctx_stored m;
	int rc;

	while ((rc = ctx_cursor_next(c, &m, err)) == 1)
		if (add_recall_turn(l, &m, err) < 0) {
			rc = -1;
			break;
		}
	ctx_cursor_close(c);
	return rc;
}

/* ---- candidates in a long session ---- */

/* Appends two full-text queries, in which any word may match: all significant words of
 * the query, and those of them that are not common. */
static int
index_queries(struct recall_loader *l, struct ctx_buf *all, struct ctx_buf *rare,
    struct ctx_err *err)
{
	struct ctx_buf word = CTX_BUF_INIT, one = CTX_BUF_INIT;
	struct ctx_words w;
	int n = 0, rc = 0;

	ctx_words_init(&w, l->o->query);
	while (rc == 0 && n < RECALL_TERMS_MAX && ctx_words_next(&w)) {
		int64_t count = 0;
		if (w.emoji)
			continue;
		ctx_buf_reset(&word);
		ctx_words_fold(w.raw, &word);
		if (word.n == 0 || ctx_recall_stop_word(ctx_buf_span(&word)))
			continue;
		ctx_buf_reset(&one);
		ctx_fulltext_query(&one, w.raw, true);
		if (l->s != NULL)
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

	return CTX_ORDER(x->seq, y->seq);
}

static int
add_hits(
    struct recall_loader *l, struct ctx_fulltext_hit *hits, size_t n, struct ctx_err *err)
{
	int64_t done = 0;

	if (n > 0)
		qsort(hits, n, sizeof(*hits), compare_recall_hit_seqs);
	for (size_t i = 0; i < n && done < l->last; i++) {
		int64_t first = hits[i].seq - l->reach, last = hits[i].seq + l->reach;
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

/* Appends the best matches from message first_seq on. */
static int
find_recall_hits(struct recall_loader *l, const struct ctx_buf *query, int64_t first_seq,
    struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err)
{
	struct ctx_fulltext_options o = {.query = query->p,
	    .sessions = l->s != NULL ? &l->s->no : l->o->sessions,
	    .n_sessions = l->s != NULL ? 1 : l->o->n_sessions,
	    .user_id = l->s != NULL ? NULL : l->o->user_id,
	    .roles = 1U << CTX_ROLE_USER | 1U << CTX_ROLE_ASSISTANT,
	    .since = CTX_TIME_NONE,
	    .until = CTX_TIME_NONE,
	    .first_seq = first_seq,
	    .last_seq = l->last,
	    .max = l->s == NULL              ? EVERYWHERE_MAX
		   : has_long_messages(l->s) ? LONG_HITS_MAX
					     : HITS_MAX};
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

/* Rare words are searched in the whole session, common words only in the latest messages.
 * This limits the number of matches to score. */
static int
add_matches(struct recall_loader *l, struct ctx_err *err)
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

/* ---- candidates in several sessions ---- */

/* Adds candidates of a session whose messages are only in its archive, from the texts
 * that the full-text index keeps. */
static int
add_kept_hits(struct recall_loader *l, const struct ctx_fulltext_hit *hits, size_t n,
    struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int64_t done = 0;
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		int64_t seq = hits[i].seq > l->reach ? hits[i].seq - l->reach : 1;
		if (seq <= done)
			seq = done + 1;
		else
			l->gap = true;
		for (; seq <= hits[i].seq + l->reach && rc >= 0; seq++) {
			int role;
			int64_t created_at;
			ctx_buf_reset(&text);
			rc = ctx_fulltext_kept(
			    l->st, l->s->no, seq, &text, &role, &created_at, err);
			if (rc == 1 &&
			    (role == CTX_ROLE_USER || role == CTX_ROLE_ASSISTANT) &&
			    text.n > 0)
				add_recall_text(l, seq, created_at,
				    ctx_span_of(ctx_role_name((enum ctx_role)role)),
				    ctx_buf_span(&text));
			done = seq;
		}
	}
	ctx_buf_release(&text);
	return rc < 0 ? -1 : 0;
}

/* Adds the matches in one session, in ascending order, and the messages around them. */
static int
add_session_hits(struct recall_loader *l, struct ctx_session *s,
    struct ctx_fulltext_hit *hits, size_t n, struct ctx_err *err)
{
	int rc = 0;

	l->s = s;
	l->last = s->last_seq;
	l->gap = true; /* a sitting does not continue into another session */
	if (ctx_archive_cleaned(s)) {
		rc = add_kept_hits(l, hits, n, err);
	} else {
		if (!l->o->hidden)
			rc = ctx_store_hidden(l->st, s, &l->hidden, &l->n_hidden, err);
		if (rc == 0)
			rc = add_hits(l, hits, n, err);
		free(l->hidden);
		l->hidden = NULL;
		l->n_hidden = 0;
	}
	l->s = NULL;
	return rc < 0 ? -1 : 0;
}

static int
compare_recall_hit_sessions(const void *a, const void *b)
{
	const struct ctx_fulltext_hit *x = a, *y = b;

	return x->order != y->order ? CTX_ORDER(x->order, y->order)
				    : compare_recall_hit_seqs(a, b);
}

static int
add_matches_everywhere(struct recall_loader *l, struct ctx_err *err)
{
	struct ctx_buf all = CTX_BUF_INIT, rare = CTX_BUF_INIT;
	struct ctx_fulltext_hit *hits = NULL;
	struct ctx_session s = CTX_SESSION_INIT;
	size_t n = 0, end;
	int rc = index_queries(l, &all, &rare, err);

	l->last = 0;
	if (rc == 0)
		rc = find_recall_hits(l, &all, 0, &hits, &n, err);
	if (rc == 0 && n > 0)
		qsort(hits, n, sizeof(*hits), compare_recall_hit_sessions);
	for (size_t i = 0; i < n && rc >= 0; i = end) {
		for (end = i + 1; end < n && hits[end].session_no == hits[i].session_no;)
			end++;
		ctx_session_release(&s);
		rc = ctx_store_session_numbered(l->st, hits[i].session_no, &s, err);
		if (rc == 1)
			rc = add_session_hits(l, &s, hits + i, end - i, err);
	}
	ctx_session_release(&s);
	free(hits);
	ctx_buf_release(&all);
	ctx_buf_release(&rare);
	return rc < 0 ? -1 : 0;
}

static int
load_everywhere(struct recall_loader *l, struct ctx_err *err)
{
	const struct ctx_recall_options *o = l->o;
	int rc = o->sessions != NULL
		     ? ctx_fulltext_catch_up_with(l->st, o->sessions, o->n_sessions, err)
		     : ctx_fulltext_catch_up(l->st, NULL, err);

	if (rc < 0 || ctx_store_begin_read(l->st, err) < 0)
		return -1;
	rc = add_matches_everywhere(l, err);
	ctx_store_end_read(l->st);
	return rc;
}

int
ctx_recall_load(struct recall_loader *l, struct ctx_err *err)
{
	bool all;
	int rc;

	l->reach = has_long_messages(l->s) ? LONG_REACH : REACH;
	if (l->s == NULL)
		return load_everywhere(l, err);
	all = l->last <= ALL_MAX &&
	      (l->o->embedder != NULL || l->s->token_count <= ALL_TOKENS);
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
