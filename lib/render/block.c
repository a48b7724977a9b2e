/* Parts of messages, converted between the shapes of the providers. */
#include <string.h>

#include "json/json.h"
#include "render/internal.h"

static bool
has_block_string_text(struct ctx_span value)
{
	return ctx_json_type(value) == CTX_JSON_STRING && value.n > 2;
}

/* Signed thinking can go back to the one who signed it. What is no string of text is no
 * signature, and no thought that a signature could be for. */
static bool
thinking_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	static const char *const keys[] = {
	    "signature", "data", "thoughtSignature", "thinking"};
	struct ctx_span v[4];
	bool gemini = p->type == CTX_PART_OTHER, ours, is_signed;

	ctx_json_get_all(p->raw, keys, v, 4);
	/* Mistral's thinking is a list of chunks, unsigned, and goes back as it is */
	if (!gemini && ctx_json_type(v[3]) == CTX_JSON_ARRAY)
		return r->o->provider == CTX_PROVIDER_OPENAI &&
		       node->kind == NODE_ASSISTANT &&
		       r->o->thinking != CTX_THINKING_STRIP;
	ours = gemini ? r->o->provider == CTX_PROVIDER_GEMINI
		      : r->o->provider == CTX_PROVIDER_ANTHROPIC && v[2].p == NULL;
	is_signed = gemini ? has_block_string_text(v[2])
		    : ctx_json_is(ctx_json_get(p->raw, "type"), "thinking")
			? has_block_string_text(v[0]) &&
			      ctx_json_type(v[3]) == CTX_JSON_STRING
			: has_block_string_text(v[1]);
	if (!ours || node->kind != NODE_ASSISTANT)
		return false;
	switch (r->o->thinking) {
	case CTX_THINKING_KEEP:
		return true;
	case CTX_THINKING_STRIP:
		return false;
	case CTX_THINKING_AUTO:
		break;
	}
	if (r->o->in_run)
		return is_signed && node->kept;
	return is_signed && (node->loop || !r->o->cut);
}

/* Has the provider a place for the part in a message of the assistant? What a stand-in
 * would say there, the model would take for its own words. */
static bool
has_assistant_place(const struct render *r, const struct ctx_part *p)
{
	enum ctx_render_shape shape = ctx_render_shape(p);

	switch (r->o->provider) {
	case CTX_PROVIDER_ANTHROPIC:
		return p->type == CTX_PART_OTHER &&
		       (shape == SHAPE_ANTHROPIC || shape == SHAPE_NATIVE) &&
		       !ctx_render_is_unpaired(r, p);
	case CTX_PROVIDER_GEMINI:
		if (p->type == CTX_PART_OTHER && shape == SHAPE_GEMINI_PART)
			return true;
		return ctx_render_media_sent(p, CTX_PROVIDER_GEMINI);
	case CTX_PROVIDER_OPENAI:
	case CTX_PROVIDER_RESPONSES:
		break;
	}
	return false;
}

/* A part of an answer may have held nothing at all, and goes back to Gemini as it was.
 * Calls and responses have their own places, where they are counted. */
static bool
gemini_part_sent(const struct render *r, const struct ctx_part *p)
{
	struct ctx_json_iter it;

	if (r->o->provider != CTX_PROVIDER_GEMINI)
		return true;
	if (ctx_json_get(p->raw, "functionResponse").p != NULL ||
	    ctx_json_get(p->raw, "functionCall").p != NULL)
		return false;
	ctx_json_iter_init(&it, p->raw);
	while (ctx_json_iter_next(&it))
		if (!ctx_json_is(it.key, "type"))
			return true;
	return false;
}

