/* Private to the store: reads column values and checks them. A store file can come from
 * anyone, and SQLite accepts any value in any column. */
#ifndef CTX_STORE_ROW_H
#define CTX_STORE_ROW_H

#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/stmt.h"

#define CTX_SESSION_NO_MAX INT64_C(0x7fffffff)
/* largest accepted number of messages, tokens or milliseconds */
#define CTX_COUNT_MAX CTX_JSON_INT_MAX

/* A row being read. The first wrong value sets *err, and sets the member wrong to true;
 * reading further columns is safe. */
struct ctx_row {
	struct ctx_db *db;
	struct ctx_stmt *q;
	const char *table;
	struct ctx_err *err;
	bool wrong;
};

/* Reads an integer, which must be in the range from least to most. Returns least if the
 * value is wrong. In all functions below, col is the number of the column, and name is
 * the name of the column for error messages. */
int64_t ctx_row_whole(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* Like ctx_row_whole, but accepts a NULL value, for which it returns CTX_TIME_NONE. The
 * column need not contain times. */
int64_t ctx_row_maybe(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
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
/* Returns 0 if all values were right, -1 if one was wrong. */
int ctx_row_end(const struct ctx_row *r);

#endif
