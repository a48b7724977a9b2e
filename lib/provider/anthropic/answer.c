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
note_anthropic_message(struct ctx_answer_reader *r, struct ctx_span message)
{
	static const char *const keys[] = {"id", "model", "stop_reason"};
	struct ctx_span v[3];

	ctx_json_get_all(message, keys, v, 3);
	ctx_answer_note(&r->id, v[0]);
	ctx_answer_note(&r->model, v[1]);
	ctx_answer_note(&r->stop_reason, v[2]);
}

/* Stores the usage of an event. Numbers of later events replace those of earlier ones,
 * member by member. */
static int
note_usage(struct ctx_answer_reader *r, struct ctx_span usage, struct ctx_err *err)
{
	struct ctx_node *kid;

	if (ctx_json_type(usage) != CTX_JSON_OBJECT)
		return 0;
	r->usage.kind = CTX_NODE_OBJECT;
	CTX_JSON_EACH(it, usage) {
		kid = ctx_node_member(&r->usage, ctx_answer_raw(r, it.key), err);
		if (kid == NULL)
			return -1;
		if (kid->text.n == 0 || !ctx_span_is(it.value, "null"))
			ctx_answer_set(r, kid, it.value);
	}
	return 0;
}

static int
read_anthropic_body(
    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_span content = ctx_json_get(json, "content"), role, usage;

	note_anthropic_message(r, json);
	usage = ctx_json_get(json, "usage");
	if (ctx_json_type(usage) == CTX_JSON_OBJECT)
		ctx_answer_set(r, &r->usage, usage);
	if (ctx_answer_keep(r, json, detail_keys, err) < 0)
		return -1;
	role = ctx_json_get(json, "role");
	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return ctx_err_set(
		    err, CTX_EIO, "the response contains no answer (no content)");
	ctx_json_put_open(&r->message, '{');
	ctx_json_add_raw(
	    &r->message, "role", role.p == NULL ? ctx_span_of("\"assistant\"") : role);
	ctx_json_put_key(&r->message, "content");
	ctx_json_minify(content, &r->message);
	ctx_json_put_close(&r->message, '}');
	return 0;
}

static struct ctx_node *
find_block(struct ctx_answer_reader *r, int64_t index)
{
	for (size_t i = r->parts.n; i-- > 0;)
		if (r->parts.kids[i].tag == index)
			return &r->parts.kids[i];
	return NULL;
}

static int
start_block(struct ctx_answer_reader *r, int64_t index, struct ctx_span block,
    struct ctx_err *err)
{
	struct ctx_node *n, *kid;
	struct ctx_span text;

	if (ctx_json_type(block) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: a content block is not an object");
	if (find_block(r, index) != NULL)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: block %lld starts twice", (long long)index);
	n = ctx_node_add(&r->parts, CTX_SPAN_NONE, err);
	if (n == NULL)
		return -1;
	n->kind = CTX_NODE_OBJECT;
	n->tag = index;
	r->open++;
	CTX_JSON_EACH(it, block) {
		kid = ctx_node_add(n, ctx_answer_raw(r, it.key), err);
		if (kid == NULL)
			return -1;
		ctx_answer_set(r, kid, it.value);
	}
	text = ctx_json_get(block, "text");
	if (ctx_json_has_type(block, "text") && ctx_json_type(text) == CTX_JSON_STRING)
		ctx_answer_say(r, r->parts.n, ctx_answer_inside(r, text));
	return 0;
}

static int
add_anthropic_delta(struct ctx_answer_reader *r, int64_t index, struct ctx_span delta,
    struct ctx_err *err)
{
	struct ctx_node *block = find_block(r, index), *kid;
	struct ctx_span type = ctx_json_get(delta, "type"), v;

	if (block == NULL)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: block %lld continues but never started",
		    (long long)index);
	if (ctx_json_is(type, "input_json_delta")) {
		v = ctx_json_get(delta, "partial_json");
		if (ctx_json_type(v) == CTX_JSON_STRING)
			ctx_buf_addspan(&block->aside, ctx_answer_inside(r, v));
		return 0;
	}
	if (ctx_json_is(type, "citations_delta")) {
		v = ctx_json_get(delta, "citation");
		kid = ctx_node_member(block, ctx_span_of("\"citations\""), err);
		if (kid == NULL)
			return -1;
		if (v.p != NULL)
			ctx_node_push(kid, ctx_answer_raw(r, v));
		return 0;
	}
	if (ctx_answer_merge_delta(r, block, delta, err) < 0)
		return -1;
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
	note_anthropic_message(r, message);
	if (ctx_answer_keep(r, message, detail_keys, err) < 0)
		return -1;
	CTX_JSON_EACH(it, ctx_json_get(message, "content"))
		if (start_block(r, index++, it.value, err) < 0)
			return -1;
	return note_usage(r, ctx_json_get(message, "usage"), err);
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
		if (ctx_answer_keep(r, v[DELTA], detail_keys, err) < 0 ||
		    ctx_answer_keep(r, json, detail_keys, err) < 0)
			return -1;
		return note_usage(r, v[USAGE], err);
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

/* input_tokens does not include the tokens that were read from or written to the
 * cache. */
static void
read_anthropic_tokens(struct ctx_span usage, int64_t *in, int64_t *out)
{
	static const char *const keys[] = {"input_tokens", "cache_creation_input_tokens",
	    "cache_read_input_tokens", "output_tokens"};
	struct ctx_span v[4];
	int64_t sum = 0, n;

	ctx_json_get_all(usage, keys, v, 4);
	ctx_json_int(v[3], out);
	if (!ctx_json_int(v[0], &sum))
		return;
	for (int i = 1; i < 3; i++)
		if (ctx_json_int(v[i], &n) && __builtin_add_overflow(sum, n, &sum))
			return;
	*in = sum;
}

const struct ctx_answer_kind ctx_answer_anthropic = {
    .body = read_anthropic_body,
    .chunk = read_anthropic_chunk,
    .end = end_anthropic_answer,
    .tokens = read_anthropic_tokens,
    .ends_once = true,
};
