#include "store/stmt.h"

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
	case SQLITE_PROTOCOL: /* locks that cannot be had */
		return CTX_EIO;
	default:
		return CTX_ESTORE;
	}
}

int
ctx_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing)
{
	enum ctx_code code = code_of(sqlite3_errcode(db->h));

	if (code == CTX_EBUSY)
		return ctx_err_set(err, code, "store '%s' is busy, try again", db->path);
	return ctx_err_set(
	    err, code, "store '%s': %s: %s", db->path, doing, sqlite3_errmsg(db->h));
}

sqlite3_stmt *
ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(db->h, sql, -1, &q, NULL) != SQLITE_OK)
		ctx_stmt_fail(db, err, "cannot read");
	return q;
}

sqlite3_stmt *
ctx_stmt_kept(
    struct ctx_db *db, enum ctx_stmt which, const char *sql, struct ctx_err *err)
{
	sqlite3_stmt **q = &db->kept[which];

	if (*q != NULL) {
		sqlite3_reset(*q);
		sqlite3_clear_bindings(*q);
	} else if (sqlite3_prepare_v3(
		       db->h, sql, -1, SQLITE_PREPARE_PERSISTENT, q, NULL) != SQLITE_OK) {
		ctx_stmt_fail(db, err, "cannot read");
	}
	return *q;
}

int
ctx_stmt_step(struct ctx_db *db, sqlite3_stmt *q, struct ctx_err *err)
{
	int rc = sqlite3_step(q);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return ctx_stmt_fail(db, err, db->writing ? "cannot write" : "cannot read");
}

int
ctx_stmt_run(struct ctx_db *db, sqlite3_stmt *q, struct ctx_err *err)
{
	int rc;

	while ((rc = ctx_stmt_step(db, q, err)) == 1)
		continue;
	sqlite3_reset(q);
	return rc;
}

int
ctx_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	if (sqlite3_exec(db->h, sql, NULL, NULL, NULL) != SQLITE_OK)
		return ctx_stmt_fail(db, err, "cannot open");
	return 0;
}

void
ctx_stmt_bind_span(sqlite3_stmt *q, int at, struct ctx_span s)
{
	if (s.p != NULL)
		sqlite3_bind_text64(q, at, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_null(q, at);
}

void
ctx_stmt_bind_str(sqlite3_stmt *q, int at, const char *s)
{
	ctx_stmt_bind_span(q, at, ctx_span_of(s));
}

void
ctx_stmt_bind_int(sqlite3_stmt *q, int at, int64_t v)
{
	if (v == CTX_TIME_NONE)
		sqlite3_bind_null(q, at);
	else
		sqlite3_bind_int64(q, at, v);
}

struct ctx_span
ctx_stmt_span(sqlite3_stmt *q, int col)
{
	const char *p = (const char *)sqlite3_column_text(q, col);

	return (struct ctx_span){p, p == NULL ? 0 : (size_t)sqlite3_column_bytes(q, col)};
}

char *
ctx_stmt_str(sqlite3_stmt *q, int col)
{
	return ctx_span_dup(ctx_stmt_span(q, col));
}

int64_t
ctx_stmt_int(sqlite3_stmt *q, int col)
{
	if (sqlite3_column_type(q, col) == SQLITE_NULL)
		return CTX_TIME_NONE;
	return sqlite3_column_int64(q, col);
}
