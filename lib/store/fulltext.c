#include "store/fulltext.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/engine_table.h"
#include "store/fulltext_text.h"
#include "store/row.h"
#include "words/words.h"

/* Messages and bytes that are indexed per transaction: with fewer, the index is written
 * more often; with more, other writers wait longer. */
#define CHUNK_MESSAGES 10000
#define CHUNK_BYTES ((size_t)32 << 20)

/* Version of the form in which words are indexed, by ctx_words_space and
 * ctx_message_text. Increase it with each change. 2: full case folding; 3: emoji. */
#define FORM 3

/* ---- indexing ---- */

struct taker {
	struct ctx_store *st;
	struct ctx_db *db;
	struct ctx_buf spaced;
	int64_t n;       /* number of messages indexed in this transaction */
	int64_t last_id; /* row id of the message indexed last */
	size_t bytes;
};

static bool
is_fulltext_chunk_full(const struct taker *t)
{
	return t->n >= CHUNK_MESSAGES || t->bytes >= CHUNK_BYTES;
}

/* Returns the text in the form in which it is indexed, valid until the next call. */
static struct ctx_span
space_text(struct taker *t, struct ctx_span text)
{
	ctx_buf_reset(&t->spaced);
	ctx_words_space(text.p == NULL ? ctx_span_of("") : text, &t->spaced);
	return t->spaced.p == NULL ? ctx_span_of("") : ctx_buf_span(&t->spaced);
}

static int
take_in(void *arg, int64_t id, struct ctx_span text, int role CTX_UNUSED,
    int64_t created_at CTX_UNUSED, struct ctx_err *err)
{
	struct taker *t = arg;

	t->n++;
	t->last_id = id;
	t->bytes += text.n;
	if (t->db->engine->index_add(t->db, id, space_text(t, text), err) < 0)
		return -1;
	return is_fulltext_chunk_full(t);
}

/* ---- sessions to index ---- */

struct pending {
	int64_t no, mark, last_seq;
	bool kept; /* the messages to index are kept texts */
};

/* Lists the sessions that have messages after their marks. Sessions and marks are read in
 * parallel, both ordered by number. */
static int
list_pending_fulltext(struct ctx_store *st, struct ctx_db *db, struct ctx_numbers *list,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "session",
	    "SELECT no, last_seq FROM session WHERE " CTX_SESSION_HAS_BODIES
	    " ORDER BY no",
	    NULL, 0, err);
	struct ctx_row marks = ctx_rows(db, "mark",
	    "SELECT session_no, seq "
	    "FROM mark "
	    "WHERE kind = 'fulltext' "
	    "ORDER BY session_no",
	    NULL, 0, err);
	bool more = ctx_rows_next(&marks);
	int rc;

	while (!marks.wrong && ctx_rows_next(&r)) {
		int64_t no = ctx_stmt_int64(r.q, 0), mark = 0;
		while (more && ctx_stmt_int64(marks.q, 0) < no)
			more = ctx_rows_next(&marks);
		if (more && ctx_stmt_int64(marks.q, 0) == no)
			mark = ctx_row_whole(&marks, 1, "seq", 0, CTX_SEQ_MAX);
		if (mark >= ctx_stmt_int64(r.q, 1))
			continue;
		CTX_MEM_GROW(list->v, list->n, list->cap);
		list->v[list->n++] = no;
	}
	rc = ctx_rows_end(&r);
	return ctx_rows_end(&marks) < 0 ? -1 : rc;
}

/* Tests whether the session has messages after its mark. Returns 1 with the other members
 * of *p set, 0 if not, -1 on error. Kept texts come first: if the session was restored,
 * the messages after them are in the store. */
