/* Renders input items for OpenAI's Responses (API reference, "Create a model
 * response"). */

#include "json/json.h"
#include "record/calls.h"
#include "render/internal.h"
#include "render/tools.h"

/* The writer holds back reasoning until the item that follows it is written, because
 * reasoning without such an item is refused (lint rule re-reasoning-pair). */
struct writer {
	struct ctx_buf *b;
	struct ctx_buf reasoning; /* items that are held back, separated by commas */
	struct ctx_span item_id;  /* id of the open message, absent if it has none */
	bool open;                /* an assistant message is being written */
	bool untyped;             /* see struct ctx_render_options */
	bool ids; /* items are sent with their ids, which requires their reasoning */
};

static void
close_responses_message(struct writer *w)
{
	if (w->open)
		ctx_buf_adds(w->b, "]}");
	w->open = false;
}

/* Prepares for writing an item of the model: closes the open message and writes the
 * reasoning that was held back. */
static void
begin_item(struct writer *w)
{
	close_responses_message(w);
	if (w->reasoning.n > 0)
		ctx_json_put_raw(w->b, ctx_buf_span(&w->reasoning));
	ctx_buf_reset(&w->reasoning);
}

/* ---- parts of a user message or a result ---- */

static void
write_responses_stand_in(struct ctx_buf *b, const struct ctx_part *p, bool output)
{
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_render_stand_in(&text, p);
	ctx_json_print(b,
	    output ? "{'type':'output_text','text':%j,'annotations':[]}"
		   : "{'type':'input_text','text':%j}",
	    ctx_buf_span(&text));
	ctx_buf_release(&text);
}

static void
write_responses_media(struct ctx_buf *b, const struct ctx_part *p, bool typed)
{
	struct render_media m;

	if (!ctx_render_media_sent(p, CTX_PROVIDER_RESPONSES)) {
		write_responses_stand_in(b, p, false);
		return;
	}
	ctx_render_media_of(&m, p);
	ctx_json_print(b, "{'type':%s", m.image ? "input_image" : "input_file");
	if (m.upload.p != NULL) {
		ctx_json_print(b, "'file_id':%j}", m.upload);
		ctx_render_media_release(&m);
		return;
	}
	if (!m.image && m.kind == MEDIA_BASE64)
		ctx_json_add_string(
		    b, "filename", m.name.n > 0 ? m.name : ctx_span_of("document.pdf"));
	ctx_json_put_key(b, m.image               ? "image_url"
			    : m.kind == MEDIA_URL ? "file_url"
						  : "file_data");
	ctx_render_put_data_url(b, &m);
	if (m.image) {
		struct ctx_span detail = ctx_json_get(p->body, "detail");
		ctx_json_add_raw(b, "detail",
		    detail.p == NULL && typed ? ctx_span_of("\"auto\"") : detail);
	}
	ctx_json_put_close(b, '}');
	ctx_render_media_release(&m);
}

/* typed: the part is in a message, where images must have "detail"; images in results
 * need none. */
static void
write_responses_input(struct ctx_buf *b, const struct ctx_part *p, bool typed)
{
	struct ctx_span mark = ctx_json_get(p->raw, "prompt_cache_breakpoint");

	if (p->type == CTX_PART_TEXT)
		ctx_json_print(b, "{'type':'input_text','text':%j}", p->body);
	else
		write_responses_media(b, p, typed);
	if (ctx_json_type(mark) == CTX_JSON_OBJECT) { /* set by the user */
		b->n--;
		ctx_json_print(b, "'prompt_cache_breakpoint':%j}", mark);
	}
}

/* Writes an item of an answer as a request accepts it: without created_by, which only
 * answers have, and with another value for the member key (NULL: for none). */
static void
put_changed_item(
    struct ctx_buf *b, struct ctx_span item, const char *key, struct ctx_span value)
{
	ctx_json_put_open(b, '{');
	CTX_JSON_EACH(it, item) {
		if (ctx_json_is(it.key, "created_by"))
			continue;
		ctx_json_put_name(b, it.key);
		if (key != NULL && ctx_json_is(it.key, key))
			ctx_json_put_string(b, value);
		else
			ctx_buf_addspan(b, it.value);
	}
	ctx_json_put_close(b, '}');
}

