/* Reads SQLite databases of other programs without trusting these databases: functions
 * and virtual tables in their schemas are not run, and the length of values is
 * limited. */
#ifndef CTX_STORE_FOREIGN_H
#define CTX_STORE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_foreign;
struct ctx_stmt;

/* Opens the SQLite file at path. max: maximum length of a value in bytes; reading a
 * longer value fails. Other programs may write to the file while it is open, but all
 * reads see the state at the first read. The number of SQLite's steps for one row is
 * limited in proportion to the size of the file. Fails with CTX_EIO if the file cannot be
 * opened. */
int ctx_foreign_open(
    struct ctx_foreign **out, const char *path, size_t max, struct ctx_err *err);
void ctx_foreign_close(struct ctx_foreign *f);

/* Returns true if a table or column exists. name: TABLE or TABLE.COLUMN. */
bool ctx_foreign_has(struct ctx_foreign *f, const char *name);

/* Makes it fast to find rows by certain columns. names: the columns, each in the form
 * TABLE.COLUMN, NULL-terminated. If a table has many rows and no index on a named column,
 * the database is copied to a private temporary file, and the index is created there. A
 * column that cannot be indexed is ignored. Call this function before statements are
 * prepared. */
int ctx_foreign_index(
    struct ctx_foreign *f, const char *const names[], struct ctx_err *err);

/* Statements for use within the store layer; free them with ctx_stmt_close.
 * ctx_foreign_step returns 1 for a row, 0 at the end, -1 on error. The error is
 * CTX_EINPUT if a value is too long or damaged, or if SQLite needs too many steps to find
 * the row; the statement can then be reset and used again. */
int ctx_foreign_prepare(
    struct ctx_foreign *f, struct ctx_stmt **q, const char *sql, struct ctx_err *err);
int ctx_foreign_step(struct ctx_foreign *f, struct ctx_stmt *q, struct ctx_err *err);

/* Appends the names of all tables and their columns as {"tables":{NAME:[COLUMN, ...],
 * ...}}. Fails with CTX_EINPUT if the file is damaged. */
int ctx_foreign_tables(struct ctx_foreign *f, struct ctx_buf *out, struct ctx_err *err);

/* Called for each row. json: the first column of the row (JSON text), borrowed for the
 * call. To stop, the function sets err and returns -1. */
typedef int ctx_foreign_fn(void *arg, struct ctx_span json, struct ctx_err *err);

/* Runs the statements of an SQL script in order, and calls fn for each row. A statement
 * after a comment line "-- with TABLE ..." runs only if all named tables exist; a
 * statement after "-- without TABLE ..." runs only if none of them exists. The comment
 * can also name a column (TABLE.COLUMN). Fails with CTX_EINPUT if a statement fails. */
int ctx_foreign_run(struct ctx_foreign *f, struct ctx_span script, ctx_foreign_fn *fn,
    void *arg, struct ctx_err *err);

#endif