bool
ctx_render_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	enum ctx_render_shape shape;
	bool string;

	switch (p->type) {
	case CTX_PART_TEXT:
		string = ctx_json_type(p->body) == CTX_JSON_STRING;
		if (r->o->provider == CTX_PROVIDER_OPENAI)
			return string && (p->body.n > 2 || (node->kind == NODE_USER &&
							       p->raw.p == p->body.p));
		if (string && r->o->provider == CTX_PROVIDER_GEMINI &&
		    ctx_json_get(p->raw, "thoughtSignature").p != NULL)
			return true;
		return !ctx_message_blank(p->body);
	case CTX_PART_THINKING:
		return thinking_sent(r, node, p);
	case CTX_PART_TOOL_CALL:
		return node->kind == NODE_ASSISTANT;
	case CTX_PART_TOOL_RESULT:
		return false;
	case CTX_PART_OTHER:
		if (p->superseded)
			return false;
		if (node->kind == NODE_USER && ctx_render_is_system(r, node->item))
			return ctx_render_is_system_block(r, p);
		shape = ctx_render_shape(p);
		if (shape == SHAPE_NATIVE && r->o->provider == CTX_PROVIDER_RESPONSES)
			return node->kind == NODE_ASSISTANT;
		if (shape == SHAPE_RESPONSES_REASONING && node->kind != NODE_ASSISTANT)
			return false;
		if ((shape == SHAPE_RESPONSES_REASONING ||
			shape == SHAPE_RESPONSES_ITEM) &&
		    node->kind == NODE_ASSISTANT)
			return r->o->provider == CTX_PROVIDER_RESPONSES &&
			       (shape == SHAPE_RESPONSES_ITEM ||
				   r->o->thinking != CTX_THINKING_STRIP);
		if (shape == SHAPE_GEMINI_PART)
			return gemini_part_sent(r, p) && (node->kind != NODE_ASSISTANT ||
							     has_assistant_place(r, p));
		if (shape == SHAPE_GEMINI_THOUGHT)
			return thinking_sent(r, node, p);
		return node->kind != NODE_ASSISTANT || has_assistant_place(r, p);
	case CTX_PART_IMAGE:
		return node->kind != NODE_ASSISTANT || has_assistant_place(r, p);
	}
	return true;
}

bool
ctx_render_extra_sent(const struct ctx_part *p)
{
	return p->type == CTX_PART_TEXT ? !ctx_message_blank(p->body)
					: p->type != CTX_PART_THINKING;
}

void
ctx_render_copy(struct ctx_buf *b, struct ctx_span object, const char *const keep[],
    const struct render_swap *swap, size_t n)
{
	struct ctx_span v[16];
	struct ctx_json_iter it;
	size_t count = 0;

	while (keep[count] != NULL)
		count++;
	ctx_json_get_all(object, keep, v, count);
	ctx_json_put_open(b, '{');
	ctx_json_iter_init(&it, object);
	while (ctx_json_iter_next(&it)) {
		struct ctx_span value = it.value;
		size_t k = 0, s = 0;
		/* by place, so that of duplicate keys the one in force is taken */
		while (k < count && v[k].p != it.value.p)
			k++;
		if (k == count)
			continue;
		while (s < n && strcmp(swap[s].key, keep[k]) != 0)
			s++;
		if (s < n)
			value = swap[s].json;
		if (value.p == NULL)
			continue;
		ctx_json_put_raw(b, it.key);
		ctx_buf_addc(b, ':');
		ctx_buf_addspan(b, value);
	}
	ctx_json_put_close(b, '}');
}

static void
put_wrapped(struct ctx_buf *b, struct ctx_span text)
{
	ctx_buf_adds(b, "{\"input\":");
	ctx_json_put_string(b, text);
	ctx_buf_addc(b, '}');
}

/* The text of arguments goes in as it is, numbers and white space included; only line
 * ends between tokens become spaces, for a body is one line. */
static void
put_object_text(struct ctx_buf *b, struct ctx_span text)
{
	size_t start = b->n;

	ctx_buf_addspan(b, text);
	for (size_t i = start; i < b->n; i++)
		if (b->p[i] == '\n' || b->p[i] == '\r')
			b->p[i] = ' ';
}