static int
is_pending(struct ctx_store *st, struct pending *p, struct ctx_err *err)
{
	int rc;

	p->kept = false;
	if (ctx_fulltext_indexed(st, p->no, &p->mark, err) < 0 ||
	    ctx_derived_mark(st, CTX_FULLTEXT_WAITS, p->no, &p->last_seq, err) < 0)
		return -1;
	if (p->mark < p->last_seq) {
		rc = ctx_derived_wanted(st, p->no, err);
		p->kept = rc == 1;
		return rc;
	}
	rc = ctx_stmt_ints(&st->db,
	    "SELECT last_seq FROM session WHERE " CTX_SESSION_HAS_BODIES " AND no = ?1",
	    CTX_VALUES(ctx_int(p->no)), &p->last_seq, 1, err);
	return rc == 1 ? p->mark < p->last_seq : rc;
}

static int
take_fulltext_session(struct taker *t, const struct pending *p, struct ctx_err *err)
{
	int64_t before = t->n, wanted = CHUNK_MESSAGES - t->n, mark = p->last_seq;
	int64_t from = ctx_row_id(p->no, p->mark + 1),
		to = ctx_row_id(p->no, p->last_seq);
	int rc = p->kept
		     ? ctx_fulltext_each_kept(t->db, from, to, take_in, t, err)
		     : ctx_fulltext_each_body(t->st, from, to, wanted, take_in, t, err);

	if (rc < 0)
		return -1;
	/* fewer messages than requested: the session is complete */
	if (t->n - before == wanted || t->bytes >= CHUNK_BYTES)
		mark = ctx_row_seq(t->last_id);
	if (p->kept && mark == p->last_seq &&
	    ctx_stmt_do(t->db,
		"DELETE FROM mark "
		"WHERE session_no = ?1 AND kind = '" CTX_FULLTEXT_WAITS "'",
		CTX_VALUES(ctx_int(p->no)), err) < 0)
		return -1;
	return ctx_derived_set_mark(t->st, "fulltext", p->no, mark, err);
}

/* Indexes sessions from list[*at] on in one transaction on the derived file, which reads
 * one snapshot of the store. *at is set to the session to continue with. Other processes
 * may have indexed some of them meanwhile. */
static int
take_chunk(struct taker *t, const int64_t *list, int n, int *at, struct ctx_err *err)
{
	double inside = 0; /* share of the current session that is indexed */
	int rc;

	t->n = 0;
	t->bytes = 0;
	if (ctx_db_begin(t->db, err) < 0)
		return -1;
	rc = ctx_store_begin_read(t->st, err);
	while (rc >= 0 && *at < n && !is_fulltext_chunk_full(t)) {
		struct pending p = {.no = list[*at]};
		rc = is_pending(t->st, &p, err);
		if (rc == 1)
			rc = take_fulltext_session(t, &p, err);
		/* a session that filled the transaction, or one with kept texts, may have
		 * more messages */
		if (rc >= 0 && !is_fulltext_chunk_full(t) && !p.kept)
			++*at;
		else if (rc >= 0 && is_fulltext_chunk_full(t))
			inside = (double)ctx_row_seq(t->last_id) / (double)p.last_seq;
	}
	ctx_store_end_read(t->st);
	rc = ctx_db_end(t->db, rc < 0 ? -1 : 0, err);
	if (rc == 0 && t->st->progress != NULL)
		t->st->progress(
		    t->n, "messages indexed", ((double)*at + inside) / (double)n);
	return rc;
}

static int
take_all(struct ctx_store *st, const int64_t *list, int n, struct ctx_err *err)
{
	struct taker t = {.st = st, .db = ctx_store_derived(st, err)};
	int at = 0, rc = t.db == NULL ? -1 : 0;

	while (rc == 0 && at < n)
		rc = take_chunk(&t, list, n, &at, err);
	ctx_buf_release(&t.spaced);
	return rc;
}

/* ---- rebuilding ---- */

/* Empties the index and its marks. All messages in the store are then to be indexed
 * again, and so are the kept texts. */
