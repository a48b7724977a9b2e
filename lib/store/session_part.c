#include "store/rows.h"
#include "store/stmt.h"

#include <stdlib.h>

/* Prepares a query for the ids of sessions of the tenant to which the store is
 * restricted; more is appended to its conditions. */
static struct ctx_stmt *
prepare_shown(struct ctx_store *st, const char *more, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_stmt *q;

	ctx_buf_addf(&sql, "SELECT DISTINCT session_id FROM session WHERE %s %s",
	    ctx_store_shown(st), more);
	q = ctx_stmt_new(&st->db, sql.p, err);
	if (q != NULL)
		ctx_stmt_bind_str(q, 1, st->tenant);
	ctx_buf_release(&sql);
	return q;
}

int
ctx_store_session_part(
    struct ctx_store *st, const char *part, char *ids[], int max, struct ctx_err *err)
{
	struct ctx_stmt *q = prepare_shown(st,
	    "AND length(?2) >= 4 "
	    "AND (substr(session_id, 1, length(?2)) = ?2 "
	    "OR substr(session_id, length(session_id) - length(?2) + 1) = ?2) "
	    "ORDER BY session_id "
	    "LIMIT ?3",
	    err);
	int n = 0, rc = -1;

	ctx_stmt_bind_str(q, 2, part);
	ctx_stmt_bind_int64(q, 3, max);
	while (n < max && (rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		ids[n] = ctx_stmt_str(q, 0);
		n += ids[n] != NULL;
	}
	ctx_stmt_close(q);
	return rc < 0 ? -1 : n;
}

int
ctx_store_session_ids(struct ctx_store *st, void (*fn)(void *arg, const char *session_id),
    void *arg, struct ctx_err *err)
{
	struct ctx_stmt *q = prepare_shown(st, "", err);
	int rc;

	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		char *id = ctx_stmt_str(q, 0);
		if (id != NULL)
			fn(arg, id);
		free(id);
	}
	ctx_stmt_close(q);
	return rc < 0 ? -1 : 0;
}

int
ctx_store_session_last(struct ctx_store *st, int64_t *order, struct ctx_err *err)
{
	const char *sql = ctx_db_is_whole(&st->db)
			      ? "SELECT coalesce(max(ordinal), 0) FROM session"
			      : "SELECT coalesce(max(no), 0) FROM session";
	int rc = ctx_stmt_ints(&st->db, sql, NULL, 0, order, 1, err);

	return rc < 0 ? -1 : 0;
}
