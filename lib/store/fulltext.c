#include "store/fulltext.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/fulltext_erase.h"
#include "store/fulltext_text.h"
#include "store/row.h"
#include "words/words.h"

/* Messages and bytes taken in per transaction: with fewer the index is written more often,
 * with more others wait longer. */
#define CHUNK_MESSAGES 10000
#define CHUNK_BYTES ((size_t)32 << 20)

/* Counts up when words come to be indexed in another form, by ctx_words_space or by what
 * ctx_message_text finds. 2: with full case folding; 3: with emoji. */
#define FORM "3"

/* ---- taking in ---- */

struct taker {
	struct ctx_store *st;
	struct ctx_db *db;
	struct ctx_stmt *insert, *remove, *mark;
	struct ctx_word_list *words; /* of rows that are taken out */
	struct ctx_buf spaced;
	int64_t n;       /* messages of this transaction */
	int64_t last_id; /* that was taken in or out */
	size_t bytes;
};

static int
taker_open(struct taker *t, struct ctx_store *st, struct ctx_err *err)
{
	memset(t, 0, sizeof(*t));
	t->st = st;
	t->db = ctx_store_derived(st, err);
	if (t->db == NULL)
		return -1;
	t->insert = ctx_stmt_new(
	    t->db, "INSERT INTO fulltext (rowid, text) VALUES (?1, ?2)", err);
	t->remove = ctx_stmt_new(t->db,
	    "INSERT INTO fulltext (fulltext, rowid, text) VALUES ('delete', ?1, ?2)",
	    err);
	t->mark = ctx_stmt_new(t->db,
	    "INSERT INTO mark (kind, session_no, seq) "
	    "VALUES ('fulltext', ?1, ?2) "
	    "ON CONFLICT (kind, session_no) "
	    "DO UPDATE SET seq = excluded.seq",
	    err);
	return t->insert == NULL || t->remove == NULL || t->mark == NULL ? -1 : 0;
}

static void
taker_close(struct taker *t)
{
	ctx_stmt_free(t->db, t->insert);
	ctx_stmt_free(t->db, t->remove);
	ctx_stmt_free(t->db, t->mark);
	ctx_word_list_free(t->words);
	ctx_buf_release(&t->spaced);
}

static int
run_with(struct taker *t, struct ctx_stmt *q, int64_t id, struct ctx_span text,
    struct ctx_err *err)
{
	ctx_buf_reset(&t->spaced);
	ctx_words_space(text.p == NULL ? ctx_span_of("") : text, &t->spaced);
	ctx_stmt_bind_int64(q, 1, id);
	ctx_stmt_bind_span(
	    q, 2, t->spaced.p == NULL ? ctx_span_of("") : ctx_buf_span(&t->spaced));
	t->n++;
	t->last_id = id;
	t->bytes += text.n;
	return ctx_stmt_run(t->db, q, err);
}

static int
take_in(void *arg, int64_t id, struct ctx_span text, int role, int64_t created_at,
    struct ctx_err *err)
{
	struct taker *t = arg;

	(void)role;
	(void)created_at;
	if (run_with(t, t->insert, id, text, err) < 0)
		return -1;
	return t->bytes >= CHUNK_BYTES;
}

static int
take_out(void *arg, int64_t id, struct ctx_span text, int role, int64_t created_at,
    struct ctx_err *err)
{
	struct taker *t = arg;

	(void)role;
	(void)created_at;
	return run_with(t, t->remove, id, text, err);
}

/* ---- what is still to be done ---- */

struct pending {
	int64_t no, mark, last_seq;
};

/* The next sessions that are ahead of their marks, from number after + 1, at most max; both
 * lists are read in the order of their numbers. How many, or -1. */
