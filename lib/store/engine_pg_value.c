/* The engine for PostgreSQL: values in its binary format. */
#include "store/engine_pg.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"

enum {
	TYPE_BOOL = 16,
	TYPE_INT2 = 21,
	TYPE_INT4 = 23,
	TYPE_FLOAT4 = 700,
	TYPE_FLOAT8 = 701,
	TYPE_NUMERIC = 1700,
};

/* ---- values to send ---- */

void
ctx_pg_stmt_bind(struct ctx_stmt *stmt, const struct ctx_value *values, size_t n)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	for (int i = 0; i < (int)n && i < q->n_values; i++) {
		struct ctx_pg_value *v = &q->values[i];
		struct ctx_span s = values[i].span;
		if (values[i].type != CTX_VALUE_INT) {
			*v = (struct ctx_pg_value){
			    .type = values[i].type == CTX_VALUE_TEXT ? CTX_PG_TEXT
								     : CTX_PG_BYTEA,
			    .null = s.p == NULL,
			    .bytes = s};
			continue;
		}
		*v = (struct ctx_pg_value){
		    .type = CTX_PG_INT8, .null = values[i].number == CTX_TIME_NONE};
		for (int b = 0; b < 8; b++)
			v->integer[b] = (char)((uint64_t)values[i].number >>
					       (56 - 8 * b));
	}
}

/* ---- values received ---- */

static bool
is_null(const struct ctx_pg_stmt *q, int col)
{
	return q->rows == NULL || q->row < 0 || q->row >= PQntuples(q->rows) ||
	       col >= PQnfields(q->rows) || PQgetisnull(q->rows, q->row, col);
}

static int64_t
read_big_endian(const char *p, int n)
{
	uint64_t v = n > 0 && (p[0] & 0x80) ? ~UINT64_C(0) : 0;

	for (int i = 0; i < n; i++)
		v = v << 8 | (unsigned char)p[i];
	return (int64_t)v;
}

/* Reads the whole part of a NUMERIC: the number of digits in base 10000, the weight of the
 * first digit, the sign, the number of decimals, and the digits. */
static int64_t
read_numeric(const char *p, int n)
{
	int digits = (int)read_big_endian(p, 2), weight = (int)read_big_endian(p + 2, 2);
	uint64_t v = 0;

	for (int i = 0; i <= weight; i++) {
		int at = 8 + 2 * i;
		v *= 10000;
		if (i < digits && at + 2 <= n)
			v += (uint64_t)read_big_endian(p + at, 2);
	}
	return read_big_endian(p + 4, 2) == 0x4000 ? -(int64_t)v : (int64_t)v;
}

/* The store's SQL never reads numbers with decimals, so only their type is determined. */
enum ctx_column
ctx_pg_stmt_type(struct ctx_stmt *stmt, int col)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	if (is_null(q, col))
		return CTX_COLUMN_NULL;
	switch (PQftype(q->rows, col)) {
	case TYPE_BOOL:
	case CTX_PG_INT8:
	case TYPE_INT2:
	case TYPE_INT4:
		return CTX_COLUMN_INTEGER;
	case TYPE_NUMERIC:
		return read_big_endian(PQgetvalue(q->rows, q->row, col) + 6, 2) == 0
			   ? CTX_COLUMN_INTEGER
			   : CTX_COLUMN_REAL;
	case TYPE_FLOAT4:
	case TYPE_FLOAT8:
		return CTX_COLUMN_REAL;
	case CTX_PG_BYTEA:
		return CTX_COLUMN_BLOB;
	default:
		return CTX_COLUMN_TEXT;
	}
}

int64_t
ctx_pg_stmt_int64(struct ctx_stmt *stmt, int col)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);
	const char *p;
	int n;

	if (is_null(q, col))
		return 0;
	p = PQgetvalue(q->rows, q->row, col);
	n = PQgetlength(q->rows, q->row, col);
	switch (PQftype(q->rows, col)) {
	case TYPE_NUMERIC:
		return read_numeric(p, n);
	case TYPE_BOOL:
	case CTX_PG_INT8:
	case TYPE_INT2:
	case TYPE_INT4:
		return read_big_endian(p, n);
	default:
		return strtoll(p, NULL, 10);
	}
}

bool
ctx_pg_stmt_whole(struct ctx_stmt *stmt, int col, int64_t *v)
{
	*v = ctx_pg_stmt_int64(stmt, col);
	return ctx_pg_stmt_type(stmt, col) == CTX_COLUMN_INTEGER;
}

struct ctx_span
ctx_pg_stmt_bytes(struct ctx_stmt *stmt, int col)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	if (is_null(q, col))
		return CTX_SPAN_NONE;
	return (struct ctx_span){
	    PQgetvalue(q->rows, q->row, col), (size_t)PQgetlength(q->rows, q->row, col)};
}

/* An integer can be read as text, as in SQLite. */
struct ctx_span
ctx_pg_stmt_span(struct ctx_stmt *stmt, int col)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	if (ctx_pg_stmt_type(stmt, col) != CTX_COLUMN_INTEGER)
		return ctx_pg_stmt_bytes(stmt, col);
	ctx_buf_reset(&q->column);
	ctx_buf_addi(&q->column, ctx_pg_stmt_int64(stmt, col));
	return ctx_buf_span(&q->column);
}

int
ctx_pg_stmt_columns(struct ctx_stmt *stmt)
{
	const struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	return q->rows == NULL ? 0 : PQnfields(q->rows);
}

const char *
ctx_pg_stmt_column_name(struct ctx_stmt *stmt, int col)
{
	const struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	return q->rows == NULL ? "" : PQfname(q->rows, col);
}
