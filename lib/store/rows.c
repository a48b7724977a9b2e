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

struct ctx_stmt *
ctx_stmt_kept(struct ctx_db *db, enum ctx_stmt_id which, const char *sql,
    const struct ctx_value *values, size_t n, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_keep(db, which, sql, err);

	ctx_stmt_bind(q, values, n);
	return q;
}

int
ctx_stmt_rows(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, ctx_row_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_query(db, sql, values, n, err);
	int rc = q == NULL ? -1 : 0;

	while (rc == 0 && (rc = ctx_stmt_step(db, q, err)) == 1)
		rc = fn(arg, q, err);
	ctx_stmt_free(db, q);
	return rc < 0 ? -1 : 0;
}

struct numbers_of {
	struct ctx_db *db;
	struct ctx_whole what;
	struct ctx_numbers *list;
};

static int
add_number(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct numbers_of *of = arg;
	struct ctx_numbers *l = of->list;
	struct ctx_row r = {of->db, q, of->what.table, err, false};

	CTX_MEM_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = ctx_row_whole(&r, 0, of->what.name, of->what.least, of->what.most);
	return ctx_row_end(&r);
}

int
ctx_stmt_list(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_whole what, struct ctx_numbers *list, struct ctx_err *err)
{
	struct numbers_of of = {db, what, list};

	return ctx_stmt_rows(db, sql, values, n, add_number, &of, err);
}

int
ctx_stmt_ints(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, int64_t *out, int columns, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_query(db, sql, values, n, err);
	int rc = ctx_stmt_step(db, q, err);

	memset(out, 0, (size_t)columns * sizeof(*out));
	for (int i = 0; rc == 1 && i < columns; i++) {
		struct ctx_row r = {db, q, "row", err, false};
		if (ctx_stmt_type(q, i) != CTX_COLUMN_NULL)
			out[i] = ctx_row_whole(
			    &r, i, ctx_stmt_column_name(q, i), INT64_MIN, INT64_MAX);
		if (ctx_row_end(&r) < 0)
			rc = -1;
	}
	ctx_stmt_free(db, q);
	return rc;
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

struct ctx_stmt *
ctx_stmt_range(struct ctx_store *st, const char *sql, const struct ctx_session *s,
    int64_t first, int64_t last, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_new(&st->db, sql, err);

	if (q != NULL) {
		ctx_stmt_bind_int(q, 1, ctx_row_id(s->no, first));
		ctx_stmt_bind_int(
		    q, 2, ctx_row_id(s->no, last > CTX_SEQ_MAX ? CTX_SEQ_MAX : last));
	}
	return q;
}
