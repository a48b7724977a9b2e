/* Private to the store: runs SQL statements, and reads and checks the columns of their
 * rows. All values are checked, because a store file can come from anyone, and SQLite
 * accepts any value in any column. */
#ifndef CTX_STORE_ROW_H
#define CTX_STORE_ROW_H

#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/stmt.h"

/* ---- values and statements ---- */

/* Each of these functions makes a value for a parameter of an SQL statement. */
static inline struct ctx_value
ctx_int(int64_t v)
{
	return (struct ctx_value){CTX_VALUE_INT, v, CTX_SPAN_NONE};
}

static inline struct ctx_value
ctx_text(struct ctx_span s)
{
	return (struct ctx_value){CTX_VALUE_TEXT, 0, s};
}

static inline struct ctx_value
ctx_str(const char *s)
{
	return ctx_text(ctx_span_of(s));
}

static inline struct ctx_value
ctx_bytes(struct ctx_span s)
{
	return (struct ctx_value){CTX_VALUE_BYTES, 0, s};
}

/* Expands to two arguments: an array of the values of ?1, ?2, ..., and the length of this
 * array. */
#define CTX_VALUES(...)                          \
	(const struct ctx_value[]){__VA_ARGS__}, \
	    sizeof((const struct ctx_value[]){__VA_ARGS__}) / sizeof(struct ctx_value)

/* These macros expand to two values for CTX_VALUES, a range of row ids. CTX_SEQ_ROWS: the
 * row ids of the messages of session *s with the sequence numbers first to last.
 * CTX_SESSION_ROWS: all row ids that session *s can have in a table. */
#define CTX_SEQ_ROWS(s, first, last)         \
	ctx_int(ctx_row_id((s)->no, first)), \
	    ctx_int(ctx_row_id((s)->no, (last) > CTX_SEQ_MAX ? CTX_SEQ_MAX : (last)))
#define CTX_SESSION_ROWS(s) CTX_SEQ_ROWS(s, 0, CTX_SEQ_MAX)
/* Expands to two values for CTX_VALUES: the range of the row ids of consecutive sessions
 * (struct ctx_session_run). */
#define CTX_RUN_ROWS(run) \
	ctx_int(ctx_row_id((run).first, 0)), ctx_int(ctx_row_id((run).last, CTX_SEQ_MAX))

/* Sessions with consecutive numbers, from first to last. Their row ids form one range, so
 * one statement can process all of them. */
struct ctx_session_run {
	int64_t first, last;
};
/* Sorts n session numbers in ascending order. */
void ctx_session_nos_sort(int64_t *nos, size_t n);

/* Finds sessions with consecutive numbers. nos: n session numbers in ascending order.
 * Returns the numbers from nos[*at] up to the next gap, and sets *at to the index of the
 * number after the gap, or to n. */
struct ctx_session_run ctx_session_run_take(const int64_t *nos, size_t n, size_t *at);

/* In the functions below, db is NULL if the database could not be opened; err is then
 * already set, and the functions return -1 or NULL. */

/* Like ctx_stmt_new, but also binds n values to the parameters ?1, ?2, ... of the
 * statement. */
struct ctx_stmt *ctx_stmt_query(struct ctx_db *db, const char *sql,
    const struct ctx_value *values, size_t n, struct ctx_err *err);

/* A column of integers: the names of the table and of the column (for error messages),
 * and the range of valid values. */
struct ctx_whole {
	const char *table, *name;
	int64_t least, most;
};
struct ctx_numbers {
	int64_t *v;
	size_t n, cap;
};
/* Reads the first column of all rows into *list. The values must be integers from
 * what.least to what.most (see ctx_row_whole). The caller frees list->v, also after an
 * error. Returns 0 or -1. */
int ctx_stmt_list(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_whole what, struct ctx_numbers *list, struct ctx_err *err);

/* Reads the first row: sets out[0], out[1], ... to the integers in the row's first
 * columns. columns: number of columns to read. NULL is read as 0. Returns 1 if there is a
 * row, -1 on error. If there is no row, sets these elements of out to 0 and returns 0. */
int ctx_stmt_ints(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, int64_t *out, int columns, struct ctx_err *err);

/* Sets *out to the integer in the first row of a statement without parameters, such as a
 * PRAGMA. Sets *out to 0 if there is no row. Returns 0 on success, -1 on error. */
int ctx_stmt_number(
    struct ctx_db *db, const char *sql, int64_t *out, struct ctx_err *err);

