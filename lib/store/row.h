/* Private to the store: reads column values and checks them. A store file can come from
 * anyone, and SQLite accepts any value in any column. */
#ifndef CTX_STORE_ROW_H
#define CTX_STORE_ROW_H

#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/rows.h"

#define CTX_SESSION_NO_MAX INT64_C(0x7fffffff)
/* largest accepted number of messages, tokens or milliseconds */
#define CTX_COUNT_MAX CTX_JSON_INT_MAX

/* The current row of a query. The first wrong value sets *err and sets wrong to true; it
 * is still safe to read further columns. */
struct ctx_row {
	struct ctx_db *db;
	struct ctx_stmt *q;
	const char *table; /* name of the table, as shown in error messages */
	struct ctx_err *err;
	bool wrong; /* a value was wrong */
	bool found; /* there was a row */
	/* After reading a row, the caller may set rc to 1 to stop, or set *err and set rc
	 * to -1 to fail. */
	int rc;
};

/* Starts to read the rows of a query. The caller reads them with ctx_rows_next, and must
 * then call ctx_rows_end or ctx_rows_found. db may be NULL, as for ctx_stmt_query. */
struct ctx_row ctx_rows(struct ctx_db *db, const char *table, const char *sql,
    const struct ctx_value *values, size_t n, struct ctx_err *err);
/* Moves to the next row. Returns false if there is none, after an error, and after a row
 * in which a value was wrong or the caller set r->rc. */
bool ctx_rows_next(struct ctx_row *r);
/* Ends the reading. Returns 0, or -1 if it failed or a value was wrong. */
int ctx_rows_end(struct ctx_row *r);
/* Like ctx_rows_end, but returns 1 if there was a row. */
int ctx_rows_found(struct ctx_row *r);

/* Reads an integer, which must be in the range from least to most. Returns least if the
 * value is wrong. In all functions below, col is the number of the column, and name is
 * the name of the column for error messages. */
int64_t ctx_row_whole(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* Like ctx_row_whole, but accepts a NULL value, for which it returns CTX_TIME_NONE. The
 * column need not contain times. */
int64_t ctx_row_maybe(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* Reads a time in ms since the epoch. */
int64_t ctx_row_time(struct ctx_row *r, int col, const char *name);
/* Reads the number of a session, which is 1 or more. */
int64_t ctx_row_session(struct ctx_row *r, int col, const char *name);
/* Reads the row id of a row of the session (session number << 32 | n) and returns n. */
int64_t ctx_row_of(struct ctx_row *r, int col, const char *name, int64_t session_no);

/* Reads a text without NUL bytes; the caller frees it. Returns NULL if the column is
 * NULL, "" if the value is wrong. */
char *ctx_row_text(struct ctx_row *r, int col, const char *name);
/* Like ctx_row_text, but treats a NULL in the database as an invalid value. Never returns
 * NULL. */
char *ctx_row_given(struct ctx_row *r, int col, const char *name);
/* Reads valid JSON, borrowed. Returns an absent span if the column is NULL or its value
 * is wrong. */
struct ctx_span ctx_row_json(struct ctx_row *r, int col, const char *name);

/* Records that the value of the column is wrong; name is the column's name. */
void ctx_row_refuse(struct ctx_row *r, const char *name);

#endif
