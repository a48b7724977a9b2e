/* Private to the store: keeps the database file free of remains of deleted rows. SQLite
 * overwrites a deleted row, but does not overwrite the old place of a row that it moves
 * to another page. */
#ifndef CTX_STORE_ENGINE_SQLITE_BLANK_H
#define CTX_STORE_ENGINE_SQLITE_BLANK_H

#include <stdbool.h>

#include "store/stmt.h"

/* Returns the name of a VFS for sqlite3_open_v2. When this VFS writes to the database
 * file, it replaces all bytes outside of rows with zeros. Returns NULL if that VFS is not
 * available. */
const char *ctx_blank_vfs(void);

/* A mark in the lock file of the writers' queue says that the VFS of ctx_blank_vfs has
 * written every page of the database. The mark is wrong after another program has written
 * to the database without this VFS. Such a program usually removes the write-ahead log
 * when it closes the database, while ctx leaves the log in place. Therefore
 * ctx_blank_doubt removes the mark if there is no log. Call ctx_blank_doubt before the
 * database is opened. */
void ctx_blank_doubt(const struct ctx_db *db);
bool ctx_blank_is_marked(struct ctx_db *db);
/* Sets the mark in the lock file (see ctx_blank_doubt). On failure, the mark is not
 * set. */
void ctx_blank_mark(struct ctx_db *db);

#endif