static void
put_item(struct ctx_buf *b, struct ctx_span item)
{
	put_changed_item(b, item, NULL, CTX_SPAN_NONE);
}

/* ---- messages ---- */

/* Writes the tools that were chosen after the run began as an item before the message
 * that they were chosen for (cache rule O-PFX: the request's tools must not change, and
 * "additional_tools" adds to them). */
static void
put_late_tools(const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	bool open = false;

	for (size_t i = node->extra; i < node->extra + node->extras; i++) {
		size_t item = r->extra[i].item;
		struct ctx_span tool = ctx_message_tool(&r->msgs[item]);
		if (!r->items[item].late)
			continue;
		if (!open)
			ctx_json_print(
			    b, "{'type':'additional_tools','role':'developer','tools':[");
		open = true;
		ctx_render_tool_put(b, tool, r->o->provider);
	}
	if (open)
		ctx_buf_adds(b, "]}");
}

/* Writes the items among the blocks of a developer message after it, as separate
 * items. */
static void
put_system_items(const struct render *r, const struct ctx_message *m, struct ctx_buf *b)
{
	for (size_t i = 0; i < m->n; i++)
		if (ctx_render_is_system_block(r, &m->parts[i]))
			put_item(b, m->parts[i].raw);
}

/* True if this is the last of the system messages that the next run begins with too. */
static bool
is_front_end(const struct render *r, const struct render_node *node)
{
	size_t n = ctx_render_front(r);

	return n > 0 && node->item == r->system[n - 1];
}

static void
put_user(const struct render *r, const struct render_node *node, struct writer *w)
{
	const struct ctx_message *m = &r->msgs[node->item];
	bool system = ctx_render_is_system(r, node->item);
	bool front = r->o->system_parts && is_front_end(r, node);
	struct ctx_span content = ctx_json_get(m->json, "content");
	struct ctx_buf *b = w->b;
	size_t array;

	close_responses_message(w);
	ctx_buf_reset(&w->reasoning);
	put_late_tools(r, node, b);
	if (system && ctx_json_has_type(m->json, "additional_tools")) {
		put_item(b, m->json);
		return;
	}
	if (system && ctx_message_count(m, CTX_PART_TEXT) == 0) {
		put_system_items(r, m, b);
		return;
	}
	ctx_json_print(b, "{'role':%s,'content':", ctx_role_name(m->role));
	if (node->extras == 0 && !front && ctx_json_type(content) == CTX_JSON_STRING) {
		ctx_json_print(b, "%j}", content);
		return;
	}
	array = b->n;
	ctx_json_put_open(b, '[');
	RENDER_EACH_PART(it, r, node)
		if (it.is_extra || !system || it.part->type != CTX_PART_OTHER)
			write_responses_input(b, it.part, !r->o->untyped);
	ctx_json_put_close(b, ']');
	if (front)
		ctx_render_put_breakpoint(r, b, array);
	ctx_json_put_close(b, '}');
	if (system)
		put_system_items(r, m, b);
}

/* Writes text of the model as a message with a string as its content. Used if the part
 * has no item id, which a message of type "message" requires. */
static void
put_plain_output(struct writer *w, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	if (p->type == CTX_PART_TEXT)
		ctx_buf_addspan(&text, p->body);
	else
		ctx_render_stand_in(&text, p);
	begin_item(w);
	ctx_json_print(w->b, "{'role':'assistant','phase':%j,'content':%j}",
	    ctx_json_get_string(p->raw, "phase"), ctx_buf_span(&text));
	ctx_buf_release(&text);
}

/* Writes a part of the model's message. Parts of the same item are written into one
 * message. */