static int
start_again(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	int64_t made;

	if (db == NULL || db->engine->index_clear(db, err) < 0 ||
	    ctx_stmt_exec(db,
		"DELETE FROM mark "
		"WHERE kind IN ('fulltext', '" CTX_FULLTEXT_WAITS "')",
		err) < 0 ||
	    ctx_stmt_exec(db,
		"INSERT INTO mark (kind, session_no, seq) "
		"SELECT '" CTX_FULLTEXT_WAITS "', id >> 32, max(id & 4294967295) "
		"FROM fulltext_kept "
		"GROUP BY id >> 32",
		err) < 0 ||
	    ctx_derived_set_mark(st, "fulltext-form", 0, FORM, err) < 0 ||
	    ctx_fulltext_made(st, &made, err) < 0)
		return -1;
	return ctx_derived_set_mark(st, "fulltext-made", 0, made + 1, err);
}

static int
clear_index(struct ctx_store *st, struct ctx_err *err)
{
	return ctx_derived_begin(st, err) < 0
		   ? -1
		   : ctx_derived_end(st, start_again(st, err), err);
}

int
ctx_fulltext_rebuild(struct ctx_store *st, struct ctx_err *err)
{
	return clear_index(st, err) < 0 ? -1 : ctx_fulltext_catch_up(st, NULL, err);
}

int
ctx_fulltext_forget_words(struct ctx_store *st, struct ctx_err *err)
{
	/* on a server, rows and their words are deleted by their ids */
	return ctx_db_is_whole(&st->db) || !ctx_derived_exists(st) ? 0
								   : clear_index(st, err);
}

/* Returns 1 if the index has the form of this version, 0 if not, -1 on error. */
static int
has_form(struct ctx_store *st, struct ctx_err *err)
{
	int64_t form;

	return ctx_derived_mark(st, "fulltext-form", 0, &form, err) < 0 ? -1
									: form >= FORM;
}

int
ctx_fulltext_made(struct ctx_store *st, int64_t *n, struct ctx_err *err)
{
	return ctx_derived_mark(st, "fulltext-made", 0, n, err);
}

/* Empties an index that has another form, so that it is rebuilt. Kept texts are
 * preserved. */
static int
ensure_form(struct ctx_store *st, struct ctx_err *err)
{
	int rc = has_form(st, err);

	if (rc != 0 || ctx_derived_begin(st, err) < 0)
		return rc == 1 ? 0 : -1;
	rc = has_form(st, err); /* another process may have done it */
	if (rc == 0)
		rc = start_again(st, err);
	return ctx_derived_end(st, rc < 0 ? -1 : 0, err);
}

int
ctx_fulltext_catch_up_with(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err)
{
	return ensure_form(st, err) < 0 ? -1 : take_all(st, sessions, (int)n, err);
}

int
ctx_fulltext_catch_up(
    struct ctx_store *st, const struct ctx_session *only, struct ctx_err *err)
{
	static const struct ctx_whole any = {"mark", "session_no", INT64_MIN, INT64_MAX};
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_numbers list = {NULL, 0, 0};
	int rc;

	if (db == NULL || ensure_form(st, err) < 0)
		return -1;
	if (only != NULL) {
		struct pending p = {.no = only->no};
		rc = is_pending(st, &p, err);
		return rc == 1 ? take_all(st, &p.no, 1, err) : rc;
	}
	/* first the sessions whose kept texts are to be indexed */
	rc = ctx_stmt_list(db,
	    "SELECT session_no "
	    "FROM mark "
	    "WHERE kind = '" CTX_FULLTEXT_WAITS "' "
	    "ORDER BY session_no",
	    NULL, 0, any, &list, err);
	if (rc == 0)
		rc = take_all(st, list.v, (int)list.n, err);
	list.n = 0;
	if (rc == 0)
		rc = list_pending_fulltext(st, db, &list, err);
	if (rc == 0)
		rc = take_all(st, list.v, (int)list.n, err);
	free(list.v);
	return rc;
}

/* ---- deleted sessions ---- */

/* The rows of sessions in the index, for ctx_index_erase_fn. */
struct indexed {
	struct taker *t;
	const int64_t *no;
	size_t n;
	ctx_index_row_fn *fn;
	void *arg;
};

