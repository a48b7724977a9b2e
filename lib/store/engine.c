/* Passes each call to the engine of the database. */
#include "store/engine_table.h"

#include <string.h>

/* Each of these macros defines a function that calls the function `member` of the engine
 * with the arguments args. RUN_STMT: the function does nothing if q is NULL. */
#define CALL_DB(type, name, member, args, ...)  \
	type name(__VA_ARGS__)                  \
	{                                       \
		return db->engine->member args; \
	}
#define RUN_DB(name, member, args, ...)  \
	void name(__VA_ARGS__)           \
	{                                \
		db->engine->member args; \
	}
#define CALL_STMT(type, name, member, args, ...) \
	type name(__VA_ARGS__)                   \
	{                                        \
		return q->engine->member args;   \
	}
#define RUN_STMT(name, member, args, ...)       \
	void name(__VA_ARGS__)                  \
	{                                       \
		if (q != NULL)                  \
			q->engine->member args; \
	}

bool
ctx_db_is_remote(const char *path)
{
	return strncmp(path, "postgresql://", 13) == 0 ||
	       strncmp(path, "postgres://", 11) == 0;
}

bool
ctx_db_has_pg(void)
{
	return &ctx_engine_pg != NULL;
}

bool
ctx_db_is_whole(const struct ctx_db *db)
{
	return db->engine != &ctx_engine_sqlite;
}

int
ctx_db_open(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	memset(db, 0, sizeof(*db));
	db->engine = &ctx_engine_sqlite;
	db->kind = kind;
	db->lock_fd = -1;
	if (!o->scratch && ctx_db_is_remote(o->path)) {
		if (!ctx_db_has_pg())
			return ctx_err_set(err, CTX_ESTORE,
			    "%s: this program was built without support for PostgreSQL",
			    kind->what);
		db->engine = &ctx_engine_pg;
	}
	return db->engine->open(db, kind, o, err);
}

RUN_DB(ctx_db_close, close, (db), struct ctx_db *db)
RUN_DB(ctx_db_wait, wait, (db, ms), struct ctx_db *db, int64_t ms)
int
ctx_db_end(struct ctx_db *db, int rc, struct ctx_err *err)
{
	if (rc == 0)
		rc = ctx_db_commit(db, err);
	ctx_db_rollback(db);
	return rc;
}

CALL_DB(bool, ctx_db_has_catalog, has_catalog, (db), struct ctx_db *db)
CALL_DB(int, ctx_db_make_catalog, make_catalog, (db, err), struct ctx_db *db,
    struct ctx_err *err)
CALL_DB(int, ctx_db_begin, begin, (db, err), struct ctx_db *db, struct ctx_err *err)
CALL_DB(int, ctx_db_commit, commit, (db, err), struct ctx_db *db, struct ctx_err *err)
RUN_DB(ctx_db_rollback, rollback, (db), struct ctx_db *db)
CALL_DB(
    int, ctx_db_begin_read, begin_read, (db, err), struct ctx_db *db, struct ctx_err *err)
RUN_DB(ctx_db_end_read, end_read, (db), struct ctx_db *db)
CALL_DB(enum ctx_db_failure, ctx_db_failure, failure, (db), const struct ctx_db *db)
CALL_DB(const char *, ctx_db_message, message, (db), const struct ctx_db *db)
CALL_DB(bool, ctx_db_has_table, has_table, (db, table), const struct ctx_db *db,
    const char *table)
CALL_DB(bool, ctx_db_has_column, has_column, (db, table, column), const struct ctx_db *db,
    const char *table, const char *column)
CALL_DB(int64_t, ctx_db_changes, changes, (db), const struct ctx_db *db)
CALL_DB(int64_t, ctx_db_total_changes, total_changes, (db), const struct ctx_db *db)
CALL_DB(const char *, ctx_db_address, address, (db), const struct ctx_db *db)
CALL_DB(const char *, ctx_db_file, file, (db), const struct ctx_db *db)
CALL_DB(bool, ctx_db_has_moved, has_moved, (db), const struct ctx_db *db)
CALL_DB(int, ctx_db_scan, scan, (db, fn, arg, err), struct ctx_db *db,
    ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
CALL_DB(int, ctx_db_incarnation, incarnation, (db, number, err), struct ctx_db *db,
    int64_t *number, struct ctx_err *err)
CALL_DB(int, ctx_db_backup, backup, (db, path, mark, arg, err), struct ctx_db *db,
    const char *path, ctx_db_mark_fn *mark, void *arg, struct ctx_err *err)
CALL_DB(int, ctx_stmt_fail, stmt_fail, (db, err, doing), struct ctx_db *db,
    struct ctx_err *err, const char *doing)

struct ctx_stmt *
ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	return db == NULL ? NULL : db->engine->stmt_new(db, sql, err);
}

