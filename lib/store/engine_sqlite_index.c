/* The engine for SQLite: the full-text index, an FTS5 table that holds words and no
 * texts. */
#include "store/derived.h"
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_erase.h"
#include "store/engine_sqlite_score.h"
#include "store/engine_sqlite_segment.h"
#include "store/row.h"

/* Kind of the mark which says that the index pages hold no removed rows. */
#define CUT "fulltext-cut"

static int
set_index_cut(struct ctx_db *db, bool is_cut, struct ctx_err *err)
{
	return ctx_stmt_exec(db,
	    is_cut ? "INSERT OR REPLACE INTO mark (kind, session_no, seq) "
		     "VALUES ('" CUT "', 0, 1)"
		   : "DELETE FROM mark WHERE kind = '" CUT "' AND session_no = 0",
	    err);
}

/* Reads the mark: 0 if it is not set. */
static int
read_index_cut(struct ctx_db *db, int64_t *is_cut, struct ctx_err *err)
{
	return ctx_stmt_ints(db,
		   "SELECT seq FROM mark WHERE kind = '" CUT "' AND session_no = 0", NULL,
		   0, is_cut, 1, err) < 0
		   ? -1
		   : 0;
}

int
ctx_sqlite_index_add(
    struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err)
{
	return ctx_stmt_do(db, "INSERT INTO fulltext (rowid, text) VALUES (?1, ?2)",
	    CTX_VALUES(ctx_int(id), ctx_text(text.p == NULL ? ctx_span_of("") : text)),
	    err);
}

int
ctx_sqlite_index_clear(struct ctx_db *db, struct ctx_err *err)
{
	if (ctx_stmt_exec(
		db, "INSERT INTO fulltext (fulltext) VALUES ('delete-all')", err) < 0)
		return -1;
	return set_index_cut(db, true, err);
}

static int
mark_index_row(void *arg, int64_t id, struct ctx_span text, struct ctx_err *err)
{
	return ctx_stmt_do(arg,
	    "INSERT INTO fulltext (fulltext, rowid, text) VALUES ('delete', ?1, ?2)",
	    CTX_VALUES(ctx_int(id), ctx_text(text.p == NULL ? ctx_span_of("") : text)),
	    err);
}

static int
list_row_words(void *arg, int64_t id, struct ctx_span text, struct ctx_err *err)
{
	return ctx_word_list_add(arg, id >> 32, text, err);
}

/* Removes rows from the pages by their words, which pass supplies. Returns 1; 0 if this
 * was not possible, with nothing changed; -1. */
static int
cut_index_rows(struct ctx_db *db, const int64_t *sessions, size_t n,
    int (*pass)(void *arg, ctx_index_row_fn *fn, void *fn_arg, struct ctx_err *err),
    void *arg, struct ctx_err *err)
{
	struct ctx_word_list *words = ctx_word_list_new(db, err);
	int64_t is_cut;
	int rc = -1;

	if (words != NULL && read_index_cut(db, &is_cut, err) == 0)
		rc = pass(arg, list_row_words, words, err);
	if (rc == 1)
		rc = ctx_fulltext_cut(db, sessions, n, words, is_cut > 0, err);
	if (rc == 0 && ctx_stmt_exec(db, "ROLLBACK TO cut", err) < 0)
		rc = -1;
	ctx_word_list_free(words);
	return rc;
}

/* From the pages; where these are not as expected FTS5 marks the rows as deleted. */
static int
erase_index_rows(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, struct ctx_err *err)
{
	int rc;

	if (ctx_stmt_exec(db, "SAVEPOINT cut", err) < 0)
		return -1;
	rc = cut_index_rows(db, sessions, n, rows->words, rows->arg, err);
	if (rc == 0)
		rc = cut_index_rows(db, sessions, n, rows->each, rows->arg, err);
	if (rc == 0) {
		rc = set_index_cut(db, false, err);
		if (rc == 0)
			rc = rows->each(rows->arg, mark_index_row, db, err);
	}
	if (ctx_stmt_exec(db, "RELEASE cut", err) < 0)
		rc = -1;
	return rc;
}

