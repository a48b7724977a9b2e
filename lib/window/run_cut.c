/* Decides whether a run must end because something that it is based on has changed. */
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "provider/provider.h"
#include "record/request.h"
#include "store/item.h"
#include "window/run.h"

/* Returns whether two sets of parameters differ in what comes before the messages. */
static bool
front_differs(struct ctx_span a, struct ctx_span b)
{
	struct ctx_buf x = CTX_BUF_INIT, y = CTX_BUF_INIT;
	bool differs = false;

	for (size_t i = 0; ctx_front_member(a, i, &x) && ctx_front_member(b, i, &y); i++)
		differs |= !ctx_span_eq(ctx_buf_span(&x), ctx_buf_span(&y));
	ctx_buf_release(&x);
	ctx_buf_release(&y);
	return differs;
}

void
ctx_run_hash_hidden(const struct ctx_window_rows *l, char out[CTX_HASH_HEX + 1])
{
	ctx_hash_sha256(l->hidden, l->n_hidden * sizeof(*l->hidden), out);
}

static bool
hidden_differs(struct ctx_span run, const struct ctx_window_rows *l)
{
	struct ctx_span before = ctx_json_get(run, "hidden");
	char now[CTX_HASH_HEX + 1];

	if (l->n_hidden == 0)
		return before.p != NULL;
	ctx_run_hash_hidden(l, now);
	return !ctx_json_is(before, now);
}

/* ---- items ---- */

struct items {
	struct ctx_definition *defs;
	size_t n_defs;
	struct ctx_session_item *of_session;
	size_t n_of_session;
	bool session; /* of_session was read */
	bool read;
};

/* Returns whether the addition is an item, which can be disabled or removed. ctx-enrich
 * records an include mode for items, and a reason (the mode) for prompt modules; it
 * records neither for attached documents and for the system text of the window's
 * options. */
static bool
is_item(struct ctx_span source)
{
	struct ctx_span type = ctx_json_get(source, "type");

	return ctx_json_is(type, "prompt")
		   ? ctx_json_get(source, "reason").p != NULL
		   : ctx_json_get(source, "include_mode").p != NULL;
}

static bool
is_named_source(
    struct ctx_span source, const char *type, const char *server, const char *name)
{
	struct ctx_span of = ctx_json_get(source, "server_name");

	return ctx_json_has_type(source, type) &&
	       ctx_json_is(ctx_json_get(source, "name"), name) &&
	       (of.p == NULL ? *server == '\0' : ctx_json_is(of, server));
}

static bool
is_available_source(const struct items *items, struct ctx_span source)
{
	struct ctx_span mode = ctx_json_get(source, "include_mode");
	bool defined = false,
	     listed = !items->session || mode.p == NULL || ctx_json_is(mode, "agent");

	for (size_t i = 0; i < items->n_defs; i++) {
		const struct ctx_definition *d = &items->defs[i];
		defined |= d->enabled &&
			   is_named_source(source, d->type,
			       strcmp(d->type, "tool") == 0 ? d->server_name : "",
			       d->name);
	}
	for (size_t i = 0; i < items->n_of_session; i++) {
		const struct ctx_session_item *s = &items->of_session[i];
		listed |= is_named_source(source, s->type, s->server_name, s->name);
	}
	return defined && listed;
}

static int
read_items(struct items *items, const struct ctx_window_rows *l, struct ctx_err *err)
{
	const struct ctx_session *s = &l->w->session;

	items->session = l->o->items == l->st;
	if (ctx_definition_of(l->o->items, s->tenant_id == NULL ? "" : s->tenant_id,
		s->agent, &items->defs, &items->n_defs, err) < 0)
		return -1;
	return !items->session ? 0
			       : ctx_session_item_list(l->st, s, &items->of_session,
				     &items->n_of_session, err);
}

static void
free_items(struct items *items)
{
	ctx_definition_free(items->defs, items->n_defs);
	ctx_session_item_free(items->of_session, items->n_of_session);
}

/* Sets *gone if the addition is an item that was disabled or removed. Reads the items at
 * the first call that needs them. */
static int
see_item(struct items *items, const struct ctx_window_rows *l, struct ctx_span source,
    bool *gone, struct ctx_err *err)
{
	*gone = false;
	if (l->o->items == NULL || !is_item(source))
		return 0;
	if (!items->read && read_items(items, l, err) < 0)
		return -1;
	items->read = true;
	*gone = !is_available_source(items, source);
	return 0;
}

/* Sets *gone if the last request contains an item that was disabled or removed. */
static int
see_items(const struct ctx_run *run, const struct ctx_window_rows *l, bool *gone,
    struct ctx_err *err)
{
	struct ctx_span messages = ctx_json_get(ctx_buf_span(&run->record), "messages");
	struct items items = {.n_defs = 0};
	int rc = 0;

	*gone = false;
	CTX_JSON_EACH_WHILE(rc == 0 && !*gone, it, messages)
		rc = see_item(&items, l, ctx_json_get(it.value, "source"), gone, err);
	free_items(&items);
	return rc;
}

