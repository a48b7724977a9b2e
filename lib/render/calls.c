/* Pairs tool calls with their results, and chooses the ids under which both are sent. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "render/internal.h"

/* The key of a call in a map: its stored id or, if sent is true, the id that is sent. */
struct wanted_call {
	const struct render_call *calls;
	struct ctx_span id;
	bool sent;
};

static bool
is_wanted_call(const void *arg, size_t value)
{
	const struct wanted_call *w = arg;
	const struct render_call *c = &w->calls[value - 1];

	return ctx_span_eq(w->sent ? c->sent : c->id, w->id);
}

/* Returns the index of the call plus one, or 0 if there is no such call. */
static size_t
find_render_call(const struct ctx_map *map, const struct render_call *calls,
    struct ctx_span id, bool sent)
{
	return ctx_map_get(map, ctx_hash_bytes(0, id.p, id.n), is_wanted_call,
	    &(struct wanted_call){calls, id, sent});
}

/* Returns the map's slot, which holds the index of the call plus one. */
static size_t *
place_render_call(
    struct ctx_map *map, const struct render_call *calls, struct ctx_span id, bool sent)
{
	return ctx_map_at(map, ctx_hash_bytes(0, id.p, id.n), is_wanted_call,
	    &(struct wanted_call){calls, id, sent});
}

/* Decodes a JSON string. The result borrows from the message, or uses the memory of
 * *own. */
static struct ctx_span
decode_render_call_text(struct ctx_span string, char **own)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s = ctx_json_text(string, &tmp);

	if (s.p != NULL && s.p == tmp.p) {
		size_t n = tmp.n;
		*own = ctx_buf_detach(&tmp);
		return (struct ctx_span){*own, n};
	}
	ctx_buf_release(&tmp);
	return s;
}

static int
add_render_call(
    struct render *r, struct ctx_map *ids, size_t item, const struct ctx_part *p)
{
	struct render_call *c;
	size_t *slot, first;

	c = &r->calls[r->n_calls];
	memset(c, 0, sizeof(*c));
	c->part = p;
	c->item = item;
	c->next = c->open = RENDER_NONE;
	c->id = decode_render_call_text(p->id, &c->id_own);
	r->n_calls++;
	if (c->id.n == 0)
		return ctx_render_refuse(r, item, "a tool call has no id");
	if (ctx_message_blank(p->name))
		return ctx_render_refuse(r, item, "tool call '%.*s' has no name",
		    (int)(c->id.n > 100 ? 100 : c->id.n), c->id.p);
	slot = place_render_call(ids, r->calls, c->id, false);
	if (*slot == 0) {
		*slot = r->n_calls;
		c->last = c->open = r->n_calls - 1;
		return 0;
	}
	first = *slot - 1;
	r->calls[r->calls[first].last].next = r->n_calls - 1;
	r->calls[first].last = r->n_calls - 1;
	if (r->calls[first].open == RENDER_NONE)
		r->calls[first].open = r->n_calls - 1;
	return 0;
}

static int
add_render_call_result(
    struct render *r, const struct ctx_map *ids, size_t item, const struct ctx_part *p)
{
	char *own = NULL;
	struct ctx_span id = decode_render_call_text(p->id, &own);
	struct render_call *first, *c;
	size_t at;
	int rc = -1, show = (int)(id.n > 100 ? 100 : id.n);

	if (id.n == 0) {
		rc = ctx_render_refuse(r, item, "a tool result has no call id");
		goto done;
	}
	at = find_render_call(ids, r->calls, id, false);
	if (r->o->transcript && (at == 0 || r->calls[at - 1].open == RENDER_NONE)) {
		rc = 0;
		goto done;
	}
	if (at == 0) {
		rc = ctx_render_refuse(r, item,
		    "the result of tool call '%.*s' has no matching call before it", show,
		    id.p);
		goto done;
	}
	first = &r->calls[at - 1];
	if (first->open == RENDER_NONE) {
		rc = ctx_render_refuse(
		    r, item, "tool call '%.*s' has more than one result", show, id.p);
		goto done;
	}
	c = &r->calls[first->open];
	c->result = p;
	c->result_item = item;
	first->open = c->next;
	rc = 0;
done:
	free(own);
	return rc;
}