static int
pass_indexed(void *arg, int64_t id, struct ctx_span text, int role CTX_UNUSED,
    int64_t created_at CTX_UNUSED, struct ctx_err *err)
{
	struct indexed *i = arg;

	i->t->n++;
	return i->fn(i->arg, id, space_text(i->t, text), err);
}

/* Passes the session's messages up to the mark: the kept texts, then messages in the
 * store that are not kept. Returns 1 if all were passed, 0 if some texts are in neither
 * place, -1 on error. */
static int
pass_indexed_session(struct indexed *i, int64_t no, struct ctx_err *err)
{
	struct taker *t = i->t;
	int64_t before = t->n, mark, kept;

	if (ctx_fulltext_indexed(t->st, no, &mark, err) < 0 ||
	    ctx_fulltext_last_kept(t->st, no, &kept, err) < 0 ||
	    ctx_fulltext_each_kept(t->db, ctx_row_id(no, 1), ctx_row_id(no, mark),
		pass_indexed, i, err) < 0 ||
	    ctx_fulltext_each_body(t->st, ctx_row_id(no, kept + 1), ctx_row_id(no, mark),
		CTX_SEQ_MAX, pass_indexed, i, err) < 0)
		return -1;
	return t->n - before >= mark;
}

static int
each_indexed(void *arg, ctx_index_row_fn *fn, void *fn_arg, struct ctx_err *err)
{
	struct indexed *i = arg;
	int rc = 1;

	i->fn = fn;
	i->arg = fn_arg;
	i->t->n = 0;
	for (size_t k = 0; rc == 1 && k < i->n; k++)
		rc = pass_indexed_session(i, i->no[k], err);
	return rc;
}

/* Passes texts that have the words of the sessions' messages, whatever is indexed. */
static int
pass_word_texts(void *arg, ctx_index_row_fn *fn, void *fn_arg, struct ctx_err *err)
{
	const struct indexed *i = arg;

	return ctx_fulltext_each_word_text(i->t->st, i->no, i->n, fn, fn_arg, err) < 0
		   ? -1
		   : 1;
}

static int
erase_fulltext_sessions(
    struct ctx_store *st, const int64_t *no, size_t n, int64_t *rows, struct ctx_err *err)
{
	static const char *const sql[] = {
	    "DELETE FROM fulltext_kept "
	    "WHERE id BETWEEN (?1 << 32) AND (?2 << 32 | 4294967295)",
	    "DELETE FROM mark "
	    "WHERE session_no BETWEEN ?1 AND ?2 "
	    "AND kind IN ('fulltext', '" CTX_FULLTEXT_WAITS "')",
	    NULL,
	};
	struct taker t = {.st = st, .db = ctx_store_derived(st, err)};
	struct indexed i = {.t = &t, .no = no, .n = n};
	struct ctx_index_rows texts = {each_indexed, pass_word_texts, &i};
	int64_t erased = 0, ignored = 0;
	/* words can only be removed from an index of the same form */
	int rc = t.db == NULL ? -1 : has_form(st, err);

	if (rc == 1)
		rc = t.db->engine->index_erase(t.db, no, n, &texts, &erased, err);
	for (size_t k = 0; rc >= 0 && k < n;) {
		struct ctx_session_run run = ctx_session_run_take(no, n, &k);
		if (ctx_stmt_each(t.db, sql,
			CTX_VALUES(ctx_int(run.first), ctx_int(run.last)), &ignored,
			err) < 0)
			rc = -1;
	}
	*rows += erased;
	ctx_buf_release(&t.spaced);
	return rc == 0 ? start_again(st, err) : rc < 0 ? -1 : 0;
}

static int
scrub_fulltext(struct ctx_store *st, bool again, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);

	return db == NULL ? -1 : ctx_index_scrub(db, again, err);
}

const struct ctx_derived_kind ctx_fulltext_kind[] = {{
    .name = "fulltext",
    .serves_archived = true,
    .erase_all = erase_fulltext_sessions,
    .clear = start_again,
    .scrub = scrub_fulltext,
    .catch_up = ctx_fulltext_catch_up,
}};
