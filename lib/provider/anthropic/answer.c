/* Reads answers of Anthropic's Messages API. Formats: the API reference, pages "Messages"
 * and "Streaming messages". The message has the members "role" and "content". In a stream,
 * the input of a tool call arrives as pieces of JSON text, which are joined. A stream is
 * complete after the event message_stop, or if it has a stop_reason and all its blocks are
 * closed. */
#include "answer/internal.h"

/* Members of a message, or of the delta at the end of a stream, that are stored beside
 * the content. */
static const char *const detail_keys[] = {"stop_details", "stop_sequence", "container",
    "context_management", "input_transformations", "diagnostics", NULL};

static void
note_anthropic_message(
    struct ctx_answer_reader *r, struct ctx_span message, struct ctx_span usage)
{
	static const char *const keys[] = {"id", "model", "stop_reason"};
	struct ctx_span v[3];

	ctx_json_get_all(message, keys, v, 3);
	ctx_answer_note_all(r, v[0], v[1], v[2], usage);
	ctx_answer_keep(r, message, detail_keys);
}

/* Stores the usage of an event. Numbers of later events replace those of earlier ones,
 * member by member. */
static void
note_usage(struct ctx_answer_reader *r, struct ctx_span usage)
{
	if (ctx_json_type(usage) != CTX_JSON_OBJECT)
		return;
	r->usage.kind = CTX_NODE_OBJECT;
	CTX_JSON_EACH_WHILE(!r->full, it, usage) {
		struct ctx_node *kid = ctx_node_member(
		    &r->usage, ctx_answer_raw(r, it.key));
		if (kid->text.n == 0 || !ctx_span_is(it.value, "null"))
			ctx_answer_set(r, kid, it.value);
	}
}

static int
read_anthropic_body(
    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_span content = ctx_json_get(json, "content");
	struct ctx_span role = ctx_json_get(json, "role");

	note_anthropic_message(r, json, ctx_json_get(json, "usage"));
	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return ctx_err_set(
		    err, CTX_EIO, "the response contains no answer (no content)");
	ctx_json_print(&r->message, "{'role':%j,'content':",
	    role.p == NULL ? ctx_span_of("\"assistant\"") : role);
	ctx_json_minify(content, &r->message);
	ctx_json_put_close(&r->message, '}');
	return 0;
}

static int
start_block(struct ctx_answer_reader *r, int64_t index, struct ctx_span block,
    struct ctx_err *err)
{
	struct ctx_span text = ctx_json_get(block, "text");

	if (ctx_json_type(block) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: a content block is not an object");
	if (ctx_answer_find_block(r, index) != NULL)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: block %lld starts twice", (long long)index);
	ctx_answer_copy(r, ctx_answer_add_block(r, NULL, index), block, NULL);
	r->open++;
	if (ctx_json_has_type(block, "text") && ctx_json_type(text) == CTX_JSON_STRING)
		ctx_answer_say(r, r->parts.n, ctx_answer_inside(r, text));
	return 0;
}

static int
add_anthropic_delta(struct ctx_answer_reader *r, int64_t index, struct ctx_span delta,
    struct ctx_err *err)
{
	struct ctx_node *block = ctx_answer_find_block(r, index);
	struct ctx_span type = ctx_json_get(delta, "type"), v;

	if (block == NULL)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: it contains a delta for block %lld, which never started",
		    (long long)index);
	if (ctx_json_is(type, "input_json_delta")) {
		v = ctx_json_get(delta, "partial_json");
		if (ctx_json_type(v) == CTX_JSON_STRING)
			ctx_buf_addspan(&block->aside, ctx_answer_inside(r, v));
		return 0;
	}
	if (ctx_json_is(type, "citations_delta")) {
		v = ctx_json_get(delta, "citation");
		if (v.p != NULL)
			ctx_node_push(
			    ctx_node_member(block, ctx_span_of("\"citations\"")),
			    ctx_answer_raw(r, v));
		return 0;
	}
	ctx_answer_merge_delta(r, block, delta);
	v = ctx_json_get(delta, "text");
	if (ctx_json_is(type, "text_delta") && ctx_json_type(v) == CTX_JSON_STRING)
		ctx_answer_say(
		    r, (size_t)(block - r->parts.kids) + 1, ctx_answer_inside(r, v));
	return 0;
}

static int
start_message(struct ctx_answer_reader *r, struct ctx_span message, struct ctx_err *err)
{
	int64_t index = 0;

	if (ctx_json_type(message) != CTX_JSON_OBJECT)
		return ctx_err_set(
		    err, CTX_EIO, "the stream is damaged: it has no message_start");
	r->begun = true;
	note_anthropic_message(r, message, CTX_SPAN_NONE);
	CTX_JSON_EACH(it, ctx_json_get(message, "content"))
		if (start_block(r, index++, it.value, err) < 0)
			return -1;
	note_usage(r, ctx_json_get(message, "usage"));
	return 0;
}

static int
read_anthropic_chunk(
    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	enum { TYPE, INDEX, MESSAGE, BLOCK, DELTA, USAGE, N };
	static const char *const keys[N] = {
	    "type", "index", "message", "content_block", "delta", "usage"};
	struct ctx_span v[N];
	int64_t index = 0;

	ctx_json_get_all(json, keys, v, N);
	ctx_json_int(v[INDEX], &index);
	if (ctx_json_is(v[TYPE], "message_start"))
		return start_message(r, v[MESSAGE], err);
	if (ctx_json_is(v[TYPE], "content_block_start"))
		return start_block(r, index, v[BLOCK], err);
	if (ctx_json_is(v[TYPE], "content_block_delta"))
		return add_anthropic_delta(r, index, v[DELTA], err);
	if (ctx_json_is(v[TYPE], "message_delta")) {
		ctx_answer_note(&r->stop_reason, ctx_json_get(v[DELTA], "stop_reason"));
		ctx_answer_keep(r, v[DELTA], detail_keys);
		ctx_answer_keep(r, json, detail_keys);
		note_usage(r, v[USAGE]);
	}
	if (ctx_json_is(v[TYPE], "content_block_stop") && r->open > 0)
		r->open--;
	if (ctx_json_is(v[TYPE], "message_stop"))
		r->ended = true;
	return 0; /* ping, and event types that later versions may add */
}

static int
end_anthropic_answer(struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (!r->ended && (r->stop_reason == NULL || r->open > 0))
		return ctx_err_set(err, CTX_EIO,
		    "the answer broke off before its end (no message_stop)");
	if (!r->begun)
		return ctx_err_set(err, CTX_EIO, "the stream contains no answer");
	for (size_t i = 0; i < r->parts.n; i++)
		if (ctx_answer_take_input(r, &r->parts.kids[i], err) < 0)
			return -1;
	ctx_answer_blocks(r);
	return 0;
}

const struct ctx_answer_kind ctx_answer_anthropic = {
    .body = read_anthropic_body,
    .chunk = read_anthropic_chunk,
    .end = end_anthropic_answer,
    /* input_tokens does not include the tokens that were read from or written to the
     * cache */
    .input = {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"},
    .output = {"output_tokens"},
    .ends_once = true,
};
