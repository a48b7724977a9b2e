/* Private to the store: a statement, its values and what becomes of its rows, in one call. */
#ifndef CTX_STORE_ROWS_H
#define CTX_STORE_ROWS_H

#include "store/stmt.h"

/* A value to bind; an absent text or CTX_TIME_NONE is NULL, texts are borrowed. */
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

/* The values of ?1, ?2, … as two arguments. */
#define CTX_VALUES(...)                          \
	(const struct ctx_value[]){__VA_ARGS__}, \
	    sizeof((const struct ctx_value[]){__VA_ARGS__}) / sizeof(struct ctx_value)

/* The ids of all rows of a session, among these. */
#define CTX_SESSION_ROWS(s) \
	ctx_int(ctx_row_id((s)->no, 0)), ctx_int(ctx_row_id((s)->no, CTX_SEQ_MAX))

/* In all of these db may be NULL, when opening it has failed and set err: that is -1. */

void ctx_stmt_bind(sqlite3_stmt *q, const struct ctx_value *values, size_t n);

/* Called for a row. 0 goes on, 1 stops, -1 with err set stops and fails. */
typedef int ctx_row_fn(void *arg, sqlite3_stmt *q, struct ctx_err *err);

/* All rows: 0, -1. */
int ctx_stmt_rows(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, ctx_row_fn *fn, void *arg, struct ctx_err *err);

/* The integers of the first row's first columns: 1; 0 there is none, and they are 0; -1. */
int ctx_stmt_ints(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, int64_t *out, int columns, struct ctx_err *err);

/* What a statement without values yields, such as a PRAGMA; 0 when that is no row. 0, -1. */
int ctx_stmt_number(
    struct ctx_db *db, const char *sql, int64_t *out, struct ctx_err *err);

/* A statement that changes rows: how many, or -1. */
int ctx_stmt_change(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err);

/* The same where nobody asks how many: 0, -1. */
int ctx_stmt_do(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err);

#endif