/* Sets *seq to the largest sequence number that the session's row ids in a table contain,
 * or to 0 if the table has no row of the session. Returns 0 or -1. */
int ctx_stmt_last_seq(struct ctx_db *db, const char *table, int64_t session_no,
    int64_t *seq, struct ctx_err *err);

/* Runs a statement that changes rows. Returns the number of changed rows, or -1 on
 * error. */
int ctx_stmt_change(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err);

/* Runs several statements that change rows, with the same values. sql: the statements,
 * followed by NULL. Adds the number of changed rows to *rows. Returns 0 or -1. */
int ctx_stmt_each(struct ctx_db *db, const char *const sql[],
    const struct ctx_value *values, size_t n, int64_t *rows, struct ctx_err *err);

/* Runs an INSERT that ends with RETURNING and the name of the integer key column. If a
 * row was inserted and key is not NULL, sets *key to the key of this row. Returns 0 or
 * -1. */
int ctx_stmt_add(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, int64_t *key, struct ctx_err *err);

/* Like ctx_stmt_change, but returns 0 on success instead of the number of changed
 * rows. */
int ctx_stmt_do(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err);

/* ---- rows ---- */

#define CTX_SESSION_NO_MAX INT64_C(0x7fffffff)
/* largest accepted number of messages, tokens or milliseconds */
#define CTX_COUNT_MAX CTX_JSON_INT_MAX

/* The current row of a query. A value is wrong if it has the wrong type or is out of
 * range. The first wrong value sets *err, and sets the member "wrong" to true; further
 * columns can still be read. */
struct ctx_row {
	struct ctx_db *db;
	struct ctx_stmt *q;
	const char *table; /* name of the table, as shown in error messages */
	struct ctx_err *err;
	bool wrong; /* true: a value was wrong */
	bool found; /* true: at least one row was read */
	/* 0: continue. To stop, the caller sets this member to 1 after reading a row. To
	 * fail, the caller sets *err, and sets this member to -1. */
	int rc;
};

/* Starts to read the rows of a query. The caller reads them with ctx_rows_next, and must
 * then call ctx_rows_end or ctx_rows_found. db is NULL if the database could not be
 * opened; err is then already set, and reading fails. */
struct ctx_row ctx_rows(struct ctx_db *db, const char *table, const char *sql,
    const struct ctx_value *values, size_t n, struct ctx_err *err);
/* Moves to the next row and returns true. Returns false if there is no next row, if an
 * error occurred, if a value in the previous row was wrong, or if the caller has set
 * r->rc. */
bool ctx_rows_next(struct ctx_row *r);
/* Ends the reading. Returns 0, or -1 if reading failed or a value was wrong. */
int ctx_rows_end(struct ctx_row *r);
/* Like ctx_rows_end, but returns 1 instead of 0 if at least one row was read. */
int ctx_rows_found(struct ctx_row *r);

/* Reads an integer. least, most: smallest and largest valid value. If the value is wrong,
 * returns least. In all functions below, col: number of the column; name: name of the
 * column for error messages. */
int64_t ctx_row_whole(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* Like ctx_row_whole, but returns CTX_TIME_NONE for NULL. Can be used for integers of any
 * meaning, not only for times. */
int64_t ctx_row_maybe(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* Reads a time in ms since the epoch. */
int64_t ctx_row_time(struct ctx_row *r, int col, const char *name);
/* Reads the number of a session, which is 1 or more. */
int64_t ctx_row_session(struct ctx_row *r, int col, const char *name);
/* Reads a row id, session_no << 32 | n, and returns n. The row id of another session
 * counts as a wrong value. */
int64_t ctx_row_of(struct ctx_row *r, int col, const char *name, int64_t session_no);

/* Reads a text without NUL bytes; the caller frees it. Returns NULL if the column is
 * NULL, "" if the value is wrong. */
char *ctx_row_text(struct ctx_row *r, int col, const char *name);
/* Like ctx_row_text, but NULL counts as a wrong value. Never returns NULL. */
char *ctx_row_given(struct ctx_row *r, int col, const char *name);
/* Reads valid JSON, borrowed. Returns an absent span if the column is NULL or its value
 * is wrong. */
struct ctx_span ctx_row_json(struct ctx_row *r, int col, const char *name);

/* Records that the value of a column is wrong. name: the column's name. */
void ctx_row_refuse(struct ctx_row *r, const char *name);

#endif