static int
find_pending_fulltext(struct ctx_store *st, struct ctx_db *db, int64_t after,
    int64_t *out, int max, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_new(&st->db,
	    "SELECT no, last_seq FROM session WHERE " CTX_SESSION_HAS_BODIES
	    " AND no > ?1 ORDER BY no",
	    err);
	struct ctx_stmt *marks = ctx_stmt_new(db,
	    "SELECT session_no, seq "
	    "FROM mark "
	    "WHERE kind = 'fulltext' AND session_no > ?1 "
	    "ORDER BY session_no",
	    err);
	int n = 0, rc = -1, more = 1;

	if (q == NULL || marks == NULL)
		goto done;
	ctx_stmt_bind_int64(q, 1, after);
	ctx_stmt_bind_int64(marks, 1, after);
	more = ctx_stmt_step(db, marks, err);
	while (n < max && (rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		struct ctx_row r = {db, marks, "mark", err, false};
		int64_t no = ctx_stmt_int64(q, 0), mark = 0;
		while (more == 1 && ctx_stmt_int64(marks, 0) < no)
			more = ctx_stmt_step(db, marks, err);
		if (more == 1 && ctx_stmt_int64(marks, 0) == no)
			mark = ctx_row_whole(&r, 1, "seq", 0, CTX_SEQ_MAX);
		if ((rc = ctx_row_end(&r)) < 0)
			break;
		if (mark < ctx_stmt_int64(q, 1))
			out[n++] = no;
	}
done:
	ctx_stmt_free(&st->db, q);
	ctx_stmt_free(db, marks);
	return rc < 0 || more < 0 ? -1 : n;
}

/* Is the session, as it is now, ahead of its mark? 1 and p->mark, p->last_seq; 0; -1. */
static int
is_pending(struct ctx_store *st, struct pending *p, struct ctx_err *err)
{
	struct ctx_session s = {.no = p->no};
	int rc = ctx_stmt_ints(&st->db,
	    "SELECT last_seq FROM session WHERE " CTX_SESSION_HAS_BODIES " AND no = ?1",
	    CTX_VALUES(ctx_int(p->no)), &p->last_seq, 1, err);

	if (rc == 1 && ctx_derived_mark(st, "fulltext", &s, &p->mark, err) < 0)
		return -1;
	return rc == 1 ? p->mark < p->last_seq : rc;
}

static bool
is_fulltext_chunk_full(const struct taker *t)
{
	return t->n >= CHUNK_MESSAGES || t->bytes >= CHUNK_BYTES;
}

static int
take_fulltext_session(struct taker *t, const struct pending *p, struct ctx_err *err)
{
	int64_t before = t->n, wanted = CHUNK_MESSAGES - t->n, mark = p->last_seq,
		done = 0;

	if (p->mark == 0 && ctx_fulltext_last_kept_of(t->db, p->no, &done, err) < 0)
		return -1;
	if (done < p->mark)
		done = p->mark;
	if (ctx_fulltext_each_body(t->st, ctx_row_id(p->no, done + 1),
		ctx_row_id(p->no, p->last_seq), wanted, take_in, t, err) < 0)
		return -1;
	/* fewer than asked for: that was all there is */
	if (t->n - before == wanted || t->bytes >= CHUNK_BYTES)
		mark = ctx_row_seq(t->last_id);
	ctx_stmt_bind_int64(t->mark, 1, p->no);
	ctx_stmt_bind_int64(t->mark, 2, mark);
	return ctx_stmt_run(t->db, t->mark, err);
}

/* One transaction of the derived file over one snapshot of the store, from session *at of n
 * on; *at is where to go on. Other processes may have been at it meanwhile. */
static int
take_chunk(struct taker *t, const int64_t *list, int n, int *at, struct ctx_err *err)
{
	double inside = 0; /* of the session at hand */
	int rc = -1;

	t->n = 0;
	t->bytes = 0;
	if (ctx_db_begin(t->db, err) < 0)
		return -1;
	if (ctx_store_begin_read(t->st, err) < 0)
		goto done;
	rc = 0;
	while (rc >= 0 && *at < n && !is_fulltext_chunk_full(t)) {
		struct pending p = {list[*at], 0, 0};
		rc = is_pending(t->st, &p, err);
		if (rc == 1)
			rc = take_fulltext_session(t, &p, err);
		/* a session that filled the chunk may have more */
		if (rc >= 0 && !is_fulltext_chunk_full(t))
			++*at;
		else if (rc >= 0)
			inside = (double)ctx_row_seq(t->last_id) / (double)p.last_seq;
	}
	ctx_store_end_read(t->st);
	if (rc >= 0)
		rc = ctx_db_commit(t->db, err);
	if (rc == 0 && t->st->progress != NULL)
		t->st->progress(
		    t->n, "messages indexed", ((double)*at + inside) / (double)n);
done:
	ctx_db_rollback(t->db);
	return rc;
}

static int
take_all(struct ctx_store *st, const int64_t *list, int n, struct ctx_err *err)
{
	struct taker t;
	int at = 0, rc = taker_open(&t, st, err);

	while (rc == 0 && at < n)
		rc = take_chunk(&t, list, n, &at, err);
	taker_close(&t);
	return rc;
}

/* ---- anew ---- */

/* Empty the index but for kept texts; what is in the store is behind its marks then. */
static int
start_again(struct taker *t, struct ctx_err *err)
{
	if (ctx_stmt_exec(t->db,
		"INSERT INTO fulltext (fulltext) "
		"VALUES ('delete-all'); "
		"DELETE FROM mark "
		"WHERE kind = 'fulltext'; "
		"INSERT OR REPLACE INTO mark (kind, session_no, seq) "
		"VALUES ('fulltext-cut', 0, 1), ('fulltext-form', 0, " FORM
		");INSERT INTO mark (kind, session_no, seq) VALUES ('fulltext-made', 0, 1) ON "
		"CONFLICT (kind, session_no) DO UPDATE SET seq = seq + 1",
		err) < 0)
		return -1;
	for (int64_t next = 0;; next = t->last_id + 1) { /* take_in stops now and then */
		t->bytes = 0;
		if (ctx_fulltext_each_kept(t->db, next, INT64_MAX, take_in, t, err) < 0)
			return -1;
		if (t->bytes < CHUNK_BYTES)
			return 0;
	}
}

int
ctx_fulltext_rebuild(struct ctx_store *st, struct ctx_err *err)
{
	struct taker t;
	int rc = -1;

	if (taker_open(&t, st, err) == 0 && ctx_db_begin(t.db, err) == 0) {
		if (start_again(&t, err) == 0)
			rc = ctx_db_commit(t.db, err);
		ctx_db_rollback(t.db);
	}
	taker_close(&t);
	return rc < 0 ? -1 : ctx_fulltext_catch_up(st, NULL, err);
}

/* Is the index of words in the form that is looked for now? 1; 0; -1. */
static int
has_form(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_session none = {.no = 0};
	int64_t form;

	if (ctx_derived_mark(st, "fulltext-form", &none, &form, err) < 0)
		return -1;
	return form >= strtol(FORM, NULL, 10);
}

int
ctx_fulltext_made(struct ctx_store *st, int64_t *n, struct ctx_err *err)
{
	struct ctx_session none = {.no = 0};

	return ctx_derived_mark(st, "fulltext-made", &none, n, err);
}

/* An index of another form is made anew; kept texts stay. */
static int
ensure_form(struct ctx_store *st, struct ctx_db *db, struct ctx_err *err)
{
	int rc = has_form(st, err);
	struct taker t;

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	rc = taker_open(&t, st, err);
	if (rc == 0 && ctx_db_begin(db, err) < 0)
		rc = -1;
	if (rc == 0) {
		rc = has_form(st, err); /* another process may have been faster */
		if (rc == 0)
			rc = start_again(&t, err);
		if (rc >= 0)
			rc = ctx_db_commit(db, err);
		ctx_db_rollback(db);
	}
	taker_close(&t);
	return rc < 0 ? -1 : 0;
}

int
ctx_fulltext_catch_up_with(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);

	return db == NULL || ensure_form(st, db, err) < 0
		   ? -1
		   : take_all(st, sessions, (int)n, err);
}

