/* ctx-mcp: the tools "list" and "entities". */
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "entity/load.h"
#include "entity/session.h"
#include "entity/track.h"

/* ---- list ---- */

struct newest {
	/* the sessions with the newest messages, not sorted yet */
	struct ctx_session *list;
	size_t n, max;
	int64_t since;
	bool more; /* some sessions were left out */
};

static int64_t
get_activity(const struct ctx_session *s)
{
	return s->last_message_at != CTX_TIME_NONE ? s->last_message_at : s->created_at;
}

/* Sorts the newest session first; of equal times, the one created last. */
static int
compare_activity(const void *a, const void *b)
{
	const struct ctx_session *x = a, *y = b;
	int64_t at = get_activity(x), other = get_activity(y);

	if (at != other)
		return at > other ? -1 : 1;
	return x->order > y->order ? -1 : x->order < y->order;
}

/* Collects up to twice as many sessions as needed, then sorts and drops half of them. */
static int
take_newest(void *arg, struct ctx_session *s, struct ctx_err *err CTX_UNUSED)
{
	struct newest *t = arg;

	if (t->since != CTX_TIME_NONE && get_activity(s) < t->since)
		return 0;
	t->list[t->n++] = *s;
	ctx_session_init(s);
	if (t->n < 2 * t->max)
		return 0;
	qsort(t->list, t->n, sizeof(*t->list), compare_activity);
	while (t->n > t->max)
		ctx_session_release(&t->list[--t->n]);
	t->more = true;
	return 0;
}

int
mcp_list(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *value,
    struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	struct newest t = {
	    .max = (size_t)mcp_int_argument(call, "limit", 20), .since = CTX_TIME_NONE};
	char *project = mcp_text_argument(call, "project");
	char *since = mcp_text_argument(call, "since");
	char *agent = mcp_text_argument(call, "agent");
	int rc = 0;

	f.agent = agent;
	if (since != NULL && cli_parse_when(since, &t.since, err) < 0)
		rc = ctx_err_prefix(err, "since");
	t.list = ctx_mem_new(2 * t.max * sizeof(*t.list));
	if (rc == 0)
		rc = mcp_each_session(sv, &f, project, take_newest, &t, err);
	qsort(t.list, t.n, sizeof(*t.list), compare_activity);
	ctx_json_print(value, "{'sessions':[");
	for (size_t i = 0; i < t.n; i++) {
		if (i < t.max) {
			ctx_json_put_open(value, '{');
			mcp_put_session(value, &t.list[i]);
			ctx_json_put_close(value, '}');
		}
		ctx_session_release(&t.list[i]);
	}
	ctx_json_print(value, "],'more':%b}", t.more || t.n > t.max);
	free(t.list);
	free(project);
	free(since);
	free(agent);
	return rc;
}

/* ---- entities ---- */

struct lookup {
	struct mcp_server *sv;
	struct ctx_tracker *tracker;
	const char *tenant;
	struct ctx_buf *value;
	int64_t left;
};

/* Appends the record of an entity as ctx-entity prints it, without its newline. */
static int
put_known(struct lookup *l, int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, struct ctx_err *err)
{
	struct ctx_buf record = CTX_BUF_INIT;
	struct ctx_entity e = CTX_ENTITY_INIT;
	int rc = ctx_entity_of(l->sv->store, no, &e, err);

	if (rc == 1 && ctx_entity_print(&record, l->sv->store, &e,
			   s == NULL ? NULL : s->session_id, use, cli_now(), err) < 0)
		rc = -1;
	if (rc == 1) {
		ctx_json_put_raw(l->value, ctx_span_trim(ctx_buf_span(&record)));
		l->left--;
	}
	ctx_entity_release(&e);
	ctx_buf_release(&record);
	return rc < 0 ? -1 : 0;
}

static int
open_lookup(struct lookup *l, const struct ctx_session *s, struct ctx_err *err)
{
	l->tenant = s != NULL && s->tenant_id != NULL        ? s->tenant_id
		    : s == NULL && cli_common.tenant != NULL ? cli_common.tenant
							     : "";
	return ctx_tracker_open(
	    &l->tracker, l->sv->store, l->tenant, cli_warn_text, NULL, err);
}

