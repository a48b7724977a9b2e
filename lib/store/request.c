/* Requests and events: records that are stored as they were made. */
#include "store/row.h"

#include <stdlib.h>

#include "base/mem.h"
#include "record/request.h"
#include "store/content.h"
#include "store/request_chain.h"

/* Stores a request's texts apart and the rest of the record in its row. */
int
ctx_store_request_replace(struct ctx_store *st, const struct ctx_session *s, int64_t id,
    struct ctx_span record, struct ctx_err *err)
{
	struct ctx_buf fresh = CTX_BUF_INIT, packed = CTX_BUF_INIT;
	int rc = ctx_chain_shorten(st, s, record, &fresh, err);

	if (rc == 0)
		rc = ctx_content_pack(st, s->no, ctx_buf_span(&fresh), &packed, err);
	if (rc == 0)
		rc = ctx_stmt_do(&st->db, "UPDATE request SET record = ?2 WHERE id = ?1",
		    CTX_VALUES(ctx_int(id), ctx_text(ctx_buf_span(&packed))), err);
	ctx_buf_release(&fresh);
	ctx_buf_release(&packed);
	return rc;
}

int
ctx_store_request_put(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span request_id, int64_t for_seq, int64_t response_seq, int64_t created_at,
    struct ctx_span record, struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO request (id, request_id, for_seq, response_seq, created_at, "
	    "record) "
	    "VALUES (coalesce(("
	    "SELECT id "
	    "FROM request "
	    "WHERE request_id = ?3 AND id BETWEEN ?1 AND ?2), ("
	    "SELECT coalesce(max(id), ?1) + 1 "
	    "FROM request "
	    "WHERE id BETWEEN ?1 AND ?2)), ?3, ?4, nullif(?5, 0), ?6, ?7) "
	    "ON CONFLICT (id) "
	    "DO UPDATE SET response_seq = excluded.response_seq, record = excluded.record "
	    "WHERE request.response_seq IS NULL "
	    "AND request.request_id = excluded.request_id "
	    "RETURNING id";
	int64_t id = 0;
	int rc = ctx_stmt_add(&st->db, sql,
	    CTX_VALUES(CTX_SESSION_ROWS(s), ctx_text(request_id), ctx_int(for_seq),
		ctx_int(response_seq), ctx_int(created_at), ctx_str("")),
	    &id, err);

	return rc < 0 || id == 0 ? rc : ctx_store_request_replace(st, s, id, record, err);
}

int
ctx_store_event_add(struct ctx_store *st, const struct ctx_session *s, int64_t created_at,
    struct ctx_span record, int64_t *id, struct ctx_err *err)
{
#define INSERT_EVENT                                  \
	"INSERT INTO event (id, created_at, record) " \
	"VALUES (("                                   \
	"SELECT coalesce(max(id), ?1) + 1 "           \
	"FROM event "                                 \
	"WHERE id BETWEEN ?1 AND ?2), ?3, ?4)"
	struct ctx_value values[] = {
	    CTX_SESSION_ROWS(s), ctx_int(created_at), ctx_text(record)};

	/* SQLite makes a temporary table for what RETURNING returns */
	return id == NULL ? ctx_stmt_do(&st->db, INSERT_EVENT, values, 4, err)
			  : ctx_stmt_add(&st->db, INSERT_EVENT " RETURNING id", values, 4,
				id, err);
}

int
ctx_store_event_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err)
{
	return ctx_stmt_last_seq(&st->db, "event", s->no, n, err);
}

static int
for_each_request_record(struct ctx_store *st, const char *sql,
    const struct ctx_session *s, ctx_store_record_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(
	    &st->db, "record", sql, CTX_VALUES(CTX_SESSION_ROWS(s)), err);

	while (ctx_rows_next(&r)) {
		struct ctx_span record = ctx_row_json(&r, 0, "JSON");
		if (!r.wrong)
			r.rc = fn(arg, record, ctx_stmt_int64(r.q, 1), err);
	}
	return ctx_rows_end(&r);
}

struct unpack {
	struct ctx_store *st;
	int64_t session_no;
	ctx_store_record_fn *fn;
	void *arg;
};

static int
unpack_request_record(
    void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	struct unpack *u = arg;
	struct ctx_buf whole = CTX_BUF_INIT;
	int rc = ctx_content_unpack(u->st, u->session_no, record, &whole, err);

	if (rc == 0)
		rc = u->fn(u->arg, ctx_buf_span(&whole), response_seq, err);
	ctx_buf_release(&whole);
	return rc;
}

int
ctx_store_requests_stored(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err)
{
	return for_each_request_record(st,
	    "SELECT record, coalesce(response_seq, 0) "
	    "FROM request "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id",
	    s, fn, arg, err);
}