#define PAGE 1024 /* sessions */

int
ctx_fulltext_catch_up(
    struct ctx_store *st, const struct ctx_session *only, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	int64_t *list, after = 0;
	int n = PAGE, rc = 0;

	if (db == NULL || ensure_form(st, db, err) < 0)
		return -1;
	if (only != NULL) {
		struct pending p = {only->no, 0, 0};
		rc = is_pending(st, &p, err);
		return rc == 1 ? take_all(st, &p.no, 1, err) : rc;
	}
	list = ctx_mem_new(PAGE * sizeof(*list));
	while (rc == 0 && n == PAGE) {
		n = find_pending_fulltext(st, db, after, list, PAGE, err);
		rc = n > 0 ? take_all(st, list, n, err) : n;
		after = n > 0 ? list[n - 1] : after;
	}
	free(list);
	return rc;
}

/* ---- deleted sessions ---- */

static int
note_words(void *arg, int64_t id, struct ctx_span text, int role, int64_t created_at,
    struct ctx_err *err)
{
	struct taker *t = arg;

	(void)role;
	(void)created_at;
	ctx_buf_reset(&t->spaced);
	ctx_words_space(text.p == NULL ? ctx_span_of("") : text, &t->spaced);
	t->n++;
	return ctx_word_list_add(t->words, id >> 32, ctx_buf_span(&t->spaced), err);
}

