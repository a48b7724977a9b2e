/* Private to the store: keeps the database file free of bytes of deleted rows. SQLite
 * overwrites the bytes of a deleted row. But if SQLite moves a row to another page, a
 * copy of the row's bytes remains on the old page. */
#ifndef CTX_STORE_ENGINE_SQLITE_BLANK_H
#define CTX_STORE_ENGINE_SQLITE_BLANK_H

#include <stdbool.h>

#include "store/stmt.h"

/* Returns the name of a VFS for sqlite3_open_v2. When this VFS writes a page to the
 * database file, it overwrites the unused bytes of the page with zeros. Returns NULL if
 * that VFS is not available. */
const char *ctx_blank_vfs(void);

/* Call this function before the database is opened. It manages a mark in the lock file of
 * the writers' queue. The mark says that the VFS of ctx_blank_vfs has written every page
 * of the database. If another program has written to the database without this VFS, the
 * mark is wrong. Such a program usually deletes the write-ahead log when it closes the
 * database, whereas ctx does not delete the log. Therefore ctx_blank_doubt removes the
 * mark if there is no log. */
void ctx_blank_doubt(const struct ctx_db *db);
bool ctx_blank_is_marked(struct ctx_db *db);
/* Sets the mark in the lock file which says that the VFS of ctx_blank_vfs has written
 * every page of the database. On failure, the mark is not set. */
void ctx_blank_mark(struct ctx_db *db);

#endif
