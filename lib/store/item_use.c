/* Lists requests in the order in which the use of items is determined from them. */
#include "store/item.h"
#include "store/row.h"

/* Reads the record of one request. It is not part of the sorted list, because the sorting
 * would carry all records along. */
static int
read_item_request(struct ctx_store *st, int64_t id, const struct ctx_session *s,
    ctx_item_request_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "request",
	    "SELECT record, coalesce(response_seq, 0) FROM request WHERE id = ?1",
	    CTX_VALUES(ctx_int(id)), err);

	if (ctx_rows_next(&r)) {
		struct ctx_item_request one = {
		    s, ctx_stmt_int64(r.q, 1), ctx_stmt_span(r.q, 0)};
		r.rc = fn(arg, &one, err);
	}
	return ctx_rows_end(&r);
}

int
ctx_item_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_item_request_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_session at = CTX_SESSION_INIT;
	struct ctx_row r;

	ctx_buf_addf(&sql,
	    "SELECT r.id "
	    "FROM request r "
	    "JOIN session s ON s.no = (r.id >> 32) "
	    "WHERE r.id BETWEEN ?2 AND ?3 AND %s "
	    "AND (s.status <> 2 OR ?2 > 0) "
	    "ORDER BY r.id >> 32, coalesce(r.response_seq, 0) DESC, r.id DESC",
	    ctx_store_shown(st));
	r = ctx_rows(&st->db, "request", sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_int(s == NULL ? 0 : ctx_row_id(s->no, 0)),
		ctx_int(s == NULL ? INT64_MAX : ctx_row_id(s->no, CTX_SEQ_MAX))),
	    err);
	ctx_buf_release(&sql);
	while (ctx_rows_next(&r)) {
		int64_t id = ctx_stmt_int64(r.q, 0), no = id >> 32;
		int rc = 1;
		if (s == NULL && at.no != no) {
			ctx_session_release(&at);
			rc = ctx_store_session_get(st, no, &at, err);
		}
		if (rc == 1)
			rc = read_item_request(st, id, s == NULL ? &at : s, fn, arg, err);
		r.rc = rc < 0 ? -1 : 0;
	}
	ctx_session_release(&at);
	return ctx_rows_end(&r);
}