int
ctx_sqlite_index_erase(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, int64_t *erased, struct ctx_err *err)
{
	int rc = ctx_stmt_exec(db, "PRAGMA secure_delete = ON", err);

	if (rc == 0)
		rc = ctx_fulltext_has_others(db, sessions, n, erased, err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return ctx_sqlite_index_clear(db, err) < 0 ? -1 : 1;
	return erase_index_rows(db, sessions, n, rows, err);
}

/* Words that FTS5 has marked as deleted stay in the index until its pages are merged. */
int
ctx_index_scrub(struct ctx_db *db, bool again, struct ctx_err *err)
{
	int64_t is_cut;
	int rc;

	if (ctx_db_is_whole(db)) /* left to the server (ctx-store(5)) */
		return 0;
	if (read_index_cut(db, &is_cut, err) < 0)
		return -1;
	if (is_cut > 0 && !again)
		return 0;
	if (ctx_stmt_exec(db, "PRAGMA secure_delete = ON", err) < 0 ||
	    ctx_db_begin(db, err) < 0)
		return -1;
	rc = ctx_stmt_exec(
	    db, "INSERT INTO fulltext (fulltext) VALUES ('optimize')", err);
	if (rc == 0)
		rc = set_index_cut(db, true, err);
	rc = ctx_db_end(db, rc, err);
	/* the log contains the old pages; it is kept while a reader needs it */
	if (rc == 0)
		ctx_db_checkpoint(db);
	return rc;
}

static int
fail_query(struct ctx_db *db, const char *query, struct ctx_err *err)
{
	if (ctx_db_failure(db) == CTX_DB_BAD_SQL)
		return ctx_err_set(err, CTX_EUSAGE, "query '%s': %s", query,
		    sqlite3_errmsg(ctx_sqlite(db)));
	ctx_sqlite_stmt_fail(db, err, "cannot search");
	return err->code == CTX_ESTORE
		   ? ctx_err_set(err, CTX_ESTORE,
			 "'%s': cannot search: %s (ctx-check --rebuild rebuilds the index)",
			 db->path, sqlite3_errmsg(ctx_sqlite(db)))
		   : -1;
}

int
ctx_sqlite_index_search(struct ctx_db *db, const struct ctx_index_query *query,
    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err)
{
	static const char sql[] = "SELECT rowid, ctx_bm25(fulltext, ?4) "
				  "FROM fulltext "
				  "WHERE fulltext MATCH ?1 AND rowid BETWEEN ?2 AND ?3";
	struct ctx_err failed = CTX_ERR_INIT;
	struct ctx_stmt *q;
	int rc = 0, step = 0;

	if (ctx_score_register(db, err) < 0)
		return -1;
	q = ctx_stmt_query(db, sql,
	    CTX_VALUES(
		ctx_str(query->query), ctx_int(query->first_id), ctx_int(query->last_id)),
	    err);
	if (q == NULL)
		return -1;
	ctx_score_bind(q, 4, query->floor);
	while (rc >= 0 && (step = ctx_stmt_step(db, q, &failed)) == 1)
		if (ctx_stmt_type(q, 1) != CTX_COLUMN_NULL)
			rc = fn(arg, ctx_stmt_int64(q, 0),
			    sqlite3_column_double(ctx_sqlite_stmt(q), 1), err);
	if (rc >= 0 && step < 0)
		rc = fail_query(db, query->query, err);
	ctx_stmt_close(q);
	/* a damaged page can make a search find less */
	if (rc >= 0 && !query->again)
		rc = ctx_sqlite_index_check_words(db, query->query, err);
	return rc < 0 ? -1 : 0;
}

int
ctx_sqlite_index_count(struct ctx_db *db, const struct ctx_index_query *query,
    int64_t max, int64_t *n, struct ctx_err *err)
{
	int rc = ctx_stmt_ints(db,
	    "SELECT count(*) "
	    "FROM ("
	    "SELECT 1 "
	    "FROM fulltext "
	    "WHERE fulltext MATCH ?1 AND rowid BETWEEN ?2 AND ?3 "
	    "LIMIT ?4)",
	    CTX_VALUES(ctx_str(query->query), ctx_int(query->first_id),
		ctx_int(query->last_id), ctx_int(max)),
	    n, 1, err);

	return rc < 0 ? -1 : 0;
}
