/* Reads databases of other programs without trusting them: no function or virtual table
 * that their schema names is run, and the length of values is limited. */
#ifndef CTX_STORE_FOREIGN_H
#define CTX_STORE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_foreign;
struct ctx_stmt;

/* Opens the SQLite file at path; max is the longest accepted value in bytes. Other
 * programs may keep writing: all reads see the state at the first read. CTX_EIO when the
 * file cannot be opened. The work for one row is limited in proportion to the file's
 * size. */
int ctx_foreign_open(
    struct ctx_foreign **out, const char *path, size_t max, struct ctx_err *err);
void ctx_foreign_close(struct ctx_foreign *f);

/* Does the table, or the column named TABLE.COLUMN, exist? */
bool ctx_foreign_has(struct ctx_foreign *f, const char *name);

/* Prepares for finding rows by columns, each named TABLE.COLUMN; the last name is NULL. If
 * a table with many rows has no index on its column, the database is copied to a private
 * temporary file in which the indexes are made. A column that cannot be indexed stays
 * without. Call before statements are prepared. */
int ctx_foreign_index(
    struct ctx_foreign *f, const char *const names[], struct ctx_err *err);

/* Statements for readers within the store layer; free them with ctx_stmt_close.
 * ctx_foreign_step returns 1 for a row, 0 at the end. CTX_EINPUT when a value is too
 * long, damaged or takes too much work; the statement can then be reset and used
 * again. */
int ctx_foreign_prepare(
    struct ctx_foreign *f, struct ctx_stmt **q, const char *sql, struct ctx_err *err);
int ctx_foreign_step(struct ctx_foreign *f, struct ctx_stmt *q, struct ctx_err *err);

/* Appends {"tables":{NAME:[COLUMN, …], …}}. CTX_EINPUT when the file is damaged. */
int ctx_foreign_tables(struct ctx_foreign *f, struct ctx_buf *out, struct ctx_err *err);

/* Called with the first column of each row, JSON text that is borrowed for the call.
 * Returns -1 with err set to stop. */
typedef int ctx_foreign_fn(void *arg, struct ctx_span json, struct ctx_err *err);

/* Runs the statements of an SQL script in order and calls fn for each row. A statement
 * after a line "-- with TABLE …" runs only if all of these tables exist; after "--
 * without TABLE …" only if none of them does. TABLE.COLUMN tests for a column. CTX_EINPUT
 * when a statement fails. */
int ctx_foreign_run(struct ctx_foreign *f, struct ctx_span script, ctx_foreign_fn *fn,
    void *arg, struct ctx_err *err);

#endif
