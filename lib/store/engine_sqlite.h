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
};

static inline sqlite3_stmt *
ctx_sqlite_stmt(struct ctx_stmt *q)
{
	return q == NULL ? NULL : ((struct ctx_sqlite_stmt *)q)->h;
}

/* Returns a new struct ctx_stmt that owns the SQLite statement h; NULL if h is NULL. */
struct ctx_stmt *ctx_sqlite_wrap(sqlite3_stmt *h);

/* Opens an SQLite file and stores the connection in *db. path: path of the file, or a
 * URI; flags: flags of sqlite3_open_v2. Returns SQLite's result code. */
int ctx_sqlite_open(struct ctx_db *db, const char *path, int flags);
/* Opens the file db->path for reading. parameter: URI parameter to append to the path,
 * such as "?immutable=1". Returns SQLite's result code. */
int ctx_db_open_uri(struct ctx_db *db, const char *parameter);

/* Sets *api to FTS5's interface for extensions. Returns 0 or -1. */
int ctx_sqlite_fts5(struct ctx_db *db, fts5_api **api, struct ctx_err *err);

/* Attaches a schema with empty catalog tables, so that statements on them can be prepared
 * before the store has the tables. Returns SQLite's result code. */
int ctx_db_attach_empty_catalog(struct ctx_db *db);

/* SQLite calls this function after each commit (sqlite3_wal_hook). arg: the struct
 * ctx_db. */
int ctx_db_after_commit(void *arg, sqlite3 *h, const char *schema, int log_pages);

/* Adds the SQL functions unhex, unbase64, unzstd and protobuf_field to a connection;
 * importers use them. *max: maximum number of bytes that one call of such a function may
 * produce; it is read at each call, and must stay valid until the connection is closed.
 * Returns SQLite's result code. */
int ctx_foreign_add_functions(sqlite3 *h, const size_t *max);

/* ---- functions of ctx_engine_sqlite (struct ctx_engine, store/engine_table.h) ---- */

#define CTX_SQLITE_FUNCTION(function, name) __typeof__(function) ctx_sqlite_##name;
CTX_ENGINE_FUNCTIONS(CTX_SQLITE_FUNCTION)

/* Sets err from the connection's last failure. doing: beginning of the error message,
 * such as "cannot write". Returns -1. */
int ctx_sqlite_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing);

/* Checks the whole full-text index. If the index is damaged, calls fn with a description
 * of the damage. Returns 0, also for a damaged index, or -1 on error. */
int ctx_sqlite_index_check(
    struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err);
/* Checks the index pages that contain words of the query. Fails with CTX_ESTORE if one of
 * these pages is damaged. */
int ctx_sqlite_index_check_words(
    struct ctx_db *db, const char *query, struct ctx_err *err);

#endif