RUN_STMT(ctx_stmt_free, stmt_free, (db, q), struct ctx_db *db, struct ctx_stmt *q)
RUN_DB(ctx_stmt_forget_idle, stmt_forget_idle, (db), struct ctx_db *db)

int
ctx_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err)
{
	return q == NULL ? -1 : db->engine->stmt_step(db, q, err);
}

int
ctx_stmt_run(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err)
{
	return q == NULL ? -1 : db->engine->stmt_run(db, q, err);
}

CALL_DB(int, ctx_stmt_exec, stmt_exec, (db, sql, err), struct ctx_db *db, const char *sql,
    struct ctx_err *err)
RUN_STMT(ctx_stmt_bind_span, stmt_bind_span, (q, at, s), struct ctx_stmt *q, int at,
    struct ctx_span s)

void
ctx_stmt_bind_str(struct ctx_stmt *q, int at, const char *s)
{
	ctx_stmt_bind_span(q, at, ctx_span_of(s));
}

RUN_STMT(
    ctx_stmt_bind_int, stmt_bind_int, (q, at, v), struct ctx_stmt *q, int at, int64_t v)
CALL_STMT(
    struct ctx_span, ctx_stmt_span, stmt_span, (q, col), struct ctx_stmt *q, int col)

char *
ctx_stmt_str(struct ctx_stmt *q, int col)
{
	return ctx_span_dup(ctx_stmt_span(q, col));
}

CALL_STMT(int64_t, ctx_stmt_int, stmt_int, (q, col), struct ctx_stmt *q, int col)
RUN_STMT(ctx_stmt_bind_int64, stmt_bind_int64, (q, at, v), struct ctx_stmt *q, int at,
    int64_t v)
RUN_STMT(ctx_stmt_bind_bytes, stmt_bind_bytes, (q, at, bytes), struct ctx_stmt *q, int at,
    struct ctx_span bytes)
RUN_STMT(ctx_stmt_bind_column, stmt_bind_column, (q, at, from, col), struct ctx_stmt *q,
    int at, struct ctx_stmt *from, int col)
CALL_STMT(
    enum ctx_column, ctx_stmt_type, stmt_type, (q, col), struct ctx_stmt *q, int col)
CALL_STMT(int64_t, ctx_stmt_int64, stmt_int64, (q, col), struct ctx_stmt *q, int col)
CALL_STMT(double, ctx_stmt_double, stmt_double, (q, col), struct ctx_stmt *q, int col)
CALL_STMT(const char *, ctx_stmt_text, stmt_text, (q, col), struct ctx_stmt *q, int col)
CALL_STMT(
    struct ctx_span, ctx_stmt_bytes, stmt_bytes, (q, col), struct ctx_stmt *q, int col)
CALL_STMT(int, ctx_stmt_columns, stmt_columns, (q), struct ctx_stmt *q)
CALL_STMT(const char *, ctx_stmt_column_name, stmt_column_name, (q, col),
    struct ctx_stmt *q, int col)
RUN_STMT(ctx_stmt_reset, stmt_reset, (q), struct ctx_stmt *q)
RUN_STMT(ctx_stmt_close, stmt_close, (q), struct ctx_stmt *q)
CALL_DB(int, ctx_db_size, size, (db, bytes, err), struct ctx_db *db, int64_t *bytes,
    struct ctx_err *err)
CALL_DB(int, ctx_db_check, check, (db, fn, arg, err), struct ctx_db *db,
    ctx_db_damage_fn *fn, void *arg, struct ctx_err *err)
CALL_DB(int, ctx_db_columns, columns, (db, out, err), struct ctx_db *db,
    struct ctx_buf *out, struct ctx_err *err)
CALL_DB(
    int, ctx_db_keep_pages, keep_pages, (db, err), struct ctx_db *db, struct ctx_err *err)
CALL_DB(int, ctx_index_add, index_add, (db, id, text, err), struct ctx_db *db, int64_t id,
    struct ctx_span text, struct ctx_err *err)
CALL_DB(
    int, ctx_index_clear, index_clear, (db, err), struct ctx_db *db, struct ctx_err *err)
CALL_DB(int, ctx_index_erase, index_erase, (db, sessions, n, rows, erased, err),
    struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, int64_t *erased, struct ctx_err *err)
CALL_DB(int, ctx_index_scrub, index_scrub, (db, again, err), struct ctx_db *db,
    bool again, struct ctx_err *err)
CALL_DB(int, ctx_index_search, index_search, (db, query, fn, arg, err), struct ctx_db *db,
    const struct ctx_index_query *query, ctx_index_hit_fn *fn, void *arg,
    struct ctx_err *err)
CALL_DB(int, ctx_index_count, index_count, (db, query, max, n, err), struct ctx_db *db,
    const struct ctx_index_query *query, int64_t max, int64_t *n, struct ctx_err *err)
CALL_DB(int, ctx_db_task, task, (db, task, wait, err), struct ctx_db *db,
    const char *task, bool wait, struct ctx_err *err)
