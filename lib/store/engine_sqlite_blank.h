/* Private to the store: files in which no page keeps bytes of rows that are gone. SQLite
 * overwrites a row that is deleted, but moves rows from page to page without overwriting
 * where they were. */
#ifndef CTX_STORE_ENGINE_SQLITE_BLANK_H
#define CTX_STORE_ENGINE_SQLITE_BLANK_H

#include <stdbool.h>

#include "store/stmt.h"

/* Returns the name of a VFS for sqlite3_open_v2 that writes zeros to the database file in the
 * place of bytes that belong to no row, or NULL if there is none. */
const char *ctx_blank_vfs(void);

/* A mark in the file on which writers wait says that all pages were written in this way. Other
 * programs that use the database copy the log into it and remove the log when they leave.
 * Call ctx_blank_doubt before the database is opened: it takes the mark away if there is no
 * log. */
void ctx_blank_doubt(const struct ctx_db *db);
bool ctx_blank_is_marked(struct ctx_db *db);
/* Sets the mark. If that fails, there is none. */
void ctx_blank_mark(struct ctx_db *db);

#endif
