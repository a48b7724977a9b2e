/* Finds provider-run calls without a result and results without a call. Both are in
 * assistant messages, and Anthropic refuses one without the other, unless the call is
 * still open: no user message follows the call ("Handling stop reasons", pause_turn). */
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/anthropic/internal.h"

static bool
is_server_call(const struct ctx_part *p)
{
	struct ctx_span type = ctx_json_get(p->raw, "type");

	return p->type == CTX_PART_OTHER &&
	       CTX_JSON_IS_ANY(type, "server_tool_use", "mcp_tool_use");
}

/* True if the messages from index "from" to before index "to" have a provider-run call
 * (if call is set) or result with this id. */
static bool
is_server_part_named(
    const struct render *r, struct ctx_span id, size_t from, size_t to, bool call)
{
	for (size_t i = from; i < to; i++) {
		const struct ctx_message *m = &r->msgs[r->order[i]];
		for (size_t k = 0; m->role == CTX_ROLE_ASSISTANT && k < m->n; k++) {
			const struct ctx_part *p = &m->parts[k];
			if (p->type != CTX_PART_OTHER || is_server_call(p) != call)
				continue;
			if (ctx_span_eq(
				ctx_json_get(p->raw, call ? "id" : "tool_use_id"), id))
				return true;
		}
	}
	return false;
}

static void
check_part(struct render *r, const struct ctx_part *p, size_t at, size_t last_user)
{
	struct ctx_span id = ctx_json_get(p->raw, "tool_use_id");
	bool lacks;

	if (is_server_call(p)) {
		id = ctx_json_get(p->raw, "id");
		lacks = ctx_message_blank(id) ||
			(last_user != RENDER_NONE && at < last_user &&
			    !is_server_part_named(r, id, at, r->n_order, false));
	} else {
		lacks = p->type == CTX_PART_OTHER && id.p != NULL &&
			!is_server_part_named(r, id, 0, at + 1, true);
	}
	if (!lacks)
		return;
	CTX_MEM_GROW(r->unpaired, r->n_unpaired, r->cap_unpaired);
	r->unpaired[r->n_unpaired++] = p;
}

void
ctx_anthropic_match_server(struct render *r)
{
	size_t last_user = RENDER_NONE;

	for (size_t i = 0; i < r->n_order; i++)
		if (ctx_message_roles(&r->msgs[r->order[i]]) >> CTX_ROLE_USER & 1)
			last_user = i;
	for (size_t i = 0; i < r->n_order; i++) {
		const struct ctx_message *m = &r->msgs[r->order[i]];
		for (size_t k = 0; m->role == CTX_ROLE_ASSISTANT && k < m->n; k++)
			check_part(r, &m->parts[k], i, last_user);
	}
}

bool
ctx_anthropic_is_unpaired(const struct render *r, const struct ctx_part *p)
{
	for (size_t i = 0; i < r->n_unpaired; i++)
		if (r->unpaired[i] == p)
			return true;
	return false;
}
