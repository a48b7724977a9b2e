/* Passes each call to the engine of the database. */
#include "store/engine_table.h"

#include <string.h>

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

void
ctx_db_close(struct ctx_db *db)
{
	db->engine->close(db);
}

void
ctx_db_wait(struct ctx_db *db, int64_t ms)
{
	db->engine->wait(db, ms);
}

bool
ctx_db_has_catalog(struct ctx_db *db)
{
	return db->engine->has_catalog(db);
}

int
ctx_db_make_catalog(struct ctx_db *db, struct ctx_err *err)
{
	return db->engine->make_catalog(db, err);
}

int
ctx_db_begin(struct ctx_db *db, struct ctx_err *err)
{
	return db->engine->begin(db, err);
}

int
ctx_db_commit(struct ctx_db *db, struct ctx_err *err)
{
	return db->engine->commit(db, err);
}

void
ctx_db_rollback(struct ctx_db *db)
{
	db->engine->rollback(db);
}

int
ctx_db_end(struct ctx_db *db, int rc, struct ctx_err *err)
{
	if (rc == 0)
		rc = ctx_db_commit(db, err);
	ctx_db_rollback(db);
	return rc;
}

int
ctx_db_begin_read(struct ctx_db *db, struct ctx_err *err)
{
	return db->engine->begin_read(db, err);
}

void
ctx_db_end_read(struct ctx_db *db)
{
	db->engine->end_read(db);
}

enum ctx_db_failure
ctx_db_failure(const struct ctx_db *db)
{
	return db->engine->failure(db);
}

const char *
ctx_db_message(const struct ctx_db *db)
{
	return db->engine->message(db);
}

bool
ctx_db_has_table(const struct ctx_db *db, const char *table)
{
	return db->engine->has_table(db, table);
}

bool
ctx_db_has_column(const struct ctx_db *db, const char *table, const char *column)
{
	return db->engine->has_column(db, table, column);
}

int64_t
ctx_db_changes(const struct ctx_db *db)
{
	return db->engine->changes(db);
}

int64_t
ctx_db_total_changes(const struct ctx_db *db)
{
	return db->engine->total_changes(db);
}

const char *
ctx_db_address(const struct ctx_db *db)
{
	return db->engine->address(db);
}

const char *
ctx_db_file(const struct ctx_db *db)
{
	return db->engine->file(db);
}

bool
ctx_db_has_moved(const struct ctx_db *db)
{
	return db->engine->has_moved(db);
}

int
ctx_db_scan(struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
{
	return db->engine->scan(db, fn, arg, err);
}

int
ctx_db_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err)
{
	return db->engine->incarnation(db, number, err);
}

int
ctx_db_backup(struct ctx_db *db, const char *path, ctx_db_mark_fn *mark, void *arg,
    struct ctx_err *err)
{
	return db->engine->backup(db, path, mark, arg, err);
}

int
ctx_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing)
{
	return db->engine->stmt_fail(db, err, doing);
}

struct ctx_stmt *
ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	return db == NULL ? NULL : db->engine->stmt_new(db, sql, err);
}

void
ctx_stmt_free(struct ctx_db *db, struct ctx_stmt *q)
{
	if (q != NULL)
		db->engine->stmt_free(db, q);
}

void
ctx_stmt_forget_idle(struct ctx_db *db)
{
	db->engine->stmt_forget_idle(db);
}

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

int
ctx_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	return db->engine->stmt_exec(db, sql, err);
}

void
ctx_stmt_bind_span(struct ctx_stmt *q, int at, struct ctx_span s)
{
	if (q != NULL)
		q->engine->stmt_bind_span(q, at, s);
}

void
ctx_stmt_bind_str(struct ctx_stmt *q, int at, const char *s)
{
	ctx_stmt_bind_span(q, at, ctx_span_of(s));
}

void
ctx_stmt_bind_int(struct ctx_stmt *q, int at, int64_t v)
{
	if (q != NULL)
		q->engine->stmt_bind_int(q, at, v);
}

struct ctx_span
ctx_stmt_span(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_span(q, col);
}

char *
ctx_stmt_str(struct ctx_stmt *q, int col)
{
	return ctx_span_dup(ctx_stmt_span(q, col));
}

int64_t
ctx_stmt_int(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_int(q, col);
}

void
ctx_stmt_bind_int64(struct ctx_stmt *q, int at, int64_t v)
{
	if (q != NULL)
		q->engine->stmt_bind_int64(q, at, v);
}

void
ctx_stmt_bind_bytes(struct ctx_stmt *q, int at, struct ctx_span bytes)
{
	if (q != NULL)
		q->engine->stmt_bind_bytes(q, at, bytes);
}

void
ctx_stmt_bind_column(struct ctx_stmt *q, int at, struct ctx_stmt *from, int col)
{
	if (q != NULL)
		q->engine->stmt_bind_column(q, at, from, col);
}

enum ctx_column
ctx_stmt_type(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_type(q, col);
}

int64_t
ctx_stmt_int64(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_int64(q, col);
}

bool
ctx_stmt_whole(struct ctx_stmt *q, int col, int64_t *v)
{
	return q->engine->stmt_whole(q, col, v);
}

double
ctx_stmt_double(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_double(q, col);
}

const char *
ctx_stmt_text(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_text(q, col);
}

struct ctx_span
ctx_stmt_bytes(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_bytes(q, col);
}

int
ctx_stmt_columns(struct ctx_stmt *q)
{
	return q->engine->stmt_columns(q);
}

const char *
ctx_stmt_column_name(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_column_name(q, col);
}

void
ctx_stmt_reset(struct ctx_stmt *q)
{
	if (q != NULL)
		q->engine->stmt_reset(q);
}

void
ctx_stmt_close(struct ctx_stmt *q)
{
	if (q != NULL)
		q->engine->stmt_close(q);
}

int
ctx_db_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err)
{
	return db->engine->size(db, bytes, err);
}

int
ctx_db_check(struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err)
{
	return db->engine->check(db, fn, arg, err);
}

int
ctx_db_columns(struct ctx_db *db, struct ctx_buf *out, struct ctx_err *err)
{
	return db->engine->columns(db, out, err);
}

int
ctx_db_cache(struct ctx_db *db, int kib, struct ctx_err *err)
{
	return db->engine->cache(db, kib, err);
}

int
ctx_index_add(struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err)
{
	return db->engine->index_add(db, id, text, err);
}

int
ctx_index_clear(struct ctx_db *db, struct ctx_err *err)
{
	return db->engine->index_clear(db, err);
}

int
ctx_index_erase(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, int64_t *erased, struct ctx_err *err)
{
	return db->engine->index_erase(db, sessions, n, rows, erased, err);
}

int
ctx_index_scrub(struct ctx_db *db, bool again, struct ctx_err *err)
{
	return db->engine->index_scrub(db, again, err);
}

int
ctx_index_search(struct ctx_db *db, const struct ctx_index_query *query,
    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err)
{
	return db->engine->index_search(db, query, fn, arg, err);
}

int
ctx_index_count(struct ctx_db *db, const struct ctx_index_query *query, int64_t max,
    int64_t *n, struct ctx_err *err)
{
	return db->engine->index_count(db, query, max, n, err);
}

int
ctx_db_task(struct ctx_db *db, const char *task, bool wait, struct ctx_err *err)
{
	return db->engine->task(db, task, wait, err);
}
