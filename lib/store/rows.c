#include "store/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "store/row.h"

void
ctx_session_nos_sort(int64_t *nos, size_t n)
{
	qsort(nos, n, sizeof(*nos), ctx_compare_int64);
}

struct ctx_session_run
ctx_session_run_take(const int64_t *nos, size_t n, size_t *at)
{
	struct ctx_session_run run = {nos[*at], nos[*at]};

	while (++*at < n && nos[*at] <= run.last + 1)
		run.last = nos[*at];
	return run;
}

void
ctx_stmt_bind(struct ctx_stmt *q, const struct ctx_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct ctx_value *v = &values[i];
		int at = (int)i + 1;
		if (v->type == CTX_VALUE_INT)
			ctx_stmt_bind_int(q, at, v->number);
		else if (v->type == CTX_VALUE_TEXT)
			ctx_stmt_bind_span(q, at, v->span);
		else
			ctx_stmt_bind_bytes(q, at, v->span);
	}
}

struct ctx_stmt *
ctx_stmt_query(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_new(db, sql, err);

	ctx_stmt_bind(q, values, n);
	return q;
}

int
ctx_stmt_rows(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, ctx_row_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "row", sql, values, n, err);

	while (ctx_rows_next(&r))
		r.rc = fn(arg, r.q, err);
	return ctx_rows_end(&r);
}

int
ctx_stmt_list(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_whole what, struct ctx_numbers *list, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, what.table, sql, values, n, err);

	while (ctx_rows_next(&r)) {
		CTX_MEM_GROW(list->v, list->n, list->cap);
		list->v[list->n++] = ctx_row_whole(
		    &r, 0, what.name, what.least, what.most);
	}
	return ctx_rows_end(&r);
}

int
ctx_stmt_ints(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, int64_t *out, int columns, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "row", sql, values, n, err);

	memset(out, 0, (size_t)columns * sizeof(*out));
	if (ctx_rows_next(&r))
		for (int i = 0; i < columns; i++)
			if (ctx_stmt_type(r.q, i) != CTX_COLUMN_NULL)
				out[i] = ctx_row_whole(&r, i,
				    ctx_stmt_column_name(r.q, i), INT64_MIN, INT64_MAX);
	return ctx_rows_found(&r);
}

int
ctx_stmt_number(struct ctx_db *db, const char *sql, int64_t *out, struct ctx_err *err)
{
	return ctx_stmt_ints(db, sql, NULL, 0, out, 1, err) < 0 ? -1 : 0;
}

int
ctx_stmt_change(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_query(db, sql, values, n, err);
	int rc = ctx_stmt_run(db, q, err);

	ctx_stmt_free(db, q);
	return rc < 0 ? -1 : (int)ctx_db_changes(db);
}

int
ctx_stmt_each(struct ctx_db *db, const char *const sql[], const struct ctx_value *values,
    size_t n, int64_t *rows, struct ctx_err *err)
{
	int64_t before = db == NULL ? 0 : ctx_db_total_changes(db);

	for (; *sql != NULL; sql++)
		if (ctx_stmt_do(db, *sql, values, n, err) < 0)
			return -1;
	*rows += ctx_db_total_changes(db) - before;
	return 0;
}

int
ctx_stmt_do(struct ctx_db *db, const char *sql, const struct ctx_value *values, size_t n,
    struct ctx_err *err)
{
	return ctx_stmt_change(db, sql, values, n, err) < 0 ? -1 : 0;
}

int
ctx_stmt_insert(struct ctx_db *db, struct ctx_stmt *q, int64_t *key, struct ctx_err *err)
{
	int rc;

	while ((rc = ctx_stmt_step(db, q, err)) == 1)
		if (key != NULL)
			*key = ctx_stmt_int64(q, 0);
	ctx_stmt_reset(q);
	return rc;
}

int
ctx_stmt_add(struct ctx_db *db, const char *sql, const struct ctx_value *values, size_t n,
    int64_t *key, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_query(db, sql, values, n, err);
	int rc = ctx_stmt_insert(db, q, key, err);

	ctx_stmt_free(db, q);
	return rc;
}
