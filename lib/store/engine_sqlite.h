/* Private to the engine for SQLite (engine_sqlite*.c): its connections and statements. */
#ifndef CTX_STORE_ENGINE_SQLITE_H
#define CTX_STORE_ENGINE_SQLITE_H

#include <sqlite3.h>

#include "store/engine_table.h"

static inline sqlite3 *
ctx_sqlite(const struct ctx_db *db)
{
	return (sqlite3 *)db->h;
}

struct ctx_sqlite_stmt {
	struct ctx_stmt base;
	sqlite3_stmt *h;
	/* index in the array of idle statements at which the statement is kept */
	unsigned place;
};

static inline sqlite3_stmt *
ctx_sqlite_stmt(struct ctx_stmt *q)
{
	return q == NULL ? NULL : ((struct ctx_sqlite_stmt *)q)->h;
}

/* Returns a new statement that owns the SQLite statement h; NULL if h is NULL. */
struct ctx_stmt *ctx_sqlite_wrap(sqlite3_stmt *h);

/* Opens a path or a URI as the connection of db, with flags of sqlite3_open_v2. Returns
 * SQLite's result code. */
int ctx_sqlite_open(struct ctx_db *db, const char *path, int flags);
/* Opens db->path for reading as a URI with the given parameter ("?immutable=1"). Returns
 * SQLite's result code. */
int ctx_db_open_uri(struct ctx_db *db, const char *parameter);

/* Attaches a schema with empty catalog tables, so that statements on them can be prepared
 * before the store has the tables. Returns SQLite's result code. */
int ctx_db_attach_empty_catalog(struct ctx_db *db);

/* Hook for sqlite3_wal_hook, which SQLite calls after each commit; arg is the struct
 * ctx_db. */
int ctx_db_after_commit(void *arg, sqlite3 *h, const char *schema, int log_pages);

/* Adds the SQL functions unhex, unbase64, unzstd and protobuf_field to a connection, for
 * importers. *max is the maximum number of bytes that one call may produce; it is read at
 * each call, until the connection is closed. Returns SQLite's result code. */
int ctx_foreign_add_functions(sqlite3 *h, const size_t *max);

/* The functions of ctx_engine_sqlite (see struct ctx_engine in store/engine_table.h). */
int ctx_sqlite_open_db(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err);
void ctx_sqlite_close(struct ctx_db *db);
void ctx_sqlite_wait(struct ctx_db *db, int64_t ms);
bool ctx_sqlite_has_catalog(struct ctx_db *db);
int ctx_sqlite_make_catalog(struct ctx_db *db, struct ctx_err *err);
int ctx_sqlite_begin(struct ctx_db *db, struct ctx_err *err);
int ctx_sqlite_commit(struct ctx_db *db, struct ctx_err *err);
void ctx_sqlite_rollback(struct ctx_db *db);
int ctx_sqlite_begin_read(struct ctx_db *db, struct ctx_err *err);
void ctx_sqlite_end_read(struct ctx_db *db);
enum ctx_db_failure ctx_sqlite_failure(const struct ctx_db *db);
const char *ctx_sqlite_message(const struct ctx_db *db);
bool ctx_sqlite_has_table(const struct ctx_db *db, const char *table);
bool ctx_sqlite_has_column(
    const struct ctx_db *db, const char *table, const char *column);
int64_t ctx_sqlite_changes(const struct ctx_db *db);
int64_t ctx_sqlite_total_changes(const struct ctx_db *db);
const char *ctx_sqlite_address(const struct ctx_db *db);
const char *ctx_sqlite_file(const struct ctx_db *db);
bool ctx_sqlite_has_moved(const struct ctx_db *db);
int ctx_sqlite_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err);
int ctx_sqlite_backup(struct ctx_db *db, const char *path, ctx_db_mark_fn *mark,
    void *arg, struct ctx_err *err);
int ctx_sqlite_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing);
struct ctx_stmt *ctx_sqlite_stmt_new(
    struct ctx_db *db, const char *sql, struct ctx_err *err);
void ctx_sqlite_stmt_free(struct ctx_db *db, struct ctx_stmt *q);
void ctx_sqlite_stmt_forget_idle(struct ctx_db *db);
struct ctx_stmt *ctx_sqlite_stmt_kept(
    struct ctx_db *db, enum ctx_stmt_id which, const char *sql, struct ctx_err *err);
int ctx_sqlite_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);
int ctx_sqlite_stmt_run(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);
int ctx_sqlite_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err);
void ctx_sqlite_stmt_bind_span(struct ctx_stmt *q, int at, struct ctx_span s);
void ctx_sqlite_stmt_bind_int(struct ctx_stmt *q, int at, int64_t v);
struct ctx_span ctx_sqlite_stmt_span(struct ctx_stmt *q, int col);
int64_t ctx_sqlite_stmt_int(struct ctx_stmt *q, int col);
void ctx_sqlite_stmt_bind_int64(struct ctx_stmt *q, int at, int64_t v);
void ctx_sqlite_stmt_bind_bytes(struct ctx_stmt *q, int at, struct ctx_span bytes);
void ctx_sqlite_stmt_bind_column(
    struct ctx_stmt *q, int at, struct ctx_stmt *from, int col);
enum ctx_column ctx_sqlite_stmt_type(struct ctx_stmt *q, int col);
int64_t ctx_sqlite_stmt_int64(struct ctx_stmt *q, int col);
bool ctx_sqlite_stmt_whole(struct ctx_stmt *q, int col, int64_t *v);
double ctx_sqlite_stmt_double(struct ctx_stmt *q, int col);
const char *ctx_sqlite_stmt_text(struct ctx_stmt *q, int col);
struct ctx_span ctx_sqlite_stmt_bytes(struct ctx_stmt *q, int col);
int ctx_sqlite_stmt_columns(struct ctx_stmt *q);
const char *ctx_sqlite_stmt_column_name(struct ctx_stmt *q, int col);
void ctx_sqlite_stmt_reset(struct ctx_stmt *q);
void ctx_sqlite_stmt_close(struct ctx_stmt *q);
int ctx_sqlite_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err);
int ctx_sqlite_check(
    struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err);
int ctx_sqlite_columns(struct ctx_db *db, struct ctx_buf *out, struct ctx_err *err);
int ctx_sqlite_cache(struct ctx_db *db, int kib, struct ctx_err *err);
int ctx_sqlite_index_add(
    struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err);
int ctx_sqlite_index_clear(struct ctx_db *db, struct ctx_err *err);
int ctx_sqlite_index_erase(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, int64_t *erased, struct ctx_err *err);
int ctx_sqlite_index_scrub(struct ctx_db *db, bool again, struct ctx_err *err);
/* Checks the whole full-text index, and calls fn with a description of the damage if the
 * index is damaged. Returns 0 or -1. */
int ctx_sqlite_index_check(
    struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err);
/* Checks the index pages that contain words of the query. Fails with CTX_ESTORE if one of
 * these pages is damaged. */
int ctx_sqlite_index_check_words(
    struct ctx_db *db, const char *query, struct ctx_err *err);
int ctx_sqlite_index_search(struct ctx_db *db, const struct ctx_index_query *query,
    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err);
int ctx_sqlite_index_count(struct ctx_db *db, const struct ctx_index_query *query,
    int64_t max, int64_t *n, struct ctx_err *err);

#endif
