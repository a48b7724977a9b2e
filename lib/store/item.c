#include "store/item.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/row.h"

void
ctx_definition_release(struct ctx_definition *d)
{
	char *owned[] = {d->agent, d->type, d->server_name, d->name, d->include,
	    d->modes_json, d->schema_json, d->content, d->sha256};

	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		free(owned[i]);
	*d = (struct ctx_definition)CTX_DEFINITION_INIT;
}

void
ctx_definition_called(struct ctx_buf *b, const struct ctx_definition *d)
{
	ctx_buf_addf(b, "%s__%s", d->server_name, d->name);
}

void
ctx_definition_free(struct ctx_definition *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ctx_definition_release(&list[i]);
	free(list);
}

#define WHICH \
	"tenant_id = ?1 AND agent = ?2 AND type = ?3 AND server_name = ?4 AND name = ?5"
#define WHICH_VALUES(tenant, d)                                   \
	ctx_str(tenant), ctx_str((d)->agent), ctx_str((d)->type), \
	    ctx_str((d)->server_name), ctx_str((d)->name)

int
ctx_definition_put(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO item (tenant_id, agent, type, server_name, name, include, "
	    "enabled, modes, content, schema, updated_at) "
	    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "
	    "ON CONFLICT (tenant_id, agent, type, server_name, name) "
	    "DO UPDATE SET include = excluded.include, enabled = excluded.enabled, "
	    "modes = excluded.modes, content = excluded.content, "
	    "schema = excluded.schema, updated_at = excluded.updated_at";
	int64_t one;
	int there;

	if (ctx_db_make_catalog(&st->db, err) < 0)
		return -1;
	there = ctx_stmt_ints(&st->db, "SELECT 1 FROM item WHERE " WHICH,
	    CTX_VALUES(WHICH_VALUES(tenant, d)), &one, 1, err);
	if (there < 0 ||
	    ctx_stmt_do(&st->db, sql,
		CTX_VALUES(WHICH_VALUES(tenant, d), ctx_str(d->include),
		    ctx_int(d->enabled), ctx_str(d->modes_json), ctx_str(d->content),
		    ctx_str(d->schema_json), ctx_int(d->updated_at)),
		err) < 0)
		return -1;
	return there == 0;
}

int
ctx_definition_remove(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err)
{
	return ctx_stmt_change(&st->db, "DELETE FROM item WHERE " WHICH,
	    CTX_VALUES(WHICH_VALUES(tenant, d)), err);
}

static void
read_item_row(struct ctx_row *r, struct ctx_definition *d)
{
	*d = (struct ctx_definition)CTX_DEFINITION_INIT;
	d->no = ctx_row_whole(r, 0, "id", 1, INT64_MAX);
	d->agent = ctx_row_given(r, 1, "agent");
	d->type = ctx_row_given(r, 2, "type");
	d->server_name = ctx_row_given(r, 3, "server_name");
	d->name = ctx_row_given(r, 4, "name");
	d->include = ctx_row_text(r, 5, "include");
	d->enabled = ctx_row_whole(r, 6, "enabled", 0, 1) != 0;
	d->modes_json = ctx_span_dup(ctx_row_json(r, 7, "modes"));
	d->schema_json = ctx_span_dup(ctx_row_json(r, 8, "schema"));
	d->content = ctx_row_text(r, 9, "content");
	if (d->content != NULL) {
		d->sha256 = ctx_mem_new(CTX_HASH_HEX + 1);
		ctx_hash_sha256(d->content, strlen(d->content), d->sha256);
	}
	d->updated_at = ctx_row_time(r, 10, "updated_at");
}

static int
list_item_definitions(struct ctx_store *st, const char *where, const char *tenant,
    const char *agent, struct ctx_definition **out, size_t *n, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_row r;
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	ctx_buf_addf(&sql,
	    "SELECT i.id, i.agent, i.type, i.server_name, i.name, i.include, i.enabled, "
	    "i.modes, i.schema, i.content, i.updated_at "
	    "FROM item i "
	    "WHERE i.tenant_id = ?1 AND %s "
	    "ORDER BY i.id",
	    where);
	r = ctx_rows(
	    &st->db, "item", sql.p, CTX_VALUES(ctx_str(tenant), ctx_str(agent)), err);
	ctx_buf_release(&sql);
	while (ctx_rows_next(&r)) {
		CTX_MEM_GROW(*out, *n, cap);
		read_item_row(&r, &(*out)[(*n)++]);
	}
	if (ctx_rows_end(&r) == 0)
		return 0;
	ctx_definition_free(*out, *n);
	*out = NULL;
	*n = 0;
	return -1;
}

int
ctx_definition_list(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **out, size_t *n, struct ctx_err *err)
{
	return list_item_definitions(
	    st, agent != NULL ? "i.agent = ?2" : "TRUE", tenant, agent, out, n, err);
}

static const char *
server_include(const struct ctx_definition *list, size_t n, const char *server)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].type, "server") == 0 &&
		    strcmp(list[i].name, server) == 0)
			return list[i].include;
	return NULL;
}