int
ctx_store_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err)
{
	struct unpack u = {st, s->no, fn, arg};

	return ctx_store_requests_stored(st, s, unpack_request_record, &u, err);
}

int
ctx_store_answered(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err)
{
	struct unpack u = {st, s->no, fn, arg};

	return for_each_request_record(st,
	    "SELECT record, response_seq "
	    "FROM request "
	    "WHERE id BETWEEN ?1 AND ?2 AND response_seq IS NOT NULL "
	    "ORDER BY id DESC",
	    s, unpack_request_record, &u, err);
}

int
ctx_store_failed(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err)
{
	static const char sql[] = "SELECT record, 0 "
				  "FROM (SELECT id, response_seq, record "
				  "FROM request "
				  "WHERE id BETWEEN ?1 AND ?2 "
				  "ORDER BY id DESC "
				  "LIMIT 8) newest "
				  "WHERE response_seq IS NULL "
				  "ORDER BY id DESC";
	struct unpack u = {st, s->no, fn, arg};

	return for_each_request_record(st, sql, s, unpack_request_record, &u, err);
}

struct last_model {
	const char *provider;
	struct ctx_buf *model;
};

static int
take_last_model(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct last_model *l = arg;
	struct ctx_span model = ctx_json_get(ctx_json_get(record, "params"), "model");

	if (!ctx_json_is_text(model) ||
	    (l->provider != NULL &&
		!ctx_json_is(ctx_json_get(record, "provider"), l->provider)))
		return 0;
	ctx_buf_addspan(l->model, model);
	return 1;
}

int
ctx_store_last_model(struct ctx_store *st, const struct ctx_session *s,
    const char *provider, struct ctx_buf *model, struct ctx_err *err)
{
	struct last_model l = {provider, model};

	return for_each_request_record(st,
	    "SELECT " CTX_STMT_BARE "record, 0 "
	    "FROM request "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id DESC "
	    "LIMIT 8",
	    s, take_last_model, &l, err);
}

int
ctx_store_events(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err)
{
	return for_each_request_record(st,
	    "SELECT record, 0 FROM event WHERE id BETWEEN ?1 AND ?2 ORDER BY id", s, fn,
	    arg, err);
}

struct copy {
	struct ctx_store *st;
	const struct ctx_session *to;
	int64_t seq; /* last message that is copied */
};

static int
copy_request(void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	struct copy *c = arg;
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_request r = CTX_REQUEST_INIT;
	int rc;

	if (response_seq == 0 || response_seq > c->seq)
		return 0;
	rc = ctx_request_parse(&r, record, err);
	if (rc == 0) {
		free(r.session_id);
		free(r.tenant_id);
		r.session_id = ctx_mem_str(c->to->session_id);
		r.tenant_id = ctx_mem_str(c->to->tenant_id);
		ctx_request_print(&out, &r);
		out.n--; /* without the newline */
		rc = ctx_store_request_put(c->st, c->to, ctx_span_of(r.request_id),
		    r.for_seq, response_seq, r.created_at, ctx_buf_span(&out), err);
	}
	ctx_request_release(&r);
	ctx_buf_release(&out);
	return rc;
}

int
ctx_store_requests_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    const struct ctx_session *to, struct ctx_err *err)
{
	struct copy c = {st, to, seq};

	return ctx_store_requests(st, from, copy_request, &c, err);
}

int
ctx_store_request_find(struct ctx_store *st, const char *request_id,
    struct ctx_session *session, char **record, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "request",
	    "SELECT r.record, s.session_id, s.no "
	    "FROM request r "
	    "JOIN session s ON s.no = (r.id >> 32) "
	    "WHERE r.request_id = ?1",
	    CTX_VALUES(ctx_str(request_id)), err);
	struct ctx_buf whole = CTX_BUF_INIT;

	*record = NULL;
	while (*record == NULL && ctx_rows_next(&r)) {
		char *session_id = ctx_stmt_str(r.q, 1);
		struct ctx_span packed;
		/* this look-up applies the tenant; another tenant's session may have the
		 * same id */
		int found = ctx_store_session_find(st, session_id, session, err);
		free(session_id);
		if (found == 1 && session->no == ctx_stmt_int64(r.q, 2)) {
			packed = ctx_row_json(&r, 0, "record");
			if (!r.wrong)
				found = ctx_content_unpack(
				    st, session->no, packed, &whole, err);
			if (!r.wrong && found == 0)
				*record = ctx_buf_detach(&whole);
		}
		r.rc = found < 0 ? -1 : 0;
	}
	ctx_buf_release(&whole);
	return ctx_rows_end(&r) < 0 ? -1 : *record != NULL;
}
