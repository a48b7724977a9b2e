/* Reads answers of OpenAI's Responses. Formats: the API reference, "The response object"
 * and "Streaming events". A stream ends with response.completed or response.incomplete.
 * The message has the role "assistant". Its content is a list of blocks. Each item of the
 * response becomes a block; an item with parts becomes one block for each part:
 *   output_text         {"type":"text","text":…,"annotations":…,"item_id":…}
 *   refusal             {"type":"refusal","refusal":…,"item_id":…}
 *   function_call       {"type":"tool_use","id":CALL_ID,"name":…,"input":ARGS,
 *                        "item_id":…}
 *   custom_tool_call    as function_call, with "input":{"input":TEXT},"item_type":…
 *   any other           the item, unchanged: reasoning, web_search_call, … */
#include "answer/internal.h"

/* Adds a block for each part of a message item, except empty texts. */
static void
add_responses_message(struct ctx_answer_reader *r, struct ctx_span item)
{
	enum { TYPE, TEXT, REFUSAL, ANNOTATIONS, N };
	static const char *const keys[N] = {"type", "text", "refusal", "annotations"};
	struct ctx_span status = ctx_json_get_string(item, "status"), v[N];
	struct ctx_buf b = CTX_BUF_INIT;

	if (ctx_json_is(status, "completed"))
		status = CTX_SPAN_NONE;
	CTX_JSON_EACH(it, ctx_json_get(item, "content")) {
		bool refusal;
		ctx_json_get_all(it.value, keys, v, N);
		refusal = ctx_json_is(v[TYPE], "refusal");
		if (ctx_json_type(v[refusal ? REFUSAL : TEXT]) != CTX_JSON_STRING ||
		    v[refusal ? REFUSAL : TEXT].n <= 2)
			continue;
		ctx_buf_reset(&b);
		if (ctx_json_type(v[ANNOTATIONS]) != CTX_JSON_ARRAY ||
		    v[ANNOTATIONS].n <= 2)
			v[ANNOTATIONS] = CTX_SPAN_NONE;
		ctx_json_print(&b,
		    refusal ? "{'type':'refusal','refusal':%j"
			    : "{'type':'text','text':%j",
		    ctx_answer_raw(r, v[refusal ? REFUSAL : TEXT]));
		ctx_json_print(&b,
		    "'annotations':%j,'item_id':%j,'phase':%j,'item_status':%j}",
		    ctx_answer_raw(r, v[ANNOTATIONS]),
		    ctx_answer_raw(r, ctx_json_get_string(item, "id")),
		    ctx_answer_raw(r, ctx_json_get_string(item, "phase")),
		    ctx_answer_raw(r, status));
		ctx_node_set(ctx_node_add(&r->parts, CTX_SPAN_NONE), ctx_buf_span(&b));
	}
	ctx_buf_release(&b);
}

/* Writes a call's input. The arguments arrive as a string that holds a JSON object, which
 * becomes the input, with its numbers and strings spelled the same way. Storing a message
 * removes white space between tokens, so a string with such white space is kept as
 * "arguments" too. */
static void
put_responses_call_input(
    struct ctx_answer_reader *r, struct ctx_span item, bool custom, struct ctx_buf *b)
{
	struct ctx_span string = ctx_json_get(item, custom ? "input" : "arguments"),
			value;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	bool damaged = false;
	size_t start;

