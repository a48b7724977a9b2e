/* Private to the engine on SQLite (engine_sqlite*.c): what a connection and a statement are. */
#ifndef CTX_STORE_ENGINE_SQLITE_H
#define CTX_STORE_ENGINE_SQLITE_H

#include <sqlite3.h>

#include "store/engine.h"

static inline sqlite3 *
ctx_sqlite(const struct ctx_db *db)
{
	return (sqlite3 *)db->h;
}

static inline sqlite3_stmt *
ctx_sqlite_stmt(struct ctx_stmt *q)
{
	return (sqlite3_stmt *)q;
}

/* Opens the file, or what a URI names, as the connection of db. Returns SQLite's code. */
int ctx_sqlite_open(struct ctx_db *db, const char *path, int flags);
/* Opens db->path for reading by its URI with the parameter behind. Returns SQLite's code. */
int ctx_db_open_uri(struct ctx_db *db, const char *parameter);

/* Lets the tables of the catalog be found, empty, until it is made. Returns SQLite's code. */
int ctx_db_attach_empty_catalog(struct ctx_db *db);

/* SQLite's hook behind a commit; arg is the struct ctx_db. */
int ctx_db_after_commit(void *arg, sqlite3 *h, const char *schema, int log_pages);

/* Adds the functions unhex, unzstd and protobuf_field to a connection, for scripts only; *max
 * is the most bytes that are unpacked, and is used as long as the connection is open. Returns
 * a code of SQLite's. */
int ctx_foreign_add_functions(sqlite3 *h, const size_t *max);

#endif