static void
put_output(struct writer *w, const struct ctx_part *p)
{
	struct ctx_span annotations = ctx_json_get(p->raw, "annotations");
	struct ctx_span status = ctx_json_get_string(p->raw, "item_status");
	struct ctx_span id = w->ids ? ctx_json_get(p->raw, "item_id") : CTX_SPAN_NONE;

	if (id.p == NULL && !w->untyped) {
		put_plain_output(w, p);
		return;
	}
	if (!w->open || !ctx_span_eq(id, w->item_id)) {
		begin_item(w);
		if (id.p == NULL)
			ctx_json_print(w->b, "{");
		else
			ctx_json_print(w->b, "{'type':'message','id':%j,'status':%j", id,
			    status.p != NULL ? status : ctx_span_of("\"completed\""));
		ctx_json_print(w->b, "'role':'assistant','phase':%j,'content':[",
		    ctx_json_get_string(p->raw, "phase"));
		w->open = true;
		w->item_id = id;
	}
	if (p->type != CTX_PART_TEXT) {
		write_responses_stand_in(w->b, p, true);
		return;
	}
	if (ctx_json_type(annotations) != CTX_JSON_ARRAY)
		annotations = ctx_span_of("[]");
	ctx_json_print(w->b,
	    ctx_json_has_type(p->raw, "refusal")
		? "{'type':'refusal','refusal':%j}"
		: "{'type':'output_text','text':%j,'annotations':%j}",
	    p->body, annotations);
}

static bool
is_custom(const struct ctx_part *call)
{
	return call->custom ||
	       (!call->openai &&
		   ctx_json_is(ctx_json_get(call->raw, "item_type"), "custom_tool_call"));
}

static void
write_responses_call(struct writer *w, const struct render_call *c)
{
	static const char *const back[] = {"namespace", "caller", "async", "status"};
	const struct ctx_part *p = c->part;
	struct ctx_buf args = CTX_BUF_INIT, name = CTX_BUF_INIT;
	bool custom = is_custom(p);

	begin_item(w);
	if (p->item) {
		put_changed_item(w->b, p->raw, "call_id", c->sent);
		return;
	}
	ctx_render_put_name(&name, p->name, CTX_PROVIDER_RESPONSES);
	ctx_json_print(w->b, "{'type':%s,'id':%j,'call_id':%t,'name':%j",
	    custom ? "custom_tool_call" : "function_call",
	    w->ids && !p->openai ? ctx_json_get_string(p->raw, "item_id") : CTX_SPAN_NONE,
	    c->sent, ctx_buf_span(&name));
	ctx_buf_release(&name);
	if (custom) {
		struct ctx_span text = p->openai ? p->body
						 : ctx_json_get(p->body, "input");
		ctx_json_add_raw(w->b, "input",
		    ctx_json_type(text) == CTX_JSON_STRING ? text : ctx_span_of("\"\""));
	} else {
		ctx_render_args_string(&args, p);
		ctx_json_add_raw(w->b, "arguments", ctx_buf_span(&args));
	}
	for (size_t i = 0; !p->openai && i < sizeof(back) / sizeof(back[0]); i++)
		ctx_json_add_raw(w->b, back[i], ctx_json_get(p->raw, back[i]));
	ctx_json_put_close(w->b, '}');
	ctx_buf_release(&args);
}

/* Holds back a reasoning item. The server looks up an item without encrypted_content by
 * its id, which fails if the server stores nothing. Then the item is left out, and the
 * items after it are sent without ids. Removes status and created_by, which only answers
 * have, and adds summary if missing, which is required. */
static void
put_reasoning(const struct render *r, struct writer *w, struct ctx_span item)
{
	struct ctx_span content = ctx_json_get(item, "encrypted_content");
	struct ctx_buf *b = &w->reasoning;

	if (ctx_json_type(content) != CTX_JSON_STRING &&
	    ctx_span_is(ctx_json_get(ctx_buf_span(&r->params), "store"), "false")) {
		w->ids = false;
		return;
	}
	ctx_json_put_open(b, '{');
	CTX_JSON_EACH(it, item)
		if (!CTX_JSON_IS_ANY(it.key, "status", "created_by") &&
		    (!ctx_json_is(it.key, "encrypted_content") ||
			!ctx_span_is(it.value, "null")))
			ctx_json_put_member(b, it.key, it.value);
	ctx_json_print(
	    b, ctx_json_get(item, "summary").p == NULL ? "'summary':[]}" : "}");
}

static bool
has_reasoning_item(const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_OTHER &&
		    ctx_render_shape(&m->parts[i]) == SHAPE_RESPONSES_REASONING)
			return true;
	return false;
}

