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

static double
read_real(const char *p, int n)
{
	uint64_t bits = (uint64_t)read_big_endian(p, n);
	uint32_t half = (uint32_t)bits;
	float f;
	double d;

	if (n == 4) {
		memcpy(&f, &half, sizeof(f));
		return f;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* Reads a NUMERIC: the number of digits in base 10000, the weight of the first digit, the
 * sign, the number of decimals, and the digits. */
static double
read_numeric(const char *p, int n, int64_t *whole)
{
	int digits = (int)read_big_endian(p, 2), weight = (int)read_big_endian(p + 2, 2);
	bool negative = read_big_endian(p + 4, 2) == 0x4000;
	double d = 0, scale = 1;
	int64_t v = 0;

	for (int i = 0; i <= weight || i < digits; i++) {
		int digit = i < digits && 8 + 2 * i + 2 <= n
				? (int)read_big_endian(p + 8 + 2 * i, 2)
				: 0;
		if (i <= weight) {
			v = (int64_t)((uint64_t)v * 10000 + (uint64_t)digit);
			d = d * 10000 + digit;
		} else {
			scale /= 10000;
			d += digit * scale;
		}
	}
	*whole = negative ? -v : v;
	return negative ? -d : d;
}

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

static void
read_number_of(struct ctx_pg_stmt *q, int col, int64_t *whole, double *real)
{
	const char *p = PQgetvalue(q->rows, q->row, col);
	int n = PQgetlength(q->rows, q->row, col);

	switch (PQftype(q->rows, col)) {
	case TYPE_BOOL:
		*whole = p[0] != 0;
		*real = (double)*whole;
		break;
	case TYPE_NUMERIC:
		*real = read_numeric(p, n, whole);
		break;
	case TYPE_FLOAT4:
	case TYPE_FLOAT8:
		*real = read_real(p, n);
		*whole = (int64_t)*real;
		break;
	case CTX_PG_INT8:
	case TYPE_INT2:
	case TYPE_INT4:
		*whole = read_big_endian(p, n);
		*real = (double)*whole;
		break;
	default:
		*whole = strtoll(p, NULL, 10);
		*real = strtod(p, NULL);
	}
}

int64_t
ctx_pg_stmt_int64(struct ctx_stmt *stmt, int col)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);
	int64_t whole = 0;
	double real = 0;

	if (!is_null(q, col))
		read_number_of(q, col, &whole, &real);
	return whole;
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

/* A number that is read as text has the form that SQLite would give it. */
struct ctx_span
ctx_pg_stmt_span(struct ctx_stmt *stmt, int col)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);
	enum ctx_column type = ctx_pg_stmt_type(stmt, col);
	int64_t whole;
	double real;

	if (type != CTX_COLUMN_INTEGER && type != CTX_COLUMN_REAL)
		return ctx_pg_stmt_bytes(stmt, col);
	read_number_of(q, col, &whole, &real);
	ctx_buf_reset(&q->column);
	if (type == CTX_COLUMN_INTEGER)
		ctx_buf_addi(&q->column, whole);
	else
		ctx_buf_addf(&q->column, "%.15g", real);
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