	ctx_json_put_key(b, "input");
	start = b->n;
	if (ctx_json_type(string) == CTX_JSON_STRING && !custom) {
		ctx_json_decode(string, &text);
		if (ctx_span_trim(ctx_buf_span(&text)).n == 0)
			ctx_buf_adds(b, "{}");
		else if (ctx_json_check(ctx_buf_span(&text), &value, NULL, &why) < 0)
			damaged = true; /* the text that arrived is kept */
		else if (ctx_json_type(value) == CTX_JSON_OBJECT)
			ctx_json_minify(value, b);
		else
			custom = true;
		if (damaged) {
			ctx_buf_addspan(b, ctx_answer_raw(r, string));
			r->damaged = r->parts.n + 1;
		} else if (!custom && b->n - start != text.n) {
			ctx_json_add_raw(b, "arguments", ctx_answer_raw(r, string));
		}
	} else if (!custom && ctx_json_type(string) == CTX_JSON_OBJECT) {
		/* some servers send an object */
		ctx_json_minify(ctx_answer_raw(r, string), b);
	} else if (!custom && ctx_json_type(string) > CTX_JSON_NULL) {
		custom = true;
	} else if (!custom) {
		ctx_buf_adds(b, "{}");
	}
	if (custom)
		ctx_json_print(b, "{'input':%j}",
		    string.p == NULL ? ctx_span_of("\"\"") : ctx_answer_raw(r, string));
	ctx_buf_release(&text);
}

static void
add_responses_call(struct ctx_answer_reader *r, struct ctx_span item, bool custom)
{
	enum { ID, CALL_ID, NAME, NAMESPACE, CALLER, ASYNC, STATUS, N };
	static const char *const keys[N] = {
	    "id", "call_id", "name", "namespace", "caller", "async", "status"};
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_span v[N];

	ctx_json_get_all(item, keys, v, N);
	ctx_json_print(&b, "{'type':'tool_use','id':%j,'name':%j",
	    ctx_answer_raw(r, v[CALL_ID].p != NULL ? v[CALL_ID] : v[ID]),
	    ctx_answer_raw(r, v[NAME]));
	put_responses_call_input(r, item, custom, &b);
	ctx_json_print(&b, "'item_id':%j,'item_type':%s",
	    ctx_answer_raw(r, ctx_json_get_string(item, "id")),
	    custom ? "custom_tool_call" : NULL);
	/* these members are sent back with the call */
	for (int i = NAMESPACE; i < N; i++)
		if (v[i].p != NULL && !ctx_span_is(v[i], "null"))
			ctx_json_add_raw(&b, keys[i], ctx_answer_raw(r, v[i]));
	ctx_json_put_close(&b, '}');
	ctx_node_set(ctx_node_add(&r->parts, CTX_SPAN_NONE), ctx_buf_span(&b));
	if (ctx_json_is(v[STATUS], "completed"))
		r->whole = r->parts.n;
	ctx_buf_release(&b);
}

static int
add_responses_item(struct ctx_answer_reader *r, struct ctx_span item, struct ctx_err *err)
{
	struct ctx_span type = ctx_json_get(item, "type");

	if (ctx_json_type(type) != CTX_JSON_STRING)
		return ctx_err_set(
		    err, CTX_EIO, "the answer contains an item without a type");
	if (ctx_json_is(type, "message"))
		add_responses_message(r, item);
	else if (CTX_JSON_IS_ANY(type, "function_call", "custom_tool_call"))
		add_responses_call(r, item, ctx_json_is(type, "custom_tool_call"));
	else
		ctx_answer_set(r, ctx_node_add(&r->parts, CTX_SPAN_NONE), item);
	return 0;
}

/* Reads the response object: a whole answer, or the end of a stream. */
static int
take_response(struct ctx_answer_reader *r, struct ctx_span response, struct ctx_err *err)
{
	enum { ID, MODEL, STATUS, USAGE, OUTPUT, DETAILS, N };
	static const char *const keys[N] = {
	    "id", "model", "status", "usage", "output", "incomplete_details"};
	static const char *const kept[] = {"incomplete_details", "input_transformations",
	    "prompt_cache_diagnostics", "conversation", "service_tier", NULL};
	struct ctx_span v[N];

	if (ctx_answer_error(response, err) < 0)
		return -1;
	ctx_json_get_all(response, keys, v, N);
	ctx_answer_note_all(r, v[ID], v[MODEL], v[STATUS], v[USAGE]);
	ctx_answer_note(&r->stop_reason, ctx_json_get(v[DETAILS], "reason"));
	ctx_answer_keep(r, response, kept);
	if (v[OUTPUT].n <= 2 || ctx_json_type(v[OUTPUT]) != CTX_JSON_ARRAY)
		return 0; /* some servers send the output in events only */
	ctx_node_set(&r->parts, CTX_SPAN_NONE);
	r->damaged = r->whole = 0;
	r->lost = false;
	CTX_JSON_EACH(it, v[OUTPUT])
		if (add_responses_item(r, it.value, err) < 0)
			return -1;
	return 0;
}