/* Writes an answer. Items that are sent without their reasoning are sent without ids. */
static void
put_assistant(const struct render *r, const struct render_node *node, struct writer *w)
{
	const struct ctx_message *m = &r->msgs[node->item];
	size_t call = node->call;

	close_responses_message(w); /* the message of the previous answer */
	w->ids = (r->o->thinking != CTX_THINKING_STRIP && node->kept) ||
		 (!w->untyped && !has_reasoning_item(m));
	RENDER_EACH_PART(it, r, node) {
		const struct ctx_part *p = it.part;
		enum ctx_render_shape shape = p->type == CTX_PART_OTHER
						  ? ctx_render_shape(p)
						  : SHAPE_UNKNOWN;
		if (p->type == CTX_PART_TOOL_CALL) {
			write_responses_call(w, &r->calls[call++]);
		} else if (shape == SHAPE_RESPONSES_REASONING) {
			close_responses_message(w);
			if (node->kept)
				put_reasoning(r, w, p->raw);
		} else if (shape == SHAPE_RESPONSES_ITEM || shape == SHAPE_NATIVE) {
			begin_item(w);
			put_item(w->b, p->raw);
		} else {
			put_output(w, p);
		}
	}
}

/* Writes the first part of a failed result with a text saying that it failed. */
static void
put_failed(struct ctx_buf *b, const struct ctx_part *p)
{
	struct ctx_part text = {
	    .type = CTX_PART_TOOL_RESULT, .body = ctx_span_of("\"\"")};
	struct ctx_buf string = CTX_BUF_INIT;

	if (p->type == CTX_PART_TEXT)
		text.body = p->body;
	ctx_render_result_text(&string, &text, true);
	ctx_json_print(b, "{'type':'input_text','text':%j}", ctx_buf_span(&string));
	ctx_buf_release(&string);
	if (p->type != CTX_PART_TEXT)
		write_responses_input(b, p, false);
}

/* Writes the screenshot that answers a computer call: the first image of the result. */
static void
put_screenshot(struct ctx_buf *b, const struct ctx_part *result)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf image = CTX_BUF_INIT;
	struct ctx_span url = CTX_SPAN_NONE;

	ctx_message_parse_content(&m, result->body);
	for (size_t i = 0; i < m.n && url.p == NULL; i++) {
		if (!ctx_render_media_sent(&m.parts[i], CTX_PROVIDER_RESPONSES))
			continue;
		ctx_buf_reset(&image);
		write_responses_media(&image, &m.parts[i], false);
		url = ctx_json_get(ctx_buf_span(&image), "image_url");
	}
	ctx_json_print(b, "{'type':'computer_screenshot','image_url':%j}", url);
	ctx_buf_release(&image);
	ctx_message_release(&m);
}

/* Writes the output of a call of one of OpenAI's own tools: the stored item, or an item
 * made from a tool result in the common format. */
static void
write_client_output(struct writer *w, const struct render_call *c)
{
	struct ctx_span type = ctx_json_get(c->part->raw, "type");
	const struct ctx_client_item *kind = ctx_client_item_find(type, false);
	const struct ctx_part *p = c->result;
	struct ctx_buf text = CTX_BUF_INIT;

	if (p->item) {
		put_changed_item(w->b, p->raw, kind->id, c->sent);
		return;
	}
	ctx_render_result_text(&text, p, false);
	ctx_json_print(w->b, "{'type':%s", kind->output);
	ctx_json_add_string(w->b, kind->id, c->sent);
	ctx_json_put_key(w->b, "output");
	if (ctx_json_is(type, "computer_call")) {
		put_screenshot(w->b, p);
	} else if (ctx_json_is(type, "shell_call")) {
		ctx_json_print(w->b,
		    "[{'stdout':%j,'stderr':'','outcome':{'type':'exit','exit_code':%d}}]",
		    ctx_buf_span(&text), (int64_t)p->error);
	} else {
		ctx_buf_addspan(w->b, ctx_buf_span(&text));
	}
	if (ctx_json_is(type, "apply_patch_call"))
		ctx_json_add_str(w->b, "status", p->error ? "failed" : "completed");
	ctx_json_put_close(w->b, '}');
	ctx_buf_release(&text);
}

