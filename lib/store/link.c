#include "store/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "words/fold.h"
#include "json/json.h"
#include "store/entity.h"
#include "store/row.h"

int
ctx_link_put(struct ctx_store *st, const struct ctx_session *s, const struct ctx_link *l,
    struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO session_entity_link (session_no, entity_id, action, seq, at) "
	    "VALUES (?1, ?2, ?3, ?4, ?5) "
	    "ON CONFLICT (session_no, entity_id) "
	    "DO UPDATE SET action = excluded.action, seq = excluded.seq, at = excluded.at",
	    CTX_VALUES(ctx_int(s->no), ctx_int(l->entity), ctx_str(l->action),
		ctx_int(l->seq), ctx_int(l->at)),
	    err);
}

int
ctx_link_remove(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_err *err)
{
	return ctx_stmt_change(&st->db,
	    "DELETE FROM session_entity_link "
	    "WHERE session_no = ?1 AND entity_id = ?2",
	    CTX_VALUES(ctx_int(s->no), ctx_int(entity)), err);
}

/* ---- reading ---- */

static void
read_link_row(struct ctx_row *r, struct ctx_link *link)
{
	char *action;

	*link = (struct ctx_link){
	    .entity = ctx_row_whole(r, 0, "entity_id", 1, INT64_MAX)};
	link->seq = ctx_row_whole(r, 1, "seq", 0, CTX_SEQ_MAX);
	link->at = ctx_row_time(r, 2, "at");
	action = ctx_row_given(r, 3, "action");
	memcpy(link->action, action, strnlen(action, CTX_ACTION_MAX));
	free(action);
}

#define LINKS                                \
	"SELECT entity_id, seq, at, action " \
	"FROM session_entity_link "

int
ctx_link_list(struct ctx_store *st, const struct ctx_session *s, struct ctx_link **list,
    size_t *n, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "session_entity_link",
	    LINKS "WHERE session_no = ?1 ORDER BY entity_id", CTX_VALUES(ctx_int(s->no)),
	    err);
	size_t cap = 0;

	*list = NULL;
	*n = 0;
	while (ctx_rows_next(&r)) {
		CTX_MEM_GROW(*list, *n, cap);
		read_link_row(&r, &(*list)[(*n)++]);
	}
	return ctx_rows_end(&r);
}

int
ctx_link_get(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_link *out, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "session_entity_link",
	    LINKS "WHERE session_no = ?1 AND entity_id = ?2",
	    CTX_VALUES(ctx_int(s->no), ctx_int(entity)), err);

	if (ctx_rows_next(&r))
		read_link_row(&r, out);
	return ctx_rows_found(&r);
}

/* ---- copying, moving and deleting ---- */

int
ctx_link_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    const struct ctx_session *to, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO session_entity_link (session_no, entity_id, action, seq, at) "
	    "SELECT ?3, entity_id, action, seq, at "
	    "FROM session_entity_link "
	    "WHERE session_no = ?1 AND seq <= ?2",
	    CTX_VALUES(ctx_int(from->no), ctx_int(seq), ctx_int(to->no)), err);
}

int
ctx_link_move(struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err)
{
	if (into != 0 &&
	    ctx_stmt_do(&st->db,
		"INSERT INTO session_entity_link (session_no, entity_id, action, seq, at) "
		"SELECT session_no, ?2, action, seq, at "
		"FROM session_entity_link "
		"WHERE entity_id = ?1 "
		"ON CONFLICT (session_no, entity_id) "
		"DO UPDATE SET action = excluded.action, seq = excluded.seq, at = excluded.at "
		"WHERE excluded.at > session_entity_link.at",
		CTX_VALUES(ctx_int(from), ctx_int(into)), err) < 0)
		return -1;
	return ctx_stmt_do(&st->db,
	    "DELETE FROM session_entity_link "
	    "WHERE entity_id = ?1",
	    CTX_VALUES(ctx_int(from)), err);
}

/* ---- records ---- */

int
ctx_link_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_link *links;
	struct ctx_entity e = CTX_ENTITY_INIT;
	size_t n;
	int rc = ctx_link_list(st, s, &links, &n, err);

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rc = ctx_entity_get(st, links[i].entity, &e, err);
		if (rc != 1)
			continue;
		ctx_buf_adds(b, "{\"kind\":\"entity\"");
		ctx_json_add_str(b, "session_id", s->session_id);
		ctx_json_add_str(b, "type", e.type);
		ctx_json_add_str(b, "name", e.name);
		ctx_json_add_raw(b, "id", ctx_span_of(e.id_json));
		ctx_json_add_str(b, "action", links[i].action);
		ctx_json_add_time(b, "action_at", links[i].at);
		ctx_json_add_int(b, "seq", links[i].seq);
		ctx_buf_adds(b, "}\n");
	}
	ctx_entity_release(&e);
	free(links);
	return rc < 0 ? -1 : 0;
}