void
ctx_render_args(struct ctx_buf *b, const struct ctx_part *call)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text, bare, value;
	enum ctx_json_type type = ctx_json_type(call->body);

	if (type == CTX_JSON_OBJECT) {
		ctx_buf_addspan(b, call->body);
		return;
	}
	if (type != CTX_JSON_STRING) {
		if (type == CTX_JSON_NONE || type == CTX_JSON_NULL) {
			ctx_buf_adds(b, "{}");
		} else {
			ctx_buf_adds(b, "{\"input\":");
			ctx_buf_addspan(b, call->body);
			ctx_buf_addc(b, '}');
		}
		return;
	}
	text = ctx_json_text(call->body, &tmp);
	bare = ctx_span_trim(text);
	if (!call->custom && (bare.n == 0 || ctx_span_is(bare, "null")))
		ctx_buf_adds(b, "{}");
	else if (!call->custom && ctx_json_check(text, &value, NULL, &err) == 0 &&
		 ctx_json_type(value) == CTX_JSON_OBJECT)
		put_object_text(b, value);
	else
		put_wrapped(b, text);
	ctx_buf_release(&tmp);
}

void
ctx_render_args_string(struct ctx_buf *b, const struct ctx_part *call)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span string = call->body, value;

	if (!call->openai) /* as the answer spelled it */
		string = ctx_json_get(call->raw, "arguments");
	if (!call->custom && ctx_json_type(string) == CTX_JSON_STRING &&
	    ctx_json_check(ctx_json_text(string, &tmp), &value, NULL, &ignored) == 0 &&
	    ctx_json_type(value) == CTX_JSON_OBJECT) {
		ctx_buf_addspan(b, string);
	} else {
		ctx_buf_reset(&tmp);
		ctx_render_args(&tmp, call);
		ctx_json_put_string(b, ctx_buf_span(&tmp));
	}
	ctx_buf_release(&tmp);
}

static bool
ends_with(struct ctx_span s, const char *end)
{
	size_t n = strlen(end);

	return s.n >= n && memcmp(s.p + s.n - n, end, n) == 0;
}

enum ctx_render_shape
ctx_render_shape(const struct ctx_part *p)
{
	static const char *const openai[] = {"input_audio", "file", "video_url"};
	static const char *const responses[] = {"web_search_call", "file_search_call",
	    "computer_call", "computer_call_output", "image_generation_call",
	    "code_interpreter_call", "local_shell_call", "local_shell_call_output",
	    "shell_call", "shell_call_output", "apply_patch_call",
	    "apply_patch_call_output", "mcp_list_tools", "mcp_call",
	    "mcp_approval_request", "mcp_approval_response", "tool_search_call",
	    "tool_search_output", "compaction", "item_reference", "agent_message",
	    "program", "program_output", "configuration_update", "additional_tools",
	    "message", "compaction_trigger"};
	static const char *const anthropic[] = {"document", "search_result",
	    "container_upload", "server_tool_use", "mcp_tool_use", "mcp_tool_listing",
	    "fallback", "tool_reference", "connector_text"};
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_text(ctx_json_get(p->raw, "type"), &tmp);
	enum ctx_render_shape shape = SHAPE_UNKNOWN;

	for (size_t i = 0; i < sizeof(openai) / sizeof(openai[0]); i++)
		if (ctx_span_is(type, openai[i]))
			shape = SHAPE_OPENAI;
	for (size_t i = 0; i < sizeof(anthropic) / sizeof(anthropic[0]); i++)
		if (ctx_span_is(type, anthropic[i]))
			shape = SHAPE_ANTHROPIC;
	for (size_t i = 0; i < sizeof(responses) / sizeof(responses[0]); i++)
		if (ctx_span_is(type, responses[i]))
			shape = SHAPE_RESPONSES_ITEM;
	/* Anthropic's is readable, OpenAI's is not */
	if (ctx_span_is(type, "compaction") && ctx_json_get(p->raw, "content").p != NULL)
		shape = SHAPE_ANTHROPIC;
	if (ctx_span_is(type, "reasoning"))
		shape = SHAPE_RESPONSES_REASONING;
	else if (ends_with(type, "_tool_result"))
		shape = SHAPE_ANTHROPIC;
	else if (ctx_span_is(type, "thought"))
		shape = SHAPE_GEMINI_THOUGHT;
	else if (ctx_span_is(type, "part"))
		shape = SHAPE_GEMINI_PART;
	ctx_buf_release(&tmp);
	return shape == SHAPE_UNKNOWN && p->native ? SHAPE_NATIVE : shape;
}