/* Call fn with the messages up to the mark: those kept, then those in the store that are not.
 * 1; 0: the words of some cannot be named, because nobody kept them; -1. */
static int
each_indexed(struct taker *t, int64_t no, ctx_fulltext_row_fn *fn, struct ctx_err *err)
{
	struct ctx_session s = {.no = no};
	int64_t before = t->n, mark, kept;

	if (ctx_derived_mark(t->st, "fulltext", &s, &mark, err) < 0 ||
	    ctx_fulltext_last_kept_of(t->db, no, &kept, err) < 0 ||
	    ctx_fulltext_each_kept(
		t->db, ctx_row_id(no, 1), ctx_row_id(no, CTX_SEQ_MAX), fn, t, err) < 0 ||
	    ctx_fulltext_each_body(t->st, ctx_row_id(no, kept + 1), ctx_row_id(no, mark),
		-1, fn, t, err) < 0)
		return -1;
	return t->n - before >= mark;
}

static int
each_indexed_of(struct taker *t, const int64_t *no, size_t n, ctx_fulltext_row_fn *fn,
    struct ctx_err *err)
{
	int rc = 1;

	for (size_t i = 0; rc == 1 && i < n; i++)
		rc = each_indexed(t, no[i], fn, err);
	return rc;
}

/* From the pages; where these are not as expected FTS5 marks the rows as deleted. 1; 0: the
 * index is to be made anew; -1. */
static int
take_rows_out(struct taker *t, const int64_t *no, size_t n, struct ctx_err *err)
{
	int64_t before = t->n;
	int rc;

	t->words = ctx_word_list_new(t->db, err);
	if (t->words == NULL || ctx_stmt_exec(t->db, "SAVEPOINT cut", err) < 0)
		return -1;
	rc = each_indexed_of(t, no, n, note_words, err);
	if (rc == 1) {
		rc = ctx_fulltext_cut(t->db, no, n, t->words, err);
		if (rc == 0) {
			t->n = before;
			rc = ctx_stmt_exec(t->db, "ROLLBACK TO cut", err);
			if (rc == 0)
				rc = ctx_fulltext_set_cut(t->db, false, err);
			if (rc == 0)
				rc = each_indexed_of(t, no, n, take_out, err);
		}
	}
	return ctx_stmt_exec(t->db, "RELEASE cut", err) < 0 ? -1 : rc;
}

static int
erase_sessions(struct taker *t, const int64_t *no, size_t n, struct ctx_err *err)
{
	/* words can only be taken out as they were taken in */
	int rc = has_form(t->st, err);

	if (rc == 1)
		rc = take_rows_out(t, no, n, err);
	for (size_t i = 0; rc >= 0 && i < n; i++)
		if (ctx_stmt_do(t->db,
			"DELETE FROM fulltext_kept WHERE id BETWEEN ?1 AND ?2",
			CTX_VALUES(ctx_int(ctx_row_id(no[i], 1)),
			    ctx_int(ctx_row_id(no[i], CTX_SEQ_MAX))),
			err) < 0 ||
		    ctx_stmt_do(t->db,
			"DELETE FROM mark WHERE kind = 'fulltext' AND session_no = ?1",
			CTX_VALUES(ctx_int(no[i])), err) < 0)
			rc = -1;
	return rc == 0 ? start_again(t, err) : rc < 0 ? -1 : 0;
}

static int
erase_fulltext_sessions(
    struct ctx_store *st, const int64_t *no, size_t n, int64_t *rows, struct ctx_err *err)
{
	struct taker t;
	int rc = taker_open(&t, st, err);

	if (rc == 0)
		rc = ctx_stmt_exec(t.db, "PRAGMA secure_delete = ON", err);
	if (rc == 0)
		rc = erase_sessions(&t, no, n, err);
	*rows += t.n;
	taker_close(&t);
	return rc;
}

static int
clear_fulltext(struct ctx_store *st, struct ctx_err *err)
{
	struct taker t;
	int rc = taker_open(&t, st, err);

	if (rc == 0)
		rc = start_again(&t, err);
	taker_close(&t);
	return rc;
}

const struct ctx_derived_kind ctx_fulltext_kind[] = {{
    .name = "fulltext",
    .serves_archived = true,
    .erase_all = erase_fulltext_sessions,
    .clear = clear_fulltext,
    .scrub = ctx_fulltext_scrub,
    .catch_up = ctx_fulltext_catch_up,
}};