/* Returns a copy of a member that is a text of 1 to max bytes; NULL with CTX_EINPUT if it
 * is not. */
static char *
take_link_text(struct ctx_span record, const char *key, size_t max, struct ctx_err *err)
{
	char *text = NULL;

	if (ctx_json_member(&text, ctx_json_get(record, key), key, err) < 0)
		return NULL;
	if (text != NULL && *text != '\0' && strlen(text) <= max)
		return text;
	ctx_err_set(
	    err, CTX_EINPUT, "%s of an entity must be text of 1 to %zu bytes", key, max);
	free(text);
	return NULL;
}

static bool
has_action(struct ctx_span record)
{
	return ctx_json_type(ctx_json_get(record, "action")) > CTX_JSON_NULL;
}

static int
check_name(const char *name, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	bool fine;

	ctx_fold_text(ctx_span_of(name), &key);
	fine = key.n > 0;
	ctx_buf_release(&key);
	return fine ? 0 : ctx_err_set(err, CTX_EINPUT, "an entity has no name");
}

/* Reads the members type, name and action of a record into *e and *l. */
static int
read_link(
    struct ctx_span record, struct ctx_entity *e, struct ctx_link *l, struct ctx_err *err)
{
	char *action = NULL;

	e->type = take_link_text(record, "type", 512, err);
	if (e->type != NULL)
		e->name = take_link_text(record, "name", 512, err);
	if (e->name != NULL)
		action = take_link_text(record, "action", CTX_ACTION_MAX, err);
	if (action == NULL)
		return -1;
	memcpy(l->action, action, strlen(action) + 1);
	free(action);
	return check_name(e->name, err);
}

int
ctx_link_check(struct ctx_span record, struct ctx_err *err)
{
	struct ctx_entity e = CTX_ENTITY_INIT;
	struct ctx_link l;
	int rc = has_action(record) ? read_link(record, &e, &l, err) : 0;

	ctx_entity_release(&e);
	return rc;
}

/* Finds the number of the entity of this type and name, and creates it if it is
 * missing. */
static int
find_or_make(struct ctx_store *st, const char *tenant, struct ctx_entity *e, int64_t *no,
    struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int rc;

	ctx_fold_text(ctx_span_of(e->name), &key);
	rc = ctx_entity_find(st, tenant, e->type, ctx_buf_span(&key), no, err);
	if (rc == 0) {
		rc = ctx_entity_put(st, tenant, e, ctx_buf_span(&key), err);
		*no = e->no;
	}
	ctx_buf_release(&key);
	return rc < 0 ? -1 : 0;
}

int
ctx_link_restore(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_err *err)
{
	struct ctx_span id = ctx_json_get(record, "id");
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_link l = {.at = s->created_at};
	struct ctx_entity e = CTX_ENTITY_INIT;
	char *at;
	int rc;

	if (!has_action(record))
		return 0;
	rc = read_link(record, &e, &l, err);
	if (ctx_json_type(id) == CTX_JSON_STRING || ctx_json_type(id) == CTX_JSON_NUMBER)
		e.id_json = ctx_span_dup(id);
	at = ctx_json_strdup(ctx_json_get(record, "action_at"));
	if (at != NULL && ctx_time_parse(ctx_span_of(at), &l.at, &ignored) < 0)
		l.at = s->created_at;
	if (!ctx_json_int(ctx_json_get(record, "seq"), &l.seq) || l.seq < 0 ||
	    l.seq > s->last_seq)
		l.seq = s->last_seq;
	e.updated_at = l.at;
	if (rc == 0)
		rc = find_or_make(
		    st, s->tenant_id == NULL ? "" : s->tenant_id, &e, &l.entity, err);
	if (rc == 0)
		rc = ctx_link_put(st, s, &l, err);
	free(at);
	ctx_entity_release(&e);
	return rc;
}

int
ctx_link_stamp(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_link *links;
	size_t n;
	int rc = ctx_link_list(st, s, &links, &n, err);

	for (size_t i = 0; i < n; i++)
		ctx_buf_addf(b, "%lld %lld %lld %s\n", (long long)links[i].entity,
		    (long long)links[i].seq, (long long)links[i].at, links[i].action);
	free(links);
	return rc;
}