static int
put_session_entities(struct lookup *l, const char *sid, struct ctx_err *err)
{
	struct ctx_entity_use *uses = NULL;
	struct ctx_session s = CTX_SESSION_INIT;
	size_t n = 0;
	int rc = mcp_find_session(l->sv, sid, &s, err);

	if (rc == 0)
		rc = open_lookup(l, &s, err);
	if (rc == 0)
		rc = ctx_tracker_catch_up(l->tracker, &s, err);
	if (rc == 0)
		rc = ctx_entity_uses_ranked(l->sv->store, &s, cli_now(), &uses, &n, err);
	for (size_t i = 0; rc == 0 && i < n && l->left > 0; i++)
		rc = put_known(l, uses[i].entity, &s, &uses[i], err);
	free(uses);
	ctx_session_release(&s);
	return rc;
}

static int
update_lookup(void *arg, struct ctx_session *s, struct ctx_err *err)
{
	struct lookup *l = arg;
	const char *of = s->tenant_id == NULL ? "" : s->tenant_id;

	return strcmp(of, l->tenant) == 0 ? ctx_tracker_catch_up(l->tracker, s, err) : 0;
}

#define MENTIONING 256

/* Appends to ids the sessions within the limits that mention the entity. Returns their
 * number, or -1 on error. */
static int
put_mentioning(struct lookup *l, int64_t entity, struct ctx_buf *ids, struct ctx_err *err)
{
	int64_t page[MENTIONING], after = 0;
	struct ctx_session s = CTX_SESSION_INIT;
	int n = MENTIONING, found = 0;

	while (found >= 0 && n == MENTIONING) {
		n = ctx_mention_sessions(
		    l->sv->store, entity, after, page, MENTIONING, err);
		for (int i = 0; i < n && found >= 0; i++) {
			int rc = ctx_store_session_numbered(
			    l->sv->store, after = page[i], &s, err);
			if (rc == 1)
				rc = mcp_is_allowed(l->sv, &s, NULL, err);
			if (rc == 1 && found++ < MENTIONING)
				ctx_json_put_string(ids, ctx_span_of(s.session_id));
			if (rc < 0)
				found = -1;
			ctx_session_release(&s);
		}
	}
	return n < 0 ? -1 : found;
}

/* With limits, only entities that a visible session mentions are known to the client. */
static int
put_named_entities(
    struct lookup *l, const char *name, struct ctx_buf *ids, struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	bool limited = l->sv->user != NULL || l->sv->project != NULL;
	int64_t *nos = NULL;
	size_t n = 0;
	int rc = open_lookup(l, NULL, err);

	if (rc == 0)
		rc = mcp_each_session(l->sv, &f, NULL, update_lookup, l, err);
	if (rc == 0)
		rc = ctx_tracker_named(l->tracker, name, &nos, &n, err);
	for (size_t i = 0; rc == 0 && i < n && l->left > 0; i++) {
		int seen = put_mentioning(l, nos[i], ids, err);
		if (seen < 0)
			rc = -1;
		else if (seen > 0 || (!limited && nos[i] > 0))
			rc = put_known(l, nos[i], NULL, NULL, err);
	}
	free(nos);
	return rc;
}

int
mcp_entities(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *value, struct ctx_err *err)
{
	struct lookup l = {
	    .sv = sv, .value = value, .left = mcp_int_argument(call, "limit", 20)};
	struct ctx_buf ids = CTX_BUF_INIT;
	char *sid = mcp_text_argument(call, "session_id");
	char *name = mcp_text_argument(call, "name");
	int rc;

	ctx_json_put_open(&ids, '[');
	ctx_json_print(value, "{'entities':[");
	if ((sid == NULL) == (name == NULL))
		rc = ctx_err_set(err, CTX_EUSAGE, "give either session_id or name");
	else
		rc = sid != NULL ? put_session_entities(&l, sid, err)
				 : put_named_entities(&l, name, &ids, err);
	ctx_json_put_close(value, ']');
	ctx_json_put_close(&ids, ']');
	if (name != NULL)
		ctx_json_add_raw(value, "sessions", ctx_buf_span(&ids));
	ctx_json_put_close(value, '}');
	ctx_tracker_free(l.tracker);
	ctx_buf_release(&ids);
	free(sid);
	free(name);
	return rc;
}
