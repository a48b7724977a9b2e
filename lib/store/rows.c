#include "store/rows.h"

#include <string.h>

#include "base/mem.h"
#include "store/row.h"

void
ctx_stmt_bind(sqlite3_stmt *q, const struct ctx_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct ctx_value *v = &values[i];
		int at = (int)i + 1;
		if (v->type == CTX_VALUE_INT)
			ctx_stmt_bind_int(q, at, v->number);
		else if (v->type == CTX_VALUE_TEXT)
			ctx_stmt_bind_span(q, at, v->span);
		else
			sqlite3_bind_blob64(q, at, v->span.p, v->span.n, SQLITE_STATIC);
	}
}

static sqlite3_stmt *
prepare_row_query(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err)
{
	sqlite3_stmt *q = db == NULL ? NULL : ctx_stmt_new(db, sql, err);

	if (q != NULL)
		ctx_stmt_bind(q, values, n);
	return q;
}

int
ctx_stmt_rows(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, ctx_row_fn *fn, void *arg, struct ctx_err *err)
{
	sqlite3_stmt *q = prepare_row_query(db, sql, values, n, err);
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
add_number(void *arg, sqlite3_stmt *q, struct ctx_err *err)
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
	sqlite3_stmt *q = prepare_row_query(db, sql, values, n, err);
	int rc = q == NULL ? -1 : ctx_stmt_step(db, q, err);

	memset(out, 0, (size_t)columns * sizeof(*out));
	for (int i = 0; rc == 1 && i < columns; i++) {
		struct ctx_row r = {db, q, "row", err, false};
		if (sqlite3_column_type(q, i) != SQLITE_NULL)
			out[i] = ctx_row_whole(
			    &r, i, sqlite3_column_name(q, i), INT64_MIN, INT64_MAX);
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
	sqlite3_stmt *q = prepare_row_query(db, sql, values, n, err);
	int rc = q == NULL ? -1 : ctx_stmt_run(db, q, err);

	ctx_stmt_free(db, q);
	return rc < 0 ? -1 : sqlite3_changes(db->h);
}

int
ctx_stmt_do(struct ctx_db *db, const char *sql, const struct ctx_value *values, size_t n,
    struct ctx_err *err)
{
	return ctx_stmt_change(db, sql, values, n, err) < 0 ? -1 : 0;
}