static int
scan_message(struct render *r, struct ctx_map *ids, size_t item)
{
	const struct ctx_message *m = &r->msgs[item];

	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type == CTX_PART_TOOL_CALL) {
			if (m->role != CTX_ROLE_ASSISTANT)
				return ctx_render_refuse(r, item,
				    "a %s message contains a tool call: only assistant messages may contain tool calls",
				    ctx_role_name(m->role));
			if (add_render_call(r, ids, item, p) < 0)
				return -1;
		} else if (p->type == CTX_PART_TOOL_RESULT) {
			if (m->role == CTX_ROLE_ASSISTANT)
				return ctx_render_refuse(r, item,
				    "an assistant message contains a tool result");
			if (add_render_call_result(r, ids, item, p) < 0)
				return -1;
		}
	}
	return 0;
}

static void
choose_base(struct render *r, struct render_call *c)
{
	c->sent = c->id;
	if (r->o->transcript)
		return;
	c->sent_own = ctx_render_id(r, c->id);
	if (c->sent_own != NULL)
		c->sent = ctx_span_of(c->sent_own);
}

/* Gives another call with an id that is already used a suffix that makes it unique. */
static void
make_unique(
    struct render *r, const struct ctx_map *ids, const struct ctx_map *sent, size_t i)
{
	struct render_call *c = &r->calls[i];
	struct render_call
	    *first = &r->calls[find_render_call(ids, r->calls, c->id, false) - 1];
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_span base = c->sent;
	size_t n;

	do {
		ctx_buf_reset(&b);
		ctx_buf_addspan(&b, base);
		ctx_buf_addf(&b, "_%u", ++first->copies + 1);
	} while (find_render_call(sent, r->calls, ctx_buf_span(&b), true) != 0 ||
		 find_render_call(ids, r->calls, ctx_buf_span(&b), false) != 0);
	free(c->sent_own);
	n = b.n;
	c->sent_own = ctx_buf_detach(&b);
	c->sent = (struct ctx_span){c->sent_own, n};
}

static void
choose_ids(struct render *r, const struct ctx_map *ids)
{
	struct ctx_map sent = {NULL, 0, 0};

	for (size_t i = 0; i < r->n_calls; i++) {
		choose_base(r, &r->calls[i]);
		if (find_render_call(&sent, r->calls, r->calls[i].sent, true) != 0)
			make_unique(r, ids, &sent, i);
		*place_render_call(&sent, r->calls, r->calls[i].sent, true) = i + 1;
	}
	ctx_map_release(&sent);
}

static bool
has_result(const struct render *r, struct ctx_span id, size_t from)
{
	for (size_t i = from; i < r->n_order; i++) {
		const struct ctx_message *m = &r->msgs[r->order[i]];
		for (size_t k = 0; k < m->n; k++)
			if (m->parts[k].type == CTX_PART_TOOL_RESULT &&
			    ctx_span_eq(m->parts[k].id, id))
				return true;
	}
	return false;
}

/* Removes async calls without a result. Only the Responses API accepts them. */
static void
void_async_calls(struct render *r)
{
	for (size_t i = 0; i < r->n_order; i++) {
		struct ctx_message *m = &r->msgs[r->order[i]];
		for (size_t k = 0; k < m->n; k++) {
			struct ctx_part *p = &m->parts[k];
			if (p->type != CTX_PART_TOOL_CALL || !p->async ||
			    has_result(r, p->id, i + 1))
				continue;
			p->type = CTX_PART_OTHER;
			p->superseded = true;
		}
	}
}

/* A result belongs to the oldest call with its id that has no result yet. So the results
 * of several calls with the same id answer them in order. */
int
ctx_render_calls_match(struct render *r)
{
	struct ctx_map ids = {NULL, 0, 0};
	size_t n = 0;
	int rc = 0;

	if (!r->kind->async_results && !r->o->transcript)
		void_async_calls(r);
	for (size_t i = 0; i < r->n_order; i++)
		n += ctx_message_count(&r->msgs[r->order[i]], CTX_PART_TOOL_CALL);
	r->calls = ctx_mem_new(n * sizeof(*r->calls));
	for (size_t i = 0; i < r->n_order && rc == 0; i++)
		rc = scan_message(r, &ids, r->order[i]);
	for (size_t i = 0; i < r->n_calls && rc == 0 && !r->o->transcript; i++)
		if (r->calls[i].result == NULL && !r->calls[i].part->async)
			rc = ctx_render_refuse(r, r->calls[i].item,
			    "tool call '%.*s' has no result",
			    (int)(r->calls[i].id.n > 100 ? 100 : r->calls[i].id.n),
			    r->calls[i].id.p);
	if (rc == 0)
		choose_ids(r, &ids);
	ctx_map_release(&ids);
	return rc;
}
