/* The engine for SQLite: statements. */
#include "store/engine_sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"

static enum ctx_code
code_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return CTX_EBUSY;
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_NOMEM:
	case SQLITE_PROTOCOL: /* locks are not available */
		return CTX_EIO;
	default:
		return CTX_ESTORE;
	}
}

/* SQLite's message for a file that cannot be opened names neither the file nor the
 * reason: finds both. Returns false if none is found. */
static bool
name_refused(struct ctx_db *db, struct ctx_err *err, const char *doing)
{
	int rc = sqlite3_errcode(ctx_sqlite(db)) & 0xff, why;
	struct ctx_buf path = CTX_BUF_INIT;
	bool write = rc == SQLITE_READONLY || db->writing;

	if (rc != SQLITE_CANTOPEN && rc != SQLITE_READONLY && rc != SQLITE_PERM)
		return false;
	why = ctx_io_find_refused(db->path, write, &path);
	if (why == 0 && !write) {
		write = true;
		why = ctx_io_find_refused(db->path, write, &path);
	}
	if (why != 0)
		ctx_err_sys(err, code_of(rc), why, "store '%s': %s: cannot %s '%s'",
		    db->path, doing, write ? "write" : "read", path.p);
	ctx_buf_release(&path);
	return why != 0;
}

int
ctx_sqlite_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing)
{
	enum ctx_code code = code_of(sqlite3_errcode(ctx_sqlite(db)));

	if (code == CTX_EBUSY)
		return ctx_err_set(err, code, "store '%s' is busy, try again", db->path);
	if (name_refused(db, err, doing))
		return -1;
	return ctx_err_set(err, code, "store '%s': %s: %s", db->path, doing,
	    sqlite3_errmsg(ctx_sqlite(db)));
}

struct ctx_stmt *
ctx_sqlite_wrap(sqlite3_stmt *h)
{
	struct ctx_sqlite_stmt *q;

	if (h == NULL)
		return NULL;
	q = ctx_mem_new(sizeof(*q));
	*q = (struct ctx_sqlite_stmt){{.engine = &ctx_engine_sqlite}, h};
	return &q->base;
}

static int
prepare_raw(struct ctx_db *db, const char *sql, struct ctx_stmt **q)
{
	sqlite3_stmt *made = NULL;
	int rc = sqlite3_prepare_v2(ctx_sqlite(db), sql, -1, &made, NULL);

	*q = ctx_sqlite_wrap(made);
	return rc;
}

/* Follows the creation and removal of the catalog tables, by another process or a
 * rollback. The empty tables of the attached schema are used only while the store has
 * none. A statement on them alone does not make SQLite look whether the store has them,
 * so a statement on the store is run. Statements that were prepared before a change are
 * discarded. */
void
ctx_db_follow_catalog(struct ctx_db *db)
{
	struct ctx_stmt **q = &db->catalog;
	bool has;

	if (!db->empty_catalog || (db->writing && db->saw_catalog) ||
	    (db->reading && db->saw_read))
		return;
	if (*q == NULL)
		prepare_raw(
		    db, "SELECT 1 FROM main.sqlite_master WHERE name = 'entity'", q);
	has = sqlite3_step(ctx_sqlite_stmt(*q)) == SQLITE_ROW;
	sqlite3_reset(ctx_sqlite_stmt(*q));
	if (has != db->saw_catalog)
		ctx_stmt_forget_idle(db);
	db->saw_catalog = has;
	db->saw_read = db->reading;
}

struct ctx_stmt *
ctx_sqlite_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	struct ctx_stmt *q;
	int rc = prepare_raw(db, sql, &q);

	if (rc == SQLITE_ERROR && db->kind != NULL && db->kind->catalog != NULL &&
	    strncmp(sqlite3_errmsg(ctx_sqlite(db)), "no such table", 13) == 0 &&
	    ctx_db_attach_empty_catalog(db) == SQLITE_OK)
		rc = prepare_raw(db, sql, &q);
	if (rc != SQLITE_OK)
		ctx_sqlite_stmt_fail(db, err, "cannot read");
	return q;
}