/* Writes the output of a call: a string, or a list if it holds more than text. */
static void
write_responses_result(struct writer *w, const struct render_call *c)
{
	const struct ctx_part *p = c->result;
	struct ctx_message m = CTX_MESSAGE_INIT;
	bool list = ctx_render_result_list(&m, p);

	/* the result names the same caller as the call */
	ctx_json_print(w->b, "{'type':%s,'call_id':%t,'caller':%j,'output':",
	    is_custom(c->part) ? "custom_tool_call_output" : "function_call_output",
	    c->sent,
	    c->part->openai ? CTX_SPAN_NONE : ctx_json_get(c->part->raw, "caller"));
	if (list) {
		ctx_json_put_open(w->b, '[');
		for (size_t i = 0; i < m.n; i++) {
			if (p->error && i == 0)
				put_failed(w->b, &m.parts[i]);
			else
				write_responses_input(w->b, &m.parts[i], false);
		}
		ctx_json_put_close(w->b, ']');
	} else {
		ctx_render_result_text(w->b, p, p->error);
	}
	ctx_json_put_close(w->b, '}');
	ctx_message_release(&m);
}

static int
put_responses_input(struct render *r, struct ctx_buf *b)
{
	struct writer w = {.b = b,
	    .untyped = r->o->untyped,
	    .ids = r->o->thinking != CTX_THINKING_STRIP};
	struct render_node node = {.kind = NODE_USER};

	ctx_json_add_open(b, "input", '[');
	for (size_t i = 0; i < r->n_system; i++) {
		node.item = r->system[i];
		put_user(r, &node, &w);
	}
	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct render_node *n = &r->nodes[i];
		if (n->kind == NODE_USER) {
			put_user(r, n, &w);
		} else if (n->kind == NODE_ASSISTANT) {
			put_assistant(r, n, &w);
		} else {
			close_responses_message(&w);
			ctx_buf_reset(&w.reasoning);
			RENDER_EACH_RESULT(c, r, n) {
				if (c->part->async == n->async && c->part->item)
					write_client_output(&w, c);
				else if (c->part->async == n->async)
					write_responses_result(&w, c);
			}
		}
	}
	close_responses_message(&w);
	ctx_buf_release(&w.reasoning);
	ctx_json_put_close(b, ']');
	return 0;
}

static int
is_responses_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	enum ctx_render_shape shape;
	bool assistant = node->kind == NODE_ASSISTANT;

	if (p->type != CTX_PART_OTHER)
		return -1;
	shape = ctx_render_shape(p);
	if (shape == SHAPE_NATIVE || shape == SHAPE_RESPONSES_REASONING)
		return assistant &&
		       (shape == SHAPE_NATIVE || r->o->thinking != CTX_THINKING_STRIP);
	return shape == SHAPE_RESPONSES_ITEM && assistant ? 1 : -1;
}

/* True for items other than messages. */
static bool
is_system_item(const struct render *r CTX_UNUSED, const struct ctx_part *p)
{
	return ctx_render_shape(p) == SHAPE_RESPONSES_ITEM;
}

static bool
has_additional_tools(const struct render *r CTX_UNUSED, const struct ctx_message *m)
{
	return ctx_json_has_type(m->json, "additional_tools");
}

static enum ctx_render_shape
get_responses_shape(struct ctx_span type, struct ctx_span block CTX_UNUSED)
{
	static const char *const types[] = {"web_search_call", "file_search_call",
	    "computer_call", "computer_call_output", "image_generation_call",
	    "code_interpreter_call", "local_shell_call", "local_shell_call_output",
	    "shell_call", "shell_call_output", "apply_patch_call",
	    "apply_patch_call_output", "mcp_list_tools", "mcp_call",
	    "mcp_approval_request", "mcp_approval_response", "tool_search_call",
	    "tool_search_output", "compaction", "item_reference", "agent_message",
	    "program", "program_output", "configuration_update", "additional_tools",
	    "compaction_trigger", "message", NULL};

	if (ctx_span_is(type, "reasoning"))
		return SHAPE_RESPONSES_REASONING;
	return ctx_render_is_type(type, types) ? SHAPE_RESPONSES_ITEM : SHAPE_UNKNOWN;
}

const struct ctx_render_kind ctx_render_responses = {
    .messages = put_responses_input,
    .shape = get_responses_shape,
    .part_sent = is_responses_part_sent,
    .system_block = is_system_item,
    .system_says = has_additional_tools,
    .reasoning = SHAPE_RESPONSES_REASONING,
    .async_results = true,
};
