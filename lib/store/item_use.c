/* Lists requests in the order in which the use of items is determined from them. */
#include "store/stmt.h"

#include "store/item.h"

/* Reads the record of one request. It is not part of the sorted list, because the sorting
 * would carry all records along. */
static int
read_item_request(struct ctx_store *st, struct ctx_stmt *q, int64_t id,
    const struct ctx_session *s, ctx_item_request_fn *fn, void *arg, struct ctx_err *err)
{
	int rc;

	ctx_stmt_reset(q);
	ctx_stmt_bind_int(q, 1, id);
	rc = ctx_stmt_step(&st->db, q, err);
	if (rc == 1) {
		struct ctx_item_request r = {
		    s, ctx_stmt_int64(q, 1), ctx_stmt_span(q, 0)};
		rc = fn(arg, &r, err);
	}
	ctx_stmt_reset(q);
	return rc;
}

static struct ctx_stmt *
prepare_item_request_list(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_stmt *q;

	ctx_buf_addf(&sql,
	    "SELECT r.id "
	    "FROM request r "
	    "JOIN session s ON s.no = (r.id >> 32) "
	    "WHERE r.id BETWEEN ?2 AND ?3 AND %s "
	    "AND (s.status <> 2 OR ?2 > 0) "
	    "ORDER BY r.id >> 32, coalesce(r.response_seq, 0) DESC, r.id DESC",
	    ctx_store_shown(st));
	q = ctx_stmt_new(&st->db, sql.p, err);
	ctx_buf_release(&sql);
	if (q == NULL)
		return NULL;
	ctx_stmt_bind_int(q, 2, s == NULL ? 0 : ctx_row_id(s->no, 0));
	ctx_stmt_bind_int(q, 3, s == NULL ? INT64_MAX : ctx_row_id(s->no, CTX_SEQ_MAX));
	ctx_stmt_bind_str(q, 1, st->tenant);
	return q;
}

int
ctx_item_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_item_request_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_stmt *q = prepare_item_request_list(st, s, err);
	struct ctx_stmt *one = ctx_stmt_new(&st->db,
	    "SELECT record, coalesce(response_seq, 0) FROM request WHERE id = ?1", err);
	struct ctx_session at = CTX_SESSION_INIT;
	int rc = q == NULL || one == NULL ? -1 : 0;

	while (rc >= 0 && (rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		int64_t id = ctx_stmt_int64(q, 0), no = id >> 32;
		if (s == NULL && at.no != no) {
			ctx_session_release(&at);
			rc = ctx_store_session_get(st, no, &at, err);
		}
		if (rc == 1)
			rc = read_item_request(
			    st, one, id, s == NULL ? &at : s, fn, arg, err);
	}
	ctx_session_release(&at);
	ctx_stmt_close(q);
	ctx_stmt_close(one);
	return rc < 0 ? -1 : 0;
}