static int
read_responses_body(
    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	if (ctx_json_type(ctx_json_get(json, "output")) != CTX_JSON_ARRAY &&
	    ctx_json_get(json, "status").p == NULL)
		return ctx_err_set(
		    err, CTX_EIO, "the response contains no answer (no output)");
	if (take_response(r, json, err) < 0)
		return -1;
	if (ctx_answer_ending(r->provider, r->stop_reason) >= CTX_ENDING_FAILED)
		return 0; /* the caller reports the failure, with or without output */
	ctx_answer_blocks(r);
	return 0;
}

/* ---- pending items of a stream ----
 * Some servers neither report that an item is done nor repeat the items at the end of the
 * stream. So until an item arrives whole, pending blocks, which have a negative tag, hold
 * what is known of it: one block for each text, and one for a call, whose arguments are
 * collected in aside. */

#define TEXTS 4095 /* highest number of texts in an item; the next number means a call */

static int64_t
tag_of(struct ctx_span event, bool call)
{
	int64_t output = 0, content = 0;

	ctx_json_int(ctx_json_get(event, "output_index"), &output);
	ctx_json_int(ctx_json_get(event, "content_index"), &content);
	return -(
	    (output & 0xffffff) * (TEXTS + 1) + (call ? TEXTS : content & 0x7ff) + 1);
}

/* Returns the id of the item that a pending block belongs to. For a text the id is in
 * aside. */
static struct ctx_span
get_pending_id(const struct ctx_node *n)
{
	return n->kind == CTX_NODE_LEAF ? ctx_json_get(ctx_buf_span(&n->text), "id")
					: ctx_buf_span(&n->aside);
}

static bool
has_item_id(
    const struct ctx_answer_reader *r, const struct ctx_node *n, struct ctx_span id)
{
	return ctx_json_type(id) == CTX_JSON_STRING && id.n > 2 && n->tag < 0 &&
	       ctx_span_eq(get_pending_id(n), ctx_answer_raw(r, id));
}

/* Returns the pending block that an event continues, NULL if there is none. Some servers
 * number an item differently at its start and later, and some change its id. A matching
 * id takes precedence over a matching number. */
static struct ctx_node *
find_pending_responses_block(
    struct ctx_answer_reader *r, struct ctx_span event, bool call)
{
	struct ctx_span id = ctx_json_get(event, "item_id");
	struct ctx_node *same_id = NULL, *same_tag = NULL, *last = NULL;
	int64_t tag = tag_of(event, call);

	for (size_t i = r->parts.n; i-- > 0;) {
		struct ctx_node *n = &r->parts.kids[i];
		bool known;
		if (n->tag >= 0 || (tag - n->tag) % (TEXTS + 1) != 0)
			continue;
		known = has_item_id(r, n, id);
		if (known && n->tag == tag)
			return n;
		if (known && same_id == NULL)
			same_id = n;
		if (n->tag == tag && same_tag == NULL)
			same_tag = n;
		if (last == NULL)
			last = n;
	}
	if (same_id != NULL)
		return same_id;
	return call && ctx_json_get(event, "output_index").p == NULL ? last : same_tag;
}

