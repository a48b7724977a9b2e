/* Figures for those who operate a store. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/derived.h"
#include "store/purge.h"
#include "store/row.h"
#include "store/stats_sql.h"
#include "store/task_time.h"

static int
read_operation_counts(struct ctx_store *st, const struct ctx_stats_filter *f, int64_t now,
    struct ctx_operations *out, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	int64_t columns[4];
	int rc;

	ctx_buf_addf(&sql,
	    "WITH s AS ("
	    "SELECT * "
	    "FROM session "
	    "WHERE %s%s) "
	    "SELECT count(CASE WHEN status = 2 THEN 1 END), "
	    "count(CASE WHEN status <> 2 AND expires_at <= ?3 AND hold IS NULL THEN 1 END), "
	    "count(hold), "
	    "coalesce(min(CASE WHEN status = 0 "
	    "THEN coalesce(last_message_at, created_at) END), -1) "
	    "FROM s",
	    ctx_store_shown(st), f->user_id != NULL ? " AND user_id = ?2" : "");
	rc = ctx_stmt_ints(&st->db, sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_str(f->user_id), ctx_int(now)), columns,
	    4, err);
	ctx_buf_release(&sql);
	if (rc < 0)
		return -1;
	out->deleted = columns[0];
	out->expired = columns[1];
	out->held = columns[2];
	out->oldest_idle = columns[3] < 0     ? -1
			   : columns[3] < now ? (now - columns[3]) / 1000
					      : 0;
	return 0;
}

/* Counts failed requests. A request that has an answer did not fail. */
static int
count_failed(struct ctx_store *st, const struct ctx_stats_filter *f, int64_t *failed,
    struct ctx_err *err)
{
	char *sql = ctx_stats_sql(st, f,
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON r.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "
	    "WHERE r.response_seq IS NULL AND r.record LIKE '%\"status\":\"failed\"%'");
	int rc = ctx_stmt_ints(&st->db, sql, CTX_STATS_VALUES(st, f), failed, 1, err);

	free(sql);
	return rc < 0 ? -1 : 0;
}

static int
add_archive_bytes(void *arg, struct ctx_stmt *q, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_operations *out = arg;
	int64_t bytes = 0;

	if (ctx_json_int(ctx_json_get(ctx_stmt_span(q, 0), "bytes"), &bytes) && bytes > 0)
		out->archive_bytes += bytes;
	return 0;
}

/* ---- full-text index ---- */

struct session_mark {
	int64_t no, last, marked;
};

struct marks_read {
	struct session_mark *v;
	size_t n, cap;
};

static int
take_session_mark(void *arg, struct ctx_stmt *q, struct ctx_err *err CTX_UNUSED)
{
	struct marks_read *m = arg;

	CTX_MEM_GROW(m->v, m->n, m->cap);
	m->v[m->n++] = (struct session_mark){
	    ctx_stmt_int64(q, 0), ctx_stmt_int64(q, 1), 0};
	return 0;
}

static int
compare_session_marks(const void *a, const void *b)
{
	const struct session_mark *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

static int
take_index_mark(void *arg, struct ctx_stmt *q, struct ctx_err *err CTX_UNUSED)
{
	struct marks_read *m = arg;
	struct session_mark key = {.no = ctx_stmt_int64(q, 0)}, *found = NULL;

	if (m->n > 0)
		found = bsearch(&key, m->v, m->n, sizeof(key), compare_session_marks);
	if (found != NULL)
		found->marked = ctx_stmt_int64(q, 1);
	return 0;
}

/* Reads the mark of a session whose kept texts are still to be indexed. */
static int
take_waiting_mark(void *arg, struct ctx_stmt *q, struct ctx_err *err CTX_UNUSED)
{
	struct marks_read *m = arg;
	struct session_mark key = {.no = ctx_stmt_int64(q, 0)}, *found = NULL;

	if (m->n > 0)
		found = bsearch(&key, m->v, m->n, sizeof(key), compare_session_marks);
	if (found != NULL && found->last < ctx_stmt_int64(q, 1))
		found->last = ctx_stmt_int64(q, 1);
	return 0;
}

static int
measure_index(struct ctx_store *st, const struct ctx_stats_filter *f,
    struct ctx_operations *out, struct ctx_err *err)
{
	struct marks_read m = {NULL, 0, 0};
	char *sql = ctx_stats_sql(st, f,
	    "SELECT no, CASE WHEN " CTX_SESSION_HAS_BODIES " THEN last_seq ELSE 0 END "
	    "FROM s "
	    "WHERE status <> 2 "
	    "ORDER BY no");
	int rc = ctx_stmt_rows(
	    &st->db, sql, CTX_STATS_VALUES(st, f), take_session_mark, &m, err);

	free(sql);
	if (rc >= 0 && ctx_derived_exists(st))
		rc = ctx_stmt_rows(ctx_store_derived(st, err),
		    "SELECT session_no, seq FROM mark WHERE kind = ?1",
		    CTX_VALUES(ctx_str("fulltext")), take_index_mark, &m, err);
	if (rc >= 0 && ctx_derived_exists(st))
		rc = ctx_stmt_rows(ctx_store_derived(st, err),
		    "SELECT session_no, seq FROM mark WHERE kind = ?1",
		    CTX_VALUES(ctx_str("fulltext-kept")), take_waiting_mark, &m, err);
	for (size_t i = 0; i < m.n; i++)
		if (m.v[i].last > m.v[i].marked)
			out->index_behind += m.v[i].last - m.v[i].marked;
	free(m.v);
	return rc < 0 ? -1 : 0;
}

int
ctx_stats_operations(struct ctx_store *st, const struct ctx_stats_filter *f, int64_t now,
    struct ctx_operations *out, struct ctx_err *err)
{
	char *sql;
	int rc;

	memset(out, 0, sizeof(*out));
	out->last_check = ctx_store_task_time(st, "check");
	out->last_backup = ctx_store_task_time(st, "backup");
	if (read_operation_counts(st, f, now, out, err) < 0 ||
	    count_failed(st, f, &out->failed_requests, err) < 0)
		return -1;
	sql = ctx_stats_sql(st, f, "SELECT archive FROM s WHERE archive IS NOT NULL");
	rc = ctx_stmt_rows(
	    &st->db, sql, CTX_STATS_VALUES(st, f), add_archive_bytes, out, err);
	free(sql);
	return rc < 0 ? -1 : measure_index(st, f, out, err);
}
