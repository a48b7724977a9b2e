/* Requirements of servers that are compatible with OpenAI's API but stricter. */
#include "json/json.h"
#include "provider/openai/internal.h"

const char *const *
ctx_openai_message_keys(const struct render *r)
{
	static const char *const all[] = {"role", "content", "name", "tool_calls",
	    "tool_call_id", "refusal", "audio", "reasoning_content", "reasoning_details",
	    NULL};
	static const char *const strict[] = {
	    "role", "content", "tool_calls", "tool_call_id", "name", NULL};

	return r->o->server != NULL && r->o->server->strict ? strict : all;
}

/* True if answers must be sent with their reasoning, even if it is empty: DeepSeek
 * requires this in thinking mode. */
bool
ctx_openai_wants_reasoning(const struct render *r)
{
	struct ctx_span thinking = ctx_json_get(ctx_buf_span(&r->params), "thinking");
	bool on = ctx_json_has_type(thinking, "enabled");

	if (r->o->server == NULL || !r->o->server->reasoning ||
	    r->o->thinking == CTX_THINKING_STRIP)
		return false;
	for (size_t i = 0; !on && i < r->n_nodes; i++)
		on = r->nodes[i].kind == NODE_ASSISTANT &&
		     ctx_json_type(ctx_json_get(r->msgs[r->nodes[i].item].json,
			 "reasoning_content")) == CTX_JSON_STRING;
	return on;
}

/* Returns the role for a system message. Many servers accept only one system message, at
 * the start, and no role "developer": for them, later system messages are sent as the
 * user's. */
struct ctx_span
ctx_openai_system_role(const struct render *r, size_t item)
{
	bool first = item < r->opening || r->items[item].slot != CTX_SLOT_HISTORY;

	if (r->o->server != NULL && r->o->server->one_system)
		return ctx_span_of(first ? "\"system\"" : "\"user\"");
	return ctx_span_of(
	    r->msgs[item].role == CTX_ROLE_DEVELOPER ? "\"developer\"" : "\"system\"");
}

bool
ctx_openai_put_thinking(
    const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	const struct ctx_message *m = &r->msgs[node->item];
	struct ctx_buf list = CTX_BUF_INIT;
	struct render_swap swap = {"thinking", CTX_SPAN_NONE, false};
	static const char *const keys[] = {"type", "thinking", NULL};
	const struct ctx_part *first = NULL;
	size_t n = 0;

	ctx_json_put_open(&list, '[');
	for (size_t i = 0; i < m->n; i++) {
		if (m->parts[i].type != CTX_PART_THINKING ||
		    !ctx_render_part_sent(r, node, &m->parts[i]))
			continue;
		first = first == NULL ? &m->parts[i] : first;
		n++;
		CTX_JSON_EACH(it, ctx_json_get(m->parts[i].raw, "thinking"))
			ctx_json_put_raw(&list, it.value);
	}
	ctx_json_put_close(&list, ']');
	swap.json = ctx_buf_span(&list);
	if (n > 1)
		ctx_render_copy(b, first->raw, keys, &swap, 1);
	else if (n == 1)
		ctx_json_put_raw(b, first->raw);
	ctx_buf_release(&list);
	return n > 0;
}

/* ---- parts that are sent ---- */

static int
is_chat_part_sent(const struct render *r CTX_UNUSED, const struct render_node *node,
    const struct ctx_part *p)
{
	if (p->type != CTX_PART_TEXT)
		return -1;
	return ctx_json_type(p->body) == CTX_JSON_STRING &&
	       (p->body.n > 2 || (node->kind == NODE_USER && p->raw.p == p->body.p));
}

static enum ctx_render_shape
get_openai_shape(struct ctx_span type, struct ctx_span block CTX_UNUSED)
{
	static const char *const types[] = {"input_audio", "file", "video_url", NULL};

	return ctx_render_is_type(type, types) ? SHAPE_OPENAI : SHAPE_UNKNOWN;
}

const struct ctx_render_kind ctx_render_openai = {
    .messages = ctx_openai_messages,
    .shape = get_openai_shape,
    .part_sent = is_chat_part_sent,
    .own = SHAPE_OPENAI,
    .thinking_lists = true,
    .result_text = true,
    .results_apart = true,
    .blank_text = true,
};
