/* Private to the store: column values, checked when they are read. A store can come from
 * anyone, and SQLite accepts any value in any column. */
#ifndef CTX_STORE_ROW_H
#define CTX_STORE_ROW_H

#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/stmt.h"

#define CTX_SESSION_NO_MAX INT64_C(0x7fffffff)
#define CTX_COUNT_MAX CTX_JSON_INT_MAX /* for counts of messages, tokens, milliseconds */

/* A row being read. The first wrong value sets err and wrong; further reads are safe. */
struct ctx_row {
	struct ctx_db *db;
	struct ctx_stmt *q;
	const char *table;
	struct ctx_err *err;
	bool wrong;
};

/* Reads an integer in least..most; returns least when the value is wrong. */
int64_t ctx_row_whole(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* As ctx_row_whole, but NULL is allowed and gives CTX_TIME_NONE. */
int64_t ctx_row_maybe(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* Reads a session's number, which is 1 or more. */
int64_t ctx_row_session(struct ctx_row *r, int col, const char *name);
/* Reads the id of a row of the session (session number << 32 | n) and returns n. */
int64_t ctx_row_of(struct ctx_row *r, int col, const char *name, int64_t session_no);

/* Reads a text without NUL bytes; the caller frees it. NULL when the column is NULL. */
char *ctx_row_text(struct ctx_row *r, int col, const char *name);
/* As ctx_row_text, but NULL is wrong; returns "" then. */
char *ctx_row_given(struct ctx_row *r, int col, const char *name);
/* Reads valid JSON, borrowed; absent when the column is NULL or wrong. */
struct ctx_span ctx_row_json(struct ctx_row *r, int col, const char *name);

/* Notes that the value of a column is wrong. */
void ctx_row_refuse(struct ctx_row *r, const char *name);
/* Returns 0, or -1 if a value was wrong. */
int ctx_row_end(const struct ctx_row *r);

#endif