int
ctx_run_drop_gone(const struct ctx_window_rows *l, struct ctx_span *entries, size_t *n,
    struct ctx_err *err)
{
	struct items items = {.n_defs = 0};
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < *n; i++) {
		bool gone;
		rc = see_item(&items, l, ctx_json_get(entries[i], "source"), &gone, err);
		if (!gone)
			entries[kept++] = entries[i];
	}
	free_items(&items);
	*n = kept;
	return rc;
}

int
ctx_run_hash_items(
    struct ctx_run *run, const struct ctx_window_rows *l, struct ctx_err *err)
{
	struct ctx_session_item *list = NULL;
	struct ctx_buf b = CTX_BUF_INIT;
	size_t n = 0;

	if (ctx_session_item_list(l->st, &l->w->session, &list, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		ctx_json_put_string(&b, ctx_span_of(list[i].type));
		ctx_json_put_string(&b, ctx_span_of(list[i].server_name));
		ctx_json_put_string(&b, ctx_span_of(list[i].name));
	}
	if (n > 0)
		ctx_hash_sha256(b.p, b.n, run->items);
	ctx_buf_release(&b);
	ctx_session_item_free(list, n);
	return 0;
}

/* ---- superseded additions ---- */

#define SUPERSEDED 5 /* outdated additions may be one part in SUPERSEDED */

/* Returns whether both additions are the same item, with different text. */
static bool
is_newer_addition(struct ctx_span newer, struct ctx_span older)
{
	static const char *const keys[] = {"type", "name", "server_name"};
	struct ctx_span a = ctx_json_get(newer, "source"),
			b = ctx_json_get(older, "source");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!ctx_span_eq(ctx_json_get(a, keys[i]), ctx_json_get(b, keys[i])))
			return false;
	return !ctx_span_eq(ctx_json_get(newer, "sha256"), ctx_json_get(older, "sha256"));
}

bool
ctx_run_superseded(const struct ctx_run *run)
{
	struct ctx_json_iter later;
	int64_t all = 0, old = 0, tokens;

	CTX_JSON_EACH(it, ctx_json_get(ctx_buf_span(&run->record), "messages")) {
		bool superseded = false;
		if (!ctx_json_int(ctx_json_get(it.value, "token_count"), &tokens))
			continue;
		all += tokens;
		later = it;
		while (!superseded && is_item(ctx_json_get(it.value, "source")) &&
		       ctx_json_iter_next(&later))
			superseded = is_newer_addition(later.value, it.value);
		old += superseded ? tokens : 0;
	}
	return old * SUPERSEDED > all;
}

/* Returns whether the answer is not sent because of the reason for which it ended. An
 * answer with calls is always sent. */
static bool
is_answer_withheld(const struct ctx_stored *m)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	const char *name;
	bool withheld = ctx_answer_next(m->metadata, &name) == CTX_NEXT_WITHHOLD &&
			ctx_message_parse(&view, m->message, &ignored) == 0 &&
			ctx_message_count(&view, CTX_PART_TOOL_CALL) == 0;

	ctx_message_release(&view);
	return withheld;
}

/* Sets *redacted if the answer to the request was redacted, and run->withheld if it is
 * not sent. */
static int
see_answer(struct ctx_run *run, const struct ctx_window_rows *l, bool *redacted,
    struct ctx_err *err)
{
	int64_t seq = run->last.response_seq;
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	*redacted = false;
	c = ctx_cursor_open(l->st, &l->w->session, seq, seq, false, err);
	rc = ctx_cursor_next(c, &m, err);
	*redacted = rc == 1 && ctx_json_get(m.metadata, "redacted").p != NULL;
	run->withheld = rc == 1 && is_answer_withheld(&m);
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

int
ctx_run_cut(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err)
{
	const struct ctx_request *q = &run->last;
	struct ctx_span last = ctx_span_of(q->run_json);
	struct ctx_span items = ctx_json_get(last, "items"); /* the digest of them */
	int64_t compaction = 0;
	bool gone, redacted;

	ctx_json_int(ctx_json_get(last, "compaction"), &compaction);
	if (see_items(run, l, &gone, err) < 0 || see_answer(run, l, &redacted, err) < 0)
		return -1;
	if (l->o->fresh)
		run->cut = "fresh";
	else if (q->provider != NULL && l->o->provider != NULL &&
		 strcmp(q->provider, l->o->provider) != 0)
		run->cut = "provider";
	else if (q->response_seq != q->for_seq + 1)
		run->cut = "order";
	else if (!ctx_json_is(ctx_json_get(last, "front"), run->front) ||
		 (l->o->params.p != NULL &&
		     front_differs(ctx_span_of(q->params_json), l->o->params)))
		run->cut = "front";
	else if (compaction != run->compaction)
		run->cut = "compaction";
	else if (hidden_differs(last, l))
		run->cut = "hidden";
	else if (q->redacted_json != NULL || redacted)
		run->cut = "redacted";
	else if (gone || (*run->items == '\0' ? items.p != NULL
					      : !ctx_json_is(items, run->items)))
		run->cut = "item";
	return 0;
}
