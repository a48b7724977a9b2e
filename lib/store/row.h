/* Private to the store: values of rows, checked as they are read. A store may come from
 * anywhere, and SQLite keeps any value in any column. */
#ifndef CTX_STORE_ROW_H
#define CTX_STORE_ROW_H

#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/stmt.h"

#define CTX_SESSION_NO_MAX INT64_C(0x7fffffff)
#define CTX_COUNT_MAX CTX_JSON_INT_MAX /* of messages, tokens, milliseconds */

/* A row of a table. The first wrong value sets err and wrong; reading on is safe. */
struct ctx_row {
	struct ctx_db *db;
	sqlite3_stmt *q;
	const char *table;
	struct ctx_err *err;
	bool wrong;
};

/* Whole numbers from least to most; least when the value is wrong. */
int64_t ctx_row_whole(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* The same where NULL is allowed: CTX_TIME_NONE. */
int64_t ctx_row_maybe(
    struct ctx_row *r, int col, const char *name, int64_t least, int64_t most);
/* The id of a row of the session, s->no << 32 | n: its n. */
int64_t ctx_row_of(struct ctx_row *r, int col, const char *name, int64_t session_no);

/* Text without NUL, owned; NULL where the column is NULL. */
char *ctx_row_text(struct ctx_row *r, int col, const char *name);
/* The same, and NULL is wrong: "" then. */
char *ctx_row_given(struct ctx_row *r, int col, const char *name);
/* Checked JSON. The span is borrowed; absent where the column is NULL or wrong. */
struct ctx_span ctx_row_json(struct ctx_row *r, int col, const char *name);

/* 0, or -1 when a value was wrong. */
int ctx_row_end(const struct ctx_row *r);

#endif