/* The text that a block holds, or nothing. */
static void
block_text(struct ctx_span block, struct ctx_span source, struct ctx_buf *text)
{
	enum { TYPE, CONTENT, TITLE, TEXT, URI, NAME, N };
	static const char *const keys[N] = {
	    "type", "content", "title", "text", "uri", "name"};
	static const char *const inner[] = {"type", "data", "content"};
	struct ctx_span v[N], s[3], body = CTX_SPAN_NONE;

	ctx_json_get_all(block, keys, v, N);
	ctx_json_get_all(source, inner, s, 3);
	if (ctx_json_type(block) != CTX_JSON_OBJECT)
		body = block;
	else if (ctx_json_is(v[TYPE], "document"))
		body = ctx_json_is(s[0], "text") ? s[1] : s[2];
	else if (ctx_json_is(v[TYPE], "search_result"))
		body = v[CONTENT];
	else if (ctx_json_is(v[TYPE], "resource_link")) /* MCP */
		body = v[URI];
	else if (ctx_json_type(v[TEXT]) == CTX_JSON_STRING)
		body = v[TEXT];
	if (body.p == NULL)
		return;
	if (ctx_json_is(v[TYPE], "resource_link"))
		v[TITLE] = v[NAME];
	if (!ctx_message_blank(v[TITLE])) {
		ctx_json_decode(v[TITLE], text);
		ctx_buf_addc(text, '\n');
	}
	if (ctx_json_is(v[TYPE], "search_result") && !ctx_message_blank(source)) {
		ctx_json_decode(source, text); /* its URL */
		ctx_buf_addc(text, '\n');
	}
	ctx_content_text(body, text);
}

/* What kind of block: its type; of Gemini's parts the member that holds the data. */
static struct ctx_span
block_kind(const struct ctx_part *p)
{
	struct ctx_json_iter it;

	if (ctx_render_shape(p) != SHAPE_GEMINI_PART)
		return ctx_json_get(p->raw, "type");
	ctx_json_iter_init(&it, p->raw);
	while (ctx_json_iter_next(&it))
		if (!ctx_json_is(it.key, "type") &&
		    ctx_json_type(it.value) == CTX_JSON_OBJECT)
			return it.key;
	return CTX_SPAN_NONE;
}

bool
ctx_render_has_text(const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;
	bool some;

	block_text(p->raw, ctx_json_get(p->raw, "source"), &text);
	some = ctx_span_trim(ctx_buf_span(&text)).n > 0;
	ctx_buf_release(&text);
	return some;
}

void
ctx_render_stand_in(struct ctx_buf *b, const struct ctx_part *p)
{
	struct ctx_span source = ctx_json_get(p->raw, "source");
	struct ctx_span url = ctx_json_get(source, "url");
	struct ctx_buf text = CTX_BUF_INIT;
	size_t n;

	block_text(p->raw, source, &text);
	if (ctx_span_trim(ctx_buf_span(&text)).n == 0) {
		ctx_buf_reset(&text);
		ctx_buf_addc(&text, '[');
		n = text.n;
		ctx_json_decode(block_kind(p), &text);
		if (text.n == n)
			ctx_buf_adds(&text, "data");
		if (ctx_json_type(url) == CTX_JSON_STRING) {
			ctx_buf_addc(&text, ' ');
			ctx_json_decode(url, &text);
		}
		ctx_buf_addc(&text, ']');
	}
	ctx_buf_addc(b, '"');
	ctx_json_escape(b, ctx_buf_span(&text));
	ctx_buf_addc(b, '"');
	ctx_buf_release(&text);
}

void
ctx_render_put_text_block(struct ctx_buf *b, struct ctx_span string)
{
	ctx_json_put_open(b, '{');
	ctx_json_add_str(b, "type", "text");
	ctx_json_add_raw(b, "text", string);
	ctx_json_put_close(b, '}');
}
