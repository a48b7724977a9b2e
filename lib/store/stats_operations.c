/* Figures for those who operate a store. */
#include <string.h>

#include "base/time.h"
#include "json/json.h"
#include "store/check.h"
#include "store/derived.h"
#include "store/purge.h"
#include "store/stats_sql.h"

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
	struct ctx_row r = ctx_stats_rows(st, f, "request",
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON r.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "
	    "WHERE r.response_seq IS NULL AND r.record LIKE '%\"status\":\"failed\"%'",
	    err);

	if (ctx_rows_next(&r))
		*failed = ctx_stmt_int64(r.q, 0);
	return ctx_rows_end(&r);
}

static int
sum_archive_bytes(struct ctx_store *st, const struct ctx_stats_filter *f, int64_t *sum,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_stats_rows(
	    st, f, "session", "SELECT archive FROM s WHERE archive IS NOT NULL", err);
	int64_t bytes;

	while (ctx_rows_next(&r))
		if (ctx_json_int(ctx_json_get(ctx_stmt_span(r.q, 0), "bytes"), &bytes) &&
		    bytes > 0)
			*sum += bytes;
	return ctx_rows_end(&r);
}

/* ---- full-text index ---- */

/* Sessions and marks are read in parallel, both ordered by number. A session's kept texts
 * up to the second mark are still to be indexed. */
static int
measure_index(struct ctx_store *st, const struct ctx_stats_filter *f,
    struct ctx_operations *out, struct ctx_err *err)
{
	struct ctx_row marks = {.rc = 1}; /* no rows */
	struct ctx_row r = ctx_stats_rows(st, f, "session",
	    "SELECT no, CASE WHEN " CTX_SESSION_HAS_BODIES " THEN last_seq ELSE 0 END "
	    "FROM s "
	    "ORDER BY no",
	    err);
	bool more;
	int rc;

	if (ctx_derived_exists(st))
		marks = ctx_rows(ctx_store_derived(st, err), "mark",
		    "SELECT session_no, max(CASE WHEN kind = 'fulltext' THEN seq ELSE 0 END), "
		    "max(CASE WHEN kind = 'fulltext' THEN 0 ELSE seq END) "
		    "FROM mark "
		    "WHERE kind IN ('fulltext', 'fulltext-kept') "
		    "GROUP BY session_no "
		    "ORDER BY session_no",
		    NULL, 0, err);
	more = ctx_rows_next(&marks);
	while (ctx_rows_next(&r)) {
		int64_t no = ctx_stmt_int64(r.q, 0), last = ctx_stmt_int64(r.q, 1);
		int64_t marked = 0;
		while (more && ctx_stmt_int64(marks.q, 0) < no)
			more = ctx_rows_next(&marks);
		if (more && ctx_stmt_int64(marks.q, 0) == no) {
			marked = ctx_stmt_int64(marks.q, 1);
			if (last < ctx_stmt_int64(marks.q, 2))
				last = ctx_stmt_int64(marks.q, 2);
		}
		if (last > marked)
			out->index_behind += last - marked;
	}
	rc = ctx_rows_end(&r);
	return ctx_rows_end(&marks) < 0 ? -1 : rc;
}

int
ctx_stats_operations(struct ctx_store *st, const struct ctx_stats_filter *f, int64_t now,
    struct ctx_operations *out, struct ctx_err *err)
{
	memset(out, 0, sizeof(*out));
	out->last_check = ctx_store_task_time(st, "check");
	out->last_backup = ctx_store_task_time(st, "backup");
	if (read_operation_counts(st, f, now, out, err) < 0 ||
	    count_failed(st, f, &out->failed_requests, err) < 0 ||
	    sum_archive_bytes(st, f, &out->archive_bytes, err) < 0)
		return -1;
	return measure_index(st, f, out, err);
}
