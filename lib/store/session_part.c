#include "store/row.h"

#include <stdlib.h>

/* Starts to read the ids of sessions of the tenant to which the store is restricted; more
 * is appended to the conditions, with the parameters ?2 (part) and ?3 (max). */
static struct ctx_row
list_shown(struct ctx_store *st, const char *more, const char *part, int max,
    struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_row r;

	ctx_buf_addf(&sql, "SELECT DISTINCT session_id FROM session WHERE %s %s",
	    ctx_store_shown(st), more);
	r = ctx_rows(&st->db, "session", sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_str(part), ctx_int(max)), err);
	ctx_buf_release(&sql);
	return r;
}

int
ctx_store_session_part(
    struct ctx_store *st, const char *part, char *ids[], int max, struct ctx_err *err)
{
	struct ctx_row r = list_shown(st,
	    "AND length(?2) >= 4 "
	    "AND (substr(session_id, 1, length(?2)) = ?2 "
	    "OR substr(session_id, length(session_id) - length(?2) + 1) = ?2) "
	    "ORDER BY session_id "
	    "LIMIT ?3",
	    part, max, err);
	int n = 0;

	while (n < max && ctx_rows_next(&r)) {
		ids[n] = ctx_stmt_str(r.q, 0);
		n += ids[n] != NULL;
	}
	return ctx_rows_end(&r) < 0 ? -1 : n;
}

int
ctx_store_session_ids(struct ctx_store *st, void (*fn)(void *arg, const char *session_id),
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = list_shown(st, "", NULL, 0, err);

	while (ctx_rows_next(&r)) {
		char *id = ctx_stmt_str(r.q, 0);
		if (id != NULL)
			fn(arg, id);
		free(id);
	}
	return ctx_rows_end(&r);
}

int
ctx_store_session_last(struct ctx_store *st, int64_t *order, struct ctx_err *err)
{
	return ctx_stmt_number(&st->db,
	    ctx_db_is_whole(&st->db) ? "SELECT coalesce(max(ordinal), 0) FROM session"
				     : "SELECT coalesce(max(no), 0) FROM session",
	    order, err);
}
