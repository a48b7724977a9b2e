#include "store/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/time.h"

/* ---- values and statements ---- */

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

struct ctx_stmt *
ctx_stmt_query(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_new(db, sql, err);

	ctx_stmt_bind(q, values, n);
	return q;
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
ctx_stmt_last_seq(struct ctx_db *db, const char *table, int64_t session_no, int64_t *seq,
    struct ctx_err *err)
{
	struct ctx_session_run run = {session_no, session_no};
	struct ctx_buf sql = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&sql, "SELECT max(id) FROM %s WHERE id BETWEEN ?1 AND ?2", table);
	rc = ctx_stmt_ints(db, sql.p, CTX_VALUES(CTX_RUN_ROWS(run)), seq, 1, err);
	*seq = ctx_row_seq(*seq);
	ctx_buf_release(&sql);
	return rc < 0 ? -1 : 0;
}

int
ctx_stmt_change(struct ctx_db *db, const char *sql, const struct ctx_value *values,
    size_t n, struct ctx_err *err)
{
	return ctx_stmt_add(db, sql, values, n, NULL, err) < 0 ? -1
							       : (int)ctx_db_changes(db);
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
ctx_stmt_add(struct ctx_db *db, const char *sql, const struct ctx_value *values, size_t n,
    int64_t *key, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "row", sql, values, n, err);

	while (ctx_rows_next(&r))
		if (key != NULL)
			*key = ctx_stmt_int64(r.q, 0);
	return ctx_rows_end(&r);
}

/* ---- rows ---- */

struct ctx_row
ctx_rows(struct ctx_db *db, const char *table, const char *sql,
    const struct ctx_value *values, size_t n, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_query(db, sql, values, n, err);

	return (struct ctx_row){.db = db, .q = q, .table = table, .err = err};
}

bool
ctx_rows_next(struct ctx_row *r)
{
	int rc;

	if (r->rc != 0 || r->wrong)
		return false;
	rc = ctx_stmt_step(r->db, r->q, r->err);
	r->found |= rc == 1;
	r->rc = rc < 0 ? -1 : 0;
	return rc == 1;
}

int
ctx_rows_end(struct ctx_row *r)
{
	ctx_stmt_free(r->db, r->q);
	return r->rc < 0 || r->wrong ? -1 : 0;
}

int
ctx_rows_found(struct ctx_row *r)
{
	return ctx_rows_end(r) < 0 ? -1 : r->found;
}

void
ctx_row_refuse(struct ctx_row *r, const char *name)
{
	bool derived = r->db->kind != NULL && r->db->kind->derived;

	if (!r->wrong)
		ctx_err_set(r->err, CTX_ESTORE,
		    "store '%s': %s %s has an invalid %s (ctx-check %s)", r->db->path,
		    strchr("aeiou", r->table[0]) != NULL ? "an" : "a", r->table, name,
		    derived ? "--rebuild corrects it" : "shows which");
	r->wrong = true;
}

int64_t
ctx_row_whole(struct ctx_row *r, int col, const char *name, int64_t least, int64_t most)
{
	int64_t v;

	if (ctx_stmt_whole(r->q, col, &v) && v >= least && v <= most)
		return v;
	ctx_row_refuse(r, name);
	return least;
}

int64_t
ctx_row_maybe(struct ctx_row *r, int col, const char *name, int64_t least, int64_t most)
{
	return ctx_stmt_type(r->q, col) == CTX_COLUMN_NULL
		   ? CTX_TIME_NONE
		   : ctx_row_whole(r, col, name, least, most);
}

int64_t
ctx_row_time(struct ctx_row *r, int col, const char *name)
{
	return ctx_row_whole(r, col, name, -CTX_TIME_MAX, CTX_TIME_MAX);
}

int64_t
ctx_row_session(struct ctx_row *r, int col, const char *name)
{
	return ctx_row_whole(r, col, name, 1, CTX_SESSION_NO_MAX);
}

int64_t
ctx_row_of(struct ctx_row *r, int col, const char *name, int64_t session_no)
{
	return ctx_row_seq(ctx_row_whole(r, col, name, ctx_row_id(session_no, 0),
	    ctx_row_id(session_no, CTX_SEQ_MAX)));
}

char *
ctx_row_text(struct ctx_row *r, int col, const char *name)
{
	struct ctx_span s;

	if (ctx_stmt_type(r->q, col) == CTX_COLUMN_NULL)
		return NULL;
	s = ctx_stmt_span(r->q, col);
	if (ctx_stmt_type(r->q, col) != CTX_COLUMN_TEXT || s.p == NULL ||
	    memchr(s.p, '\0', s.n) != NULL) {
		ctx_row_refuse(r, name);
		return ctx_mem_str("");
	}
	return ctx_span_dup(s);
}

char *
ctx_row_given(struct ctx_row *r, int col, const char *name)
{
	char *s = ctx_row_text(r, col, name);

	if (s == NULL) {
		ctx_row_refuse(r, name);
		s = ctx_mem_str("");
	}
	return s;
}

struct ctx_span
ctx_row_json(struct ctx_row *r, int col, const char *name)
{
	enum ctx_column type = ctx_stmt_type(r->q, col);
	struct ctx_err ignored;

	if (type == CTX_COLUMN_NULL)
		return CTX_SPAN_NONE;
	if (type == CTX_COLUMN_TEXT &&
	    ctx_json_check(ctx_stmt_span(r->q, col), NULL, NULL, &ignored) == 0)
		return ctx_stmt_span(r->q, col);
	ctx_row_refuse(r, name);
	return CTX_SPAN_NONE;
}
