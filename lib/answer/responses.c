/* OpenAI Responses. Shapes: the API reference, "The response object" and "Streaming
 * events". */
#include "answer/internal.h"

static int
add_block(struct ctx_answer_reader *r, const struct ctx_buf *block, struct ctx_err *err)
{
	struct ctx_node *n = ctx_node_add(&r->parts, CTX_SPAN_NONE, err);

	if (n == NULL)
		return -1;
	ctx_node_set(n, ctx_buf_span(block));
	return 0;
}

/* The parts of a message item; text that is empty is left out. */
static int
add_message(struct ctx_answer_reader *r, struct ctx_span item, struct ctx_err *err)
{
	enum { TYPE, TEXT, REFUSAL, ANNOTATIONS, N };
	static const char *const keys[N] = {"type", "text", "refusal", "annotations"};
	struct ctx_span id = ctx_json_get(item, "id"), v[N];
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_json_iter it;
	int rc = 0;

	ctx_json_iter_init(&it, ctx_json_get(item, "content"));
	while (rc == 0 && ctx_json_iter_next(&it)) {
		bool refusal;
		ctx_json_get_all(it.value, keys, v, N);
		refusal = ctx_json_is(v[TYPE], "refusal");
		if (ctx_json_type(v[refusal ? REFUSAL : TEXT]) != CTX_JSON_STRING ||
		    v[refusal ? REFUSAL : TEXT].n <= 2)
			continue;
		ctx_buf_reset(&b);
		ctx_json_put_open(&b, '{');
		ctx_json_add_str(&b, "type", refusal ? "refusal" : "text");
		ctx_json_add_raw(&b, refusal ? "refusal" : "text",
		    ctx_answer_raw(r, v[refusal ? REFUSAL : TEXT]));
		if (ctx_json_type(v[ANNOTATIONS]) == CTX_JSON_ARRAY &&
		    v[ANNOTATIONS].n > 2)
			ctx_json_add_raw(
			    &b, "annotations", ctx_answer_raw(r, v[ANNOTATIONS]));
		if (ctx_json_type(id) == CTX_JSON_STRING)
			ctx_json_add_raw(&b, "item_id", ctx_answer_raw(r, id));
		ctx_json_put_close(&b, '}');
		rc = add_block(r, &b, err);
	}
	ctx_buf_release(&b);
	return rc;
}

/* Arguments come as a string that holds an object; the object goes in, spelled as there. */
static int
put_input(struct ctx_answer_reader *r, struct ctx_span item, bool custom,
    struct ctx_buf *b, struct ctx_err *err)
{
	struct ctx_span string = ctx_json_get(item, custom ? "input" : "arguments"),
			value;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = 0;

	if (ctx_json_type(string) == CTX_JSON_STRING && !custom) {
		ctx_json_decode(string, &text);
		if (ctx_span_trim(ctx_buf_span(&text)).n == 0)
			ctx_buf_adds(b, "{}");
		else if (ctx_json_check(ctx_buf_span(&text), &value, NULL, &why) < 0)
			rc = ctx_err_set(err, CTX_EIO,
			    "the arguments of a tool call are damaged or cut off: %s",
			    why.msg);
		else if (ctx_json_type(value) == CTX_JSON_OBJECT)
			ctx_json_minify(value, b);
		else
			custom = true;
	} else if (!custom) {
		ctx_buf_adds(b, "{}");
	}
	if (custom) {
		ctx_buf_adds(b, "{\"input\":");
		ctx_buf_addspan(b,
		    string.p == NULL ? ctx_span_of("\"\"") : ctx_answer_raw(r, string));
		ctx_buf_addc(b, '}');
	}
	ctx_buf_release(&text);
	return rc;
}

static int
add_call(
    struct ctx_answer_reader *r, struct ctx_span item, bool custom, struct ctx_err *err)
{
	enum { ID, CALL_ID, NAME, N };
	static const char *const keys[N] = {"id", "call_id", "name"};
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_span v[N];
	int rc;

	ctx_json_get_all(item, keys, v, N);
	ctx_json_put_open(&b, '{');
	ctx_json_add_str(&b, "type", "tool_use");
	ctx_json_add_raw(
	    &b, "id", ctx_answer_raw(r, v[CALL_ID].p != NULL ? v[CALL_ID] : v[ID]));
	ctx_json_add_raw(&b, "name", ctx_answer_raw(r, v[NAME]));
	ctx_json_put_key(&b, "input");
	rc = put_input(r, item, custom, &b, err);
	if (ctx_json_type(v[ID]) == CTX_JSON_STRING)
		ctx_json_add_raw(&b, "item_id", ctx_answer_raw(r, v[ID]));
	if (custom)
		ctx_json_add_str(&b, "item_type", "custom_tool_call");
	ctx_json_put_close(&b, '}');
	if (rc == 0)
		rc = add_block(r, &b, err);
	ctx_buf_release(&b);
	return rc;
}

static int
add_item(struct ctx_answer_reader *r, struct ctx_span item, struct ctx_err *err)
{
	struct ctx_span type = ctx_json_get(item, "type");
	struct ctx_node *n;

	if (ctx_json_is(type, "message"))
		return add_message(r, item, err);
	if (ctx_json_is(type, "function_call"))
		return add_call(r, item, false, err);
	if (ctx_json_is(type, "custom_tool_call"))
		return add_call(r, item, true, err);
	if (ctx_json_type(type) != CTX_JSON_STRING)
		return ctx_err_set(
		    err, CTX_EIO, "the answer holds an item without a type");
	n = ctx_node_add(&r->parts, CTX_SPAN_NONE, err);
	if (n == NULL)
		return -1;
	ctx_answer_set(r, n, item);
	return 0;
}