/* PRAGMA statements are not used again, because many act when they are prepared. */
bool
ctx_sqlite_stmt_clear(struct ctx_stmt *q)
{
	return sqlite3_reset(ctx_sqlite_stmt(q)) == SQLITE_OK &&
	       sqlite3_clear_bindings(ctx_sqlite_stmt(q)) == SQLITE_OK &&
	       strncmp(sqlite3_sql(ctx_sqlite_stmt(q)), "PRAGMA", 6) != 0;
}

int
ctx_sqlite_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err)
{
	int rc = sqlite3_step(ctx_sqlite_stmt(q));

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return ctx_sqlite_stmt_fail(
	    db, err, db->writing ? "cannot write" : "cannot read");
}

int
ctx_sqlite_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	if (sqlite3_exec(ctx_sqlite(db), sql, NULL, NULL, NULL) != SQLITE_OK)
		return ctx_sqlite_stmt_fail(db, err, "cannot open");
	return 0;
}

void
ctx_sqlite_stmt_bind(struct ctx_stmt *q, const struct ctx_value *values, size_t n)
{
	sqlite3_stmt *h = ctx_sqlite_stmt(q);

	for (int at = 1; at <= (int)n; at++, values++) {
		struct ctx_span s = values->span;
		if (values->type == CTX_VALUE_INT ? values->number == CTX_TIME_NONE
						  : s.p == NULL)
			sqlite3_bind_null(h, at);
		else if (values->type == CTX_VALUE_INT)
			sqlite3_bind_int64(h, at, values->number);
		else if (values->type == CTX_VALUE_TEXT)
			sqlite3_bind_text64(h, at, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
		else
			sqlite3_bind_blob64(h, at, s.p, s.n, SQLITE_STATIC);
	}
}

struct ctx_span
ctx_sqlite_stmt_span(struct ctx_stmt *q, int col)
{
	const char *p = (const char *)sqlite3_column_text(ctx_sqlite_stmt(q), col);

	return (struct ctx_span){
	    p, p == NULL ? 0 : (size_t)sqlite3_column_bytes(ctx_sqlite_stmt(q), col)};
}

enum ctx_column
ctx_sqlite_stmt_type(struct ctx_stmt *q, int col)
{
	switch (sqlite3_column_type(ctx_sqlite_stmt(q), col)) {
	case SQLITE_INTEGER:
		return CTX_COLUMN_INTEGER;
	case SQLITE_FLOAT:
		return CTX_COLUMN_REAL;
	case SQLITE_TEXT:
		return CTX_COLUMN_TEXT;
	case SQLITE_BLOB:
		return CTX_COLUMN_BLOB;
	default:
		return CTX_COLUMN_NULL;
	}
}

int64_t
ctx_sqlite_stmt_int64(struct ctx_stmt *q, int col)
{
	return sqlite3_column_int64(ctx_sqlite_stmt(q), col);
}

bool
ctx_sqlite_stmt_whole(struct ctx_stmt *q, int col, int64_t *v)
{
	sqlite3_value *value = sqlite3_column_value(ctx_sqlite_stmt(q), col);

	if (sqlite3_value_type(value) != SQLITE_INTEGER)
		return false;
	*v = sqlite3_value_int64(value);
	return true;
}

struct ctx_span
ctx_sqlite_stmt_bytes(struct ctx_stmt *q, int col)
{
	const char *p = sqlite3_column_blob(ctx_sqlite_stmt(q), col);

	return (struct ctx_span){
	    p, (size_t)sqlite3_column_bytes(ctx_sqlite_stmt(q), col)};
}

int
ctx_sqlite_stmt_columns(struct ctx_stmt *q)
{
	return sqlite3_column_count(ctx_sqlite_stmt(q));
}

const char *
ctx_sqlite_stmt_column_name(struct ctx_stmt *q, int col)
{
	return sqlite3_column_name(ctx_sqlite_stmt(q), col);
}

void
ctx_sqlite_stmt_reset(struct ctx_stmt *q)
{
	sqlite3_reset(ctx_sqlite_stmt(q));
}

void
ctx_sqlite_stmt_close(struct ctx_stmt *q)
{
	sqlite3_finalize(ctx_sqlite_stmt(q));
	free(q);
}

/* ---- the table of functions ---- */

#define SQLITE_MEMBER(function, name) .name = ctx_sqlite_##name,
const struct ctx_engine ctx_engine_sqlite = {CTX_ENGINE_FUNCTIONS(SQLITE_MEMBER)};
