/* What servers want that are compatible with OpenAI's API, but stricter. */
#include "json/json.h"
#include "render/internal.h"

/* Mistral takes ids of nine letters and digits only (mistral-common, validator). Where neither
 * server nor model is known, only long ids are shortened. */
bool
ctx_render_wants_nine(const struct render *r, struct ctx_span id)
{
	bool nine = id.n == 9;

	if (r->o->server == NULL)
		return r->o->provider == CTX_PROVIDER_OPENAI && id.n > 24 &&
		       ctx_json_get(ctx_buf_span(&r->params), "model").p == NULL;
	for (size_t i = 0; i < id.n; i++)
		nine = nine && ctx_render_name_char(id.p[i]) && id.p[i] != '_' &&
		       id.p[i] != '-';
	return r->o->server->nine_ids && !nine;
}

const char *const *
ctx_render_message_keys(const struct render *r)
{
	static const char *const all[] = {"role", "content", "name", "tool_calls",
	    "tool_call_id", "refusal", "audio", "reasoning_content", "reasoning_details",
	    NULL};
	static const char *const strict[] = {
	    "role", "content", "tool_calls", "tool_call_id", "name", NULL};

	return r->o->server != NULL && r->o->server->strict ? strict : all;
}

/* In thinking mode DeepSeek refuses an answer without its reasoning, which may be empty. */
bool
ctx_render_wants_reasoning(const struct render *r)
{
	struct ctx_span thinking = ctx_json_get(ctx_buf_span(&r->params), "thinking");
	bool on = ctx_json_is(ctx_json_get(thinking, "type"), "enabled");

	if (r->o->server == NULL || !r->o->server->reasoning ||
	    r->o->thinking == CTX_THINKING_STRIP)
		return false;
	for (size_t i = 0; !on && i < r->n_nodes; i++)
		on = r->nodes[i].kind == NODE_ASSISTANT &&
		     ctx_json_type(ctx_json_get(r->msgs[r->nodes[i].item].json,
			 "reasoning_content")) == CTX_JSON_STRING;
	return on;
}

/* Many servers take one system message, the first, and no role developer: what comes later is
 * told as the user's. */
struct ctx_span
ctx_render_system_role(const struct render *r, size_t item)
{
	bool first = item < r->opening || r->items[item].slot != CTX_SLOT_HISTORY;

	if (r->o->server != NULL && r->o->server->one_system)
		return ctx_span_of(first ? "\"system\"" : "\"user\"");
	return ctx_span_of(
	    r->msgs[item].role == CTX_ROLE_DEVELOPER ? "\"developer\"" : "\"system\"");
}