static int
fail_empty(const struct ctx_answer_reader *r, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EIO, "the answer is empty%s%.80s",
	    r->stop_reason == NULL ? "" : ": ",
	    r->stop_reason == NULL ? "" : r->stop_reason);
}

/* The response object, whole or at the end of a stream. */
static int
take_response(struct ctx_answer_reader *r, struct ctx_span response, struct ctx_err *err)
{
	enum { ID, MODEL, STATUS, USAGE, OUTPUT, DETAILS, N };
	static const char *const keys[N] = {
	    "id", "model", "status", "usage", "output", "incomplete_details"};
	struct ctx_json_iter it;
	struct ctx_span v[N];

	if (ctx_answer_error(response, err) < 0)
		return -1;
	ctx_json_get_all(response, keys, v, N);
	ctx_answer_note(&r->id, v[ID]);
	ctx_answer_note(&r->model, v[MODEL]);
	ctx_answer_note(&r->stop_reason, v[STATUS]);
	ctx_answer_note(&r->stop_reason, ctx_json_get(v[DETAILS], "reason"));
	if (ctx_json_type(v[USAGE]) == CTX_JSON_OBJECT)
		ctx_answer_set(r, &r->usage, v[USAGE]);
	if (ctx_json_is(v[STATUS], "failed") || ctx_json_is(v[STATUS], "cancelled"))
		return ctx_err_set(err, CTX_EIO, "the response has %s",
		    ctx_json_is(v[STATUS], "failed") ? "failed" : "been cancelled");
	ctx_json_iter_init(&it, v[OUTPUT]);
	if (v[OUTPUT].n <= 2 || ctx_json_type(v[OUTPUT]) != CTX_JSON_ARRAY)
		return 0; /* servers that leave it to the events */
	ctx_node_set(&r->parts, CTX_SPAN_NONE);
	while (ctx_json_iter_next(&it))
		if (add_item(r, it.value, err) < 0)
			return -1;
	return 0;
}

static int
body(struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	if (ctx_json_type(ctx_json_get(json, "output")) != CTX_JSON_ARRAY)
		return ctx_err_set(err, CTX_EIO, "the body holds no answer (no output)");
	if (take_response(r, json, err) < 0)
		return -1;
	if (r->parts.n == 0)
		return fail_empty(r, err);
	ctx_answer_blocks(r);
	return 0;
}

static void
say(struct ctx_answer_reader *r, struct ctx_span event, struct ctx_span text, bool whole)
{
	int64_t output = 0, content = 0;
	size_t source;

	ctx_json_int(ctx_json_get(event, "output_index"), &output);
	ctx_json_int(ctx_json_get(event, "content_index"), &content);
	source = (size_t)(output & 0xffffff) * 4096 + (size_t)(content & 0xfff) + 1;
	if (ctx_json_type(text) == CTX_JSON_STRING && text.n > 2 &&
	    !(whole && r->source == source))
		ctx_answer_say(r, source, ctx_answer_inside(r, text));
}

static int
chunk(struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	enum { TYPE, RESPONSE, ITEM, DELTA, TEXT, REFUSAL, N };
	static const char *const keys[N] = {
	    "type", "response", "item", "delta", "text", "refusal"};
	struct ctx_span v[N];

	ctx_json_get_all(json, keys, v, N);
	if (ctx_json_is(v[TYPE], "response.output_text.delta") ||
	    ctx_json_is(v[TYPE], "response.refusal.delta")) {
		say(r, json, v[DELTA], false);
	} else if (ctx_json_is(v[TYPE], "response.output_text.done") ||
		   ctx_json_is(v[TYPE], "response.refusal.done")) {
		say(r, json, v[v[TEXT].p != NULL ? TEXT : REFUSAL], true);
	} else if (ctx_json_is(v[TYPE], "response.output_item.done") && !r->ended) {
		return add_item(r, v[ITEM], err);
	} else if (ctx_json_is(v[TYPE], "response.completed") ||
		   ctx_json_is(v[TYPE], "response.incomplete")) {
		r->ended = true;
		return take_response(r, v[RESPONSE], err);
	} else if (ctx_json_is(v[TYPE], "response.failed")) {
		if (take_response(r, v[RESPONSE], err) < 0)
			return -1;
		return ctx_err_set(err, CTX_EIO, "the response has failed");
	}
	return 0; /* what else there is, and what may come in later versions */
}

static int
end(struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (!r->ended)
		return ctx_err_set(
		    err, CTX_EIO, "the stream is cut off: it has no response.completed");
	if (r->parts.n == 0)
		return fail_empty(r, err);
	ctx_answer_blocks(r);
	return 0;
}

static void
tokens(struct ctx_span usage, int64_t *in, int64_t *out)
{
	ctx_json_int(ctx_json_get(usage, "input_tokens"), in);
	ctx_json_int(ctx_json_get(usage, "output_tokens"), out);
}

const struct ctx_answer_kind ctx_answer_responses = {body, chunk, end, tokens};