int
ctx_definition_of(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **out, size_t *n, struct ctx_err *err)
{
	if (list_item_definitions(st,
		"(i.agent = ?2 OR (i.agent = '' AND NOT EXISTS (SELECT 1 FROM item o WHERE "
		"o.tenant_id = i.tenant_id AND o.agent = ?2 AND o.type = i.type AND "
		"o.server_name = i.server_name AND o.name = i.name)))",
		tenant, agent == NULL ? "" : agent, out, n, err) < 0)
		return -1;
	for (size_t i = 0; i < *n; i++) {
		struct ctx_definition *d = &(*out)[i];
		bool tool = strcmp(d->type, "tool") == 0;
		const char *of = tool ? server_include(*out, *n, d->server_name) : NULL;
		if (d->include == NULL)
			d->include = ctx_mem_str(of != NULL ? of
						 : tool     ? "always"
							    : "manual");
	}
	return 0;
}

/* ---- items of a session ---- */

void
ctx_session_item_free(struct ctx_session_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(items[i].type);
		free(items[i].server_name);
		free(items[i].name);
		free(items[i].include_mode);
	}
	free(items);
}

int
ctx_session_item_add(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err)
{
	if (ctx_db_make_catalog(&st->db, err) < 0)
		return -1;
	return ctx_stmt_change(&st->db,
	    "INSERT INTO session_item (id, type, server_name, name, include_mode, "
	    "added_at) "
	    "SELECT ("
	    "SELECT coalesce(max(id), ?1) + 1 "
	    "FROM session_item "
	    "WHERE id BETWEEN ?1 AND ?2), ?3, ?4, ?5, ?6, ?7 "
	    "WHERE NOT EXISTS ("
	    "SELECT 1 "
	    "FROM session_item "
	    "WHERE id BETWEEN ?1 AND ?2 AND type = ?3 AND server_name = ?4 AND name = ?5)",
	    CTX_VALUES(CTX_SESSION_ROWS(s), ctx_str(item->type),
		ctx_str(item->server_name), ctx_str(item->name),
		ctx_str(item->include_mode), ctx_int(item->added_at)),
	    err);
}

int
ctx_session_item_remove(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err)
{
	return ctx_stmt_change(&st->db,
	    "DELETE FROM session_item "
	    "WHERE id BETWEEN ?1 AND ?2 AND type = ?3 AND server_name = ?4 AND name = ?5",
	    CTX_VALUES(CTX_SESSION_ROWS(s), ctx_str(item->type),
		ctx_str(item->server_name), ctx_str(item->name)),
	    err);
}

int
ctx_session_item_begin(
    struct ctx_store *st, const struct ctx_session *s, int64_t now, struct ctx_err *err)
{
	struct ctx_definition *defs;
	size_t n;
	int rc;

	if (!ctx_db_has_catalog(&st->db))
		return 0;
	if (ctx_definition_of(st, s->tenant_id == NULL ? "" : s->tenant_id, s->agent,
		&defs, &n, err) < 0)
		return -1;
	rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct ctx_session_item item = {defs[i].type, defs[i].server_name,
		    defs[i].name, (char[]){"always"}, now};
		bool fits = strcmp(defs[i].type, "rule") == 0 ||
			    strcmp(defs[i].type, "reference") == 0 ||
			    strcmp(defs[i].type, "tool") == 0;
		if (fits && defs[i].enabled && strcmp(defs[i].include, "always") == 0)
			rc = ctx_session_item_add(st, s, &item, err);
	}
	ctx_definition_free(defs, n);
	return rc < 0 ? -1 : 0;
}

int
ctx_session_item_copy(struct ctx_store *st, const struct ctx_session *from,
    const struct ctx_session *to, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO session_item (id, type, server_name, name, include_mode, "
	    "added_at) "
	    "SELECT id - ?1 + ?3, type, server_name, name, include_mode, added_at "
	    "FROM session_item "
	    "WHERE id BETWEEN ?1 AND ?2",
	    CTX_VALUES(CTX_SESSION_ROWS(from), ctx_int(ctx_row_id(to->no, 0))), err);
}

int
ctx_session_item_list(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session_item **out, size_t *n, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "session_item",
	    "SELECT type, server_name, name, include_mode, added_at "
	    "FROM session_item "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), err);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	while (ctx_rows_next(&r)) {
		CTX_MEM_GROW(*out, *n, cap);
		(*out)[(*n)++] = (struct ctx_session_item){ctx_row_given(&r, 0, "type"),
		    ctx_row_given(&r, 1, "server_name"), ctx_row_given(&r, 2, "name"),
		    ctx_row_given(&r, 3, "include_mode"),
		    ctx_row_time(&r, 4, "added_at")};
	}
	return ctx_rows_end(&r);
}

/* Lists requests in the order in which the use of items is determined from them. */

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
