/* Private to the store: runs a statement with its values, and handles its rows, in one
 * call. */
#ifndef CTX_STORE_ROWS_H
#define CTX_STORE_ROWS_H

#include "store/stmt.h"

/* A value to bind. An absent text and CTX_TIME_NONE bind NULL. Texts are borrowed. */
struct ctx_value {
	enum { CTX_VALUE_INT, CTX_VALUE_TEXT, CTX_VALUE_BYTES } type;
	int64_t number;
	struct ctx_span span;
};

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

/* The values of ?1, ?2, ... as two arguments: the array and its length. */
#define CTX_VALUES(...)                          \
	(const struct ctx_value[]){__VA_ARGS__}, \
	    sizeof((const struct ctx_value[]){__VA_ARGS__}) / sizeof(struct ctx_value)

/* The row ids of the messages first and last of a session, as two values for CTX_VALUES;
 * CTX_SESSION_ROWS: the first and the last possible row id of the session. */
#define CTX_SEQ_ROWS(s, first, last)         \
	ctx_int(ctx_row_id((s)->no, first)), \
	    ctx_int(ctx_row_id((s)->no, (last) > CTX_SEQ_MAX ? CTX_SEQ_MAX : (last)))
#define CTX_SESSION_ROWS(s) CTX_SEQ_ROWS(s, 0, CTX_SEQ_MAX)
/* The first and the last possible row id of consecutive sessions (struct
 * ctx_session_run), as two values for CTX_VALUES. */
#define CTX_RUN_ROWS(run) \
	ctx_int(ctx_row_id((run).first, 0)), ctx_int(ctx_row_id((run).last, CTX_SEQ_MAX))

/* Sessions with consecutive numbers, from first to last. One statement on a range of row
 * ids can process all of them. */
struct ctx_session_run {
	int64_t first, last;
};
/* Sorts n session numbers in ascending order. */
void ctx_session_nos_sort(int64_t *nos, size_t n);

/* Returns the consecutive sessions that begin with number nos[*at], and sets *at to the
 * index of the first number after them. nos holds n session numbers in ascending
 * order. */
struct ctx_session_run ctx_session_run_take(const int64_t *nos, size_t n, size_t *at);

/* In the functions below, db may be NULL, as it is if opening the database failed and set
 * err; they then return -1. */

void ctx_stmt_bind(struct ctx_stmt *q, const struct ctx_value *values, size_t n);

/* Like ctx_stmt_new, and binds values. */
struct ctx_stmt *ctx_stmt_query(struct ctx_db *db, const char *sql,
    const struct ctx_value *values, size_t n, struct ctx_err *err);

/* Called for each row. Returns 0 to continue, 1 to stop, -1 with err set on error. */
typedef int ctx_row_fn(void *arg, struct ctx_stmt *q, struct ctx_err *err);

/* Runs a query and calls fn for each row. Returns 0 or -1. */
int ctx_stmt_rows(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, ctx_row_fn *fn, void *arg, struct ctx_err *err);

/* A column of integers: the names of the table and the column, for error messages, and
 * the range of valid values. */
struct ctx_whole {
	const char *table, *name;
	int64_t least, most;
};
struct ctx_numbers {
	int64_t *v;
	size_t n, cap;
};
/* Reads the first column of all rows into *list: integers, which must be in the range
 * from what.least to what.most (see ctx_row_whole in store/row.h). The caller frees
 * list->v, also after an error. Returns 0 or -1. */
int ctx_stmt_list(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_whole what, struct ctx_numbers *list, struct ctx_err *err);

/* Reads integers from the first columns of the first row into out; the argument columns
 * is their number. A NULL in the database is read as 0. Returns 1 if there is a row, -1
 * on error. If there is no row, sets all integers in out to 0 and returns 0. */
int ctx_stmt_ints(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, int64_t *out, int columns, struct ctx_err *err);

/* Sets *out to the integer in the first row of a statement without parameters, such as a
 * PRAGMA. Sets *out to 0 if there is no row. Returns 0 on success, -1 on error. */
int ctx_stmt_number(
    struct ctx_db *db, const char *sql, int64_t *out, struct ctx_err *err);

/* Runs a statement that changes rows. Returns the number of changed rows, or -1 on
 * error. */
int ctx_stmt_change(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err);

/* Runs several such statements with the same values, and adds the number of changed rows
 * to *rows. The last element of sql is NULL. Returns 0 or -1. */
int ctx_stmt_each(struct ctx_db *db, const char *const sql[],
    const struct ctx_value *values, size_t n, int64_t *rows, struct ctx_err *err);

/* Runs an INSERT that ends with RETURNING and its integer key, and resets the statement.
 * Sets *key (may be NULL) if a row was inserted. Returns 0 or -1. */
int ctx_stmt_insert(
    struct ctx_db *db, struct ctx_stmt *q, int64_t *key, struct ctx_err *err);
/* Like ctx_stmt_insert, but for a statement given as SQL text and values. */
int ctx_stmt_add(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, int64_t *key, struct ctx_err *err);

/* Like ctx_stmt_change, but returns 0 on success instead of the number of changed
 * rows. */
int ctx_stmt_do(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err);

#endif
