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

static struct ctx_pg_value *
value_at(struct ctx_stmt *stmt, int at)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	return at >= 1 && at <= q->n_values ? &q->values[at - 1] : NULL;
}

void
ctx_pg_put_int(struct ctx_pg_value *v, int64_t number)
{
	*v = (struct ctx_pg_value){.type = CTX_PG_INT8};
	for (int i = 0; i < 8; i++)
		v->integer[i] = (char)((uint64_t)number >> (56 - 8 * i));
}

void
ctx_pg_stmt_bind_int64(struct ctx_stmt *q, int at, int64_t number)
{
	struct ctx_pg_value *v = value_at(q, at);

	if (v != NULL)
		ctx_pg_put_int(v, number);
}

void
ctx_pg_stmt_bind_int(struct ctx_stmt *q, int at, int64_t number)
{
	struct ctx_pg_value *v = value_at(q, at);

	if (v == NULL)
		return;
	ctx_pg_put_int(v, number);
	v->null = number == CTX_TIME_NONE;
}

static void
bind_span_as(struct ctx_stmt *q, int at, struct ctx_span s, Oid type)
{
	struct ctx_pg_value *v = value_at(q, at);

	if (v != NULL)
		*v = (struct ctx_pg_value){.type = type, .null = s.p == NULL, .bytes = s};
}

void
ctx_pg_stmt_bind_span(struct ctx_stmt *q, int at, struct ctx_span s)
{
	bind_span_as(q, at, s, CTX_PG_TEXT);
}

void
ctx_pg_stmt_bind_bytes(struct ctx_stmt *q, int at, struct ctx_span s)
{
	bind_span_as(q, at, s, CTX_PG_BYTEA);
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
