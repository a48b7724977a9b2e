#include "store/restore_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/item.h"
#include "store/link.h"
#include "store/row.h"
#include "store/summary.h"

/* Returns the record with the session's new id. */
static struct ctx_span
replace_session_id(struct ctx_restore *r, struct ctx_span line)
{
	struct ctx_buf id = CTX_BUF_INIT;

	if (strcmp(r->old_id, r->want.session_id) == 0)
		return line;
	ctx_buf_reset(&r->record);
	ctx_json_put_string(&id, ctx_span_of(r->want.session_id));
	ctx_json_put_changed(&r->record, line, "session_id", ctx_buf_span(&id));
	ctx_buf_release(&id);
	return ctx_buf_span(&r->record);
}

static int64_t
int_of(struct ctx_span record, const char *key)
{
	int64_t v;

	return ctx_json_int(ctx_json_get(record, key), &v) ? v : 0;
}

static int64_t
parse_record_time(struct ctx_restore *r, struct ctx_span record)
{
	struct ctx_span text = ctx_json_text(
	    ctx_json_get(record, "created_at"), &r->text);
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t ms;

	return ctx_time_parse(text, &ms, &ignored) == 0 ? ms : r->want.created_at;
}

/* Restores a request. A request id is unique among the sessions of a tenant: if another
 * session has it, the request is left out. Requests of other tenants do not matter. */
static int
restore_request(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	int64_t created_at = parse_record_time(r, line), no;
	struct ctx_span id = ctx_json_text(ctx_json_get(line, "request_id"), &r->text);
	int rc = ctx_stmt_ints(&r->st->db,
	    "SELECT r.id >> 32 "
	    "FROM request r "
	    "JOIN session s ON s.no = r.id >> 32 "
	    "WHERE r.request_id = ?1 "
	    "AND s.tenant_id = coalesce(?3, '') "
	    "ORDER BY s.no = ?2",
	    CTX_VALUES(ctx_text(id), ctx_int(r->want.no), ctx_str(r->want.tenant_id)),
	    &no, 1, err);

	if (rc == 1 && no != r->want.no)
		r->left_out++;
	if (rc != 0 || r->trial)
		return rc < 0 ? -1 : 0;
	return ctx_store_request_put(r->st, &r->want, id, int_of(line, "for_seq"),
	    int_of(line, "response_seq"), created_at, replace_session_id(r, line), err);
}

/* Restores an event under its number, because hidden ranges name events by number. */
static int
restore_event(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	int64_t created_at = parse_record_time(r, line);

	r->events++;
	return ctx_stmt_do(&r->st->db,
	    "INSERT INTO event (id, created_at, record) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT DO NOTHING",
	    CTX_VALUES(ctx_int(ctx_row_id(r->want.no, r->events)), ctx_int(created_at),
		ctx_text(replace_session_id(r, line))),
	    err);
}

static int
put_hidden(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	int64_t event = int_of(line, "event");
	struct ctx_seq_range range = {
	    int_of(line, "first_seq"), int_of(line, "last_seq")};

	return ctx_stmt_do(&r->st->db,
	    "INSERT INTO hidden (first_id, last_id, event) "
	    "SELECT ?1, ?2, ?3 "
	    "WHERE NOT EXISTS ("
	    "SELECT 1 "
	    "FROM hidden "
	    "WHERE first_id BETWEEN ?4 AND ?2 AND last_id >= ?1)",
	    CTX_VALUES(ctx_int(ctx_row_id(r->want.no, range.first)),
		ctx_int(ctx_row_id(r->want.no, range.last)),
		ctx_int(event > 0 ? ctx_row_id(r->want.no, event) : 0),
		ctx_int(ctx_row_id(r->want.no, 0))),
	    err);
}

static int
restore_summary(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_store_summary m = {0};
	int rc = ctx_store_summary_parse(&m, line, err);

	if (rc == 0)
		rc = ctx_store_summary_restore(r->st, &r->want, &m, err);
	ctx_store_summary_release(&m);
	return rc;
}

static int
put_share(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	char *user = ctx_json_strdup(ctx_json_get(line, "user_id"));
	int rc = user == NULL ? 0 : ctx_store_session_share(r->st, &r->want, user, err);

	free(user);
	return rc;
}

static int
restore_session_item(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_span added = ctx_json_text(ctx_json_get(line, "added_at"), &r->text);
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_session_item item = {
	    .type = ctx_json_strdup(ctx_json_get(line, "type")),
	    .server_name = ctx_json_strdup(ctx_json_get(line, "server_name")),
	    .name = ctx_json_strdup(ctx_json_get(line, "name")),
	    .include_mode = ctx_json_strdup(ctx_json_get(line, "include_mode"))};
	int rc = 0;

	if (ctx_time_parse(added, &item.added_at, &ignored) < 0)
		item.added_at = r->want.created_at;
	if (item.server_name == NULL)
		item.server_name = ctx_mem_str("");
	if (item.type != NULL && item.name != NULL && item.include_mode != NULL)
		rc = ctx_session_item_add(r->st, &r->want, &item, err);
	free(item.type);
	free(item.server_name);
	free(item.name);
	free(item.include_mode);
	return rc < 0 ? -1 : 0;
}

int
ctx_restore_record(
    struct ctx_restore *r, const struct ctx_record *rec, struct ctx_err *err)
{
	struct ctx_span kind;

	if (r->trial && rec->kind != CTX_KIND_REQUEST)
		return 0;
	switch (rec->kind) {
	case CTX_KIND_REQUEST:
		return restore_request(r, rec->line, err);
	case CTX_KIND_EVENT:
		return restore_event(r, rec->line, err);
	case CTX_KIND_ITEM:
		return restore_session_item(r, rec->line, err);
	case CTX_KIND_ENTITY:
		return ctx_link_restore(r->st, &r->want, rec->line, err);
	case CTX_KIND_OTHER:
		kind = ctx_json_get(rec->line, "kind");
		if (ctx_json_is(kind, "hidden"))
			return put_hidden(r, rec->line, err);
		if (ctx_json_is(kind, "summary"))
			return restore_summary(r, rec->line, err);
		return ctx_json_is(kind, "share") ? put_share(r, rec->line, err) : 0;
	default:
		return 0;
	}
}