/* Removes the pending blocks of an item that has arrived whole. */
static void
drop_pending(struct ctx_answer_reader *r, struct ctx_span event, struct ctx_span item)
{
	int64_t last = tag_of(event, true), first = last + TEXTS;
	struct ctx_span id = ctx_json_get(item, "id");
	bool known = false;
	size_t kept = 0;

	for (size_t i = 0; i < r->parts.n; i++)
		known |= has_item_id(r, &r->parts.kids[i], id);
	for (size_t i = 0; i < r->parts.n; i++) {
		struct ctx_node *n = &r->parts.kids[i];
		if (known ? has_item_id(r, n, id) : n->tag >= last && n->tag <= first)
			ctx_node_release(n);
		else
			r->parts.kids[kept++] = *n;
	}
	r->parts.n = kept;
}

static void
add_pending_text(struct ctx_answer_reader *r, struct ctx_span event, struct ctx_span text,
    bool refusal, bool whole)
{
	const char *key = refusal ? "refusal" : "text";
	struct ctx_node *n = find_pending_responses_block(r, event, false);
	int64_t tag = n != NULL ? n->tag : tag_of(event, false);
	struct ctx_span id = ctx_json_get(event, "item_id");

	if (ctx_json_type(text) != CTX_JSON_STRING || text.n <= 2)
		return;
	if (!(whole && r->source == (size_t)-tag))
		ctx_answer_say(r, (size_t)-tag, ctx_answer_inside(r, text));
	if (n == NULL) {
		n = ctx_answer_add_block(r, key, tag);
		ctx_buf_addspan(&n->aside, ctx_answer_raw(r, id));
		ctx_node_put(n, key, ctx_answer_raw(r, text));
	} else if (whole) {
		ctx_answer_set(r, ctx_node_find(n, key), text);
	} else {
		ctx_node_extend(ctx_node_find(n, key), ctx_answer_inside(r, text));
	}
}

static void
add_pending_call(struct ctx_answer_reader *r, struct ctx_span event, struct ctx_span item)
{
	struct ctx_span type = ctx_json_get(item, "type");
	struct ctx_node *n;

	if (!CTX_JSON_IS_ANY(type, "function_call", "custom_tool_call"))
		return;
	n = ctx_node_add(&r->parts, CTX_SPAN_NONE);
	ctx_answer_set(r, n, item);
	n->tag = tag_of(event, true);
}

/* True if the whole call with this id has already arrived. */
static bool
is_whole_item(const struct ctx_answer_reader *r, struct ctx_span id)
{
	for (size_t i = 0; i < r->parts.n; i++) {
		const struct ctx_node *n = &r->parts.kids[i];
		if (n->tag == 0 && ctx_json_type(id) == CTX_JSON_STRING &&
		    ctx_span_eq(ctx_json_get(ctx_buf_span(&n->text), "item_id"),
			ctx_answer_raw(r, id)))
			return true;
	}
	return false;
}

static void
add_arguments(
    struct ctx_answer_reader *r, struct ctx_span event, struct ctx_span text, bool whole)
{
	struct ctx_node *n = find_pending_responses_block(r, event, true);

	if (ctx_json_type(text) != CTX_JSON_STRING || text.n <= 2)
		return;
	if (n == NULL) {
		r->lost |= !is_whole_item(r, ctx_json_get(event, "item_id"));
		return;
	}
	if (whole)
		ctx_buf_reset(&n->aside);
	ctx_buf_addspan(&n->aside, ctx_answer_inside(r, text));
}

/* At the end of the stream, turns each pending call into a block in the same place. */
static int
finish_pending(struct ctx_answer_reader *r, struct ctx_err *err)
{
	struct ctx_buf item = CTX_BUF_INIT, text = CTX_BUF_INIT;
	int rc = 0;

	r->original = NULL;
	for (size_t i = 0, n = r->parts.n; rc == 0 && i < n; i++) {
		struct ctx_node *call = &r->parts.kids[i], done;
		struct ctx_span json = ctx_buf_span(&call->text);
		bool custom;
		if (call->tag >= 0 || call->kind != CTX_NODE_LEAF)
			continue;
		custom = ctx_json_has_type(json, "custom_tool_call");
		ctx_buf_reset(&item);
		ctx_buf_reset(&text);
		ctx_buf_addf(&text, "\"%.*s\"", (int)call->aside.n,
		    call->aside.n > 0 ? call->aside.p : "");
		ctx_json_put_open(&item, '{');
		ctx_json_put_members(&item, json, custom ? "input" : "arguments");
		ctx_json_print(&item, custom ? "'input':%j}" : "'arguments':%j}",
		    ctx_buf_span(&text));
		rc = ctx_json_check(ctx_buf_span(&item), NULL, NULL, err);
		if (rc < 0) {
			ctx_err_set(err, CTX_EIO,
			    "the arguments of a tool call are damaged or truncated");
			break;
		}
		rc = add_responses_item(r, ctx_buf_span(&item), err);
		if (rc == 0) {
			if (r->damaged == r->parts.n)
				r->damaged = i + 1;
			if (r->whole == r->parts.n)
				r->whole = 0;
			done = r->parts.kids[--r->parts.n];
			ctx_node_release(&r->parts.kids[i]);
			r->parts.kids[i] = done;
		}
	}
	ctx_buf_release(&item);
	ctx_buf_release(&text);
	return rc;
}

static int
read_responses_chunk(
    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	enum { TYPE, RESPONSE, ITEM, DELTA, TEXT, REFUSAL, ARGS, INPUT, N };
	static const char *const keys[N] = {
	    "type", "response", "item", "delta", "text", "refusal", "arguments", "input"};
	struct ctx_span v[N];

	ctx_json_get_all(json, keys, v, N);
	if (ctx_json_is(v[TYPE], "response.output_text.delta")) {
		add_pending_text(r, json, v[DELTA], false, false);
	} else if (ctx_json_is(v[TYPE], "response.refusal.delta")) {
		add_pending_text(r, json, v[DELTA], true, false);
	} else if (ctx_json_is(v[TYPE], "response.output_text.done")) {
		add_pending_text(r, json, v[TEXT], false, true);
	} else if (ctx_json_is(v[TYPE], "response.refusal.done")) {
		add_pending_text(r, json, v[REFUSAL], true, true);
	} else if (ctx_json_is(v[TYPE], "response.output_item.added")) {
		add_pending_call(r, json, v[ITEM]);
	} else if (CTX_JSON_IS_ANY(v[TYPE], "response.function_call_arguments.delta",
		       "response.custom_tool_call_input.delta")) {
		add_arguments(r, json, v[DELTA], false);
	} else if (CTX_JSON_IS_ANY(v[TYPE], "response.function_call_arguments.done",
		       "response.custom_tool_call_input.done")) {
		add_arguments(r, json, v[v[ARGS].p != NULL ? ARGS : INPUT], true);
	} else if (ctx_json_is(v[TYPE], "response.output_item.done")) {
		drop_pending(r, json, v[ITEM]);
		return add_responses_item(r, v[ITEM], err);
	} else if (CTX_JSON_IS_ANY(
		       v[TYPE], "response.completed", "response.incomplete")) {
		r->ended = true;
		return take_response(r, v[RESPONSE], err);
	} else if (ctx_json_is(v[TYPE], "response.failed")) {
		if (take_response(r, v[RESPONSE], err) < 0)
			return -1;
		return ctx_err_set(err, CTX_EIO, "the response has failed");
	}
	return 0; /* other event types, also those that later versions may add */
}

static int
end_responses_answer(struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (!r->ended)
		return ctx_err_set(err, CTX_EIO,
		    "the answer broke off before its end (no response.completed)");
	if (ctx_answer_ending(r->provider, r->stop_reason) >= CTX_ENDING_FAILED)
		return 0;
	if (r->lost)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: it contains arguments of a tool call that never started");
	if (finish_pending(r, err) < 0)
		return -1;
	ctx_answer_blocks(r);
	return 0;
}

const struct ctx_answer_kind ctx_answer_responses = {
    .body = read_responses_body,
    .chunk = read_responses_chunk,
    .end = end_responses_answer,
    .input = {"input_tokens"},
    .output = {"output_tokens"},
    .ends_once = true,
};
