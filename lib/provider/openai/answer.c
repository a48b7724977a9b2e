/* Reads answers of OpenAI's Chat Completions and of servers with a compatible API.
 * Formats: the API reference, "The chat completion object" and "The chat completion chunk
 * object". The message is choices[0].message; for a stream, the merged deltas: strings are
 * appended, tool calls are merged by index. A stream ends with a finish_reason or
 * [DONE]. */
#include "answer/internal.h"

#include "record/message.h"

enum { ID, MODEL, USAGE, CHOICES, NTOP };
static const char *const top_keys[NTOP] = {"id", "model", "usage", "choices"};

static void
note_top(struct ctx_answer_reader *r, struct ctx_span json, struct ctx_span v[NTOP])
{
	/* the last two come from routers and search engines */
	static const char *const keys[] = {"system_fingerprint", "service_tier",
	    "prompt_cache_diagnostics", "provider", "citations", NULL};

	ctx_json_get_all(json, top_keys, v, NTOP);
	ctx_answer_note_all(r, v[ID], v[MODEL], CTX_SPAN_NONE, v[USAGE]);
	ctx_answer_keep(r, json, keys);
}

/* Reads an answer in the format of Ollama's own API:
 * {"message":{…},"done":true,"done_reason":"stop","eval_count":…}. Returns its message,
 * absent if the format is another one. */
static struct ctx_span
take_ollama(struct ctx_answer_reader *r, struct ctx_span json)
{
	struct ctx_span message = ctx_json_get(json, "message");
	struct ctx_span in = ctx_json_get(json, "prompt_eval_count");
	struct ctx_span out = ctx_json_get(json, "eval_count");
	struct ctx_buf usage = CTX_BUF_INIT;

	if (ctx_json_type(message) != CTX_JSON_OBJECT ||
	    ctx_json_type(ctx_json_get(json, "done")) != CTX_JSON_BOOL)
		return CTX_SPAN_NONE;
	ctx_answer_note(&r->stop_reason, ctx_json_get(json, "done_reason"));
	r->ended |= ctx_json_true(ctx_json_get(json, "done"));
	if (in.p != NULL || out.p != NULL) {
		ctx_json_print(
		    &usage, "{'prompt_tokens':%j,'completion_tokens':%j}", in, out);
		ctx_node_set(&r->usage, ctx_buf_span(&usage));
	}
	ctx_buf_release(&usage);
	return message;
}

/* True if one of the calls has the same name and arguments as the old function_call. */
static bool
repeats_openai_call(struct ctx_span calls, struct ctx_span old)
{
	static const char *const keys[] = {"name", "arguments"};
	struct ctx_span v[2], f[2];

	ctx_json_get_all(old, keys, v, 2);
	CTX_JSON_EACH(it, calls) {
		ctx_json_get_all(ctx_json_get(it.value, "function"), keys, f, 2);
		if (ctx_span_eq(v[0], f[0]) && ctx_span_eq(v[1], f[1]))
			return true;
	}
	return false;
}

static void
put_openai_calls(struct ctx_buf *out, struct ctx_span calls, struct ctx_span old)
{
	ctx_json_add_open(out, "tool_calls", '[');
	CTX_JSON_EACH(it, calls)
		ctx_json_put_raw(out, it.value);
	if (old.p != NULL)
		ctx_json_print(out, "{'type':'function','function':%j}", old);
	ctx_json_put_close(out, ']');
}

/* Appends the message with calls and, after them, the old function_call if present. */
static void
put_openai_message(struct ctx_buf *out, struct ctx_span message, struct ctx_span calls,
    struct ctx_span old)
{
	ctx_json_put_open(out, '{');
	CTX_JSON_EACH(it, message)
		if (!CTX_JSON_IS_ANY(it.key, "function_call", "tool_calls"))
			ctx_json_put_member(out, it.key, it.value);
	if (old.p != NULL || calls.n > 2)
		put_openai_calls(out, calls, old);
	ctx_json_put_close(out, '}');
}

/* Checks the tool calls of the complete message. Converts the old "function_call", which
 * has no id, to a tool call, unless the same call is also in "tool_calls": some servers
 * write both. */
static int
unify_openai_calls(struct ctx_answer_reader *r, struct ctx_err *err)
{
	struct ctx_span message = ctx_buf_span(&r->message);
	struct ctx_span calls = ctx_json_get(message, "tool_calls");
	struct ctx_span old = ctx_json_get(message, "function_call");
	struct ctx_buf out = CTX_BUF_INIT;

	if (calls.p != NULL && ctx_json_type(calls) != CTX_JSON_ARRAY &&
	    !ctx_span_is(calls, "null"))
		return ctx_err_set(err, CTX_EIO, "tool_calls is not a list");
	if (old.p == NULL || ctx_span_is(old, "null"))
		return 0;
	if (ctx_json_type(old) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EIO, "function_call is not an object");
	if (repeats_openai_call(calls, old) ||
	    (ctx_message_blank(ctx_json_get(old, "name")) &&
		ctx_message_blank(ctx_json_get(old, "arguments"))))
		old = CTX_SPAN_NONE;
	put_openai_message(&out, message, calls, old);
	ctx_buf_release(&r->message);
	r->message = out;
	return 0;
}

static int
read_openai_body(struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_span v[NTOP], choice, message, role;

	note_top(r, json, v);
	choice = ctx_answer_first(r, v[CHOICES], true);
	if (ctx_answer_error(choice, err) < 0)
		return -1;
	message = choice.p == NULL ? take_ollama(r, json)
				   : ctx_json_get(choice, "message");
	if (ctx_json_type(message) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EIO,
		    "the response contains no answer (no choices[0].message)");
	ctx_answer_note(&r->stop_reason, ctx_json_get(choice, "finish_reason"));
	ctx_json_minify(message, &r->message);
	role = ctx_json_get(message, "role");
	if (role.p == NULL) {
		struct ctx_buf b = CTX_BUF_INIT;
		ctx_buf_adds(&b, "{\"role\":\"assistant\"");
		if (r->message.n > 2)
			ctx_buf_addc(&b, ',');
		ctx_buf_add(&b, r->message.p + 1, r->message.n - 1);
		ctx_buf_release(&r->message);
		r->message = b;
	}
	return unify_openai_calls(r, err);
}

static bool
is_nonempty_openai_string(struct ctx_span v)
{
	return ctx_json_type(v) == CTX_JSON_STRING && v.n > 2;
}

/* True if a fragment with this name, under the id of a known call, continues that call:
 * the call has the same name and no arguments yet. */
static bool
continues_named_call(const struct ctx_node *call, struct ctx_span name)
{
	const struct ctx_node *inner = ctx_node_find(call, "function"), *known, *text;

	if (inner == NULL)
		inner = ctx_node_find(call, "custom");
	if (inner == NULL)
		return false;
	known = ctx_node_find(inner, "name");
	text = ctx_node_find(inner, "arguments");
	if (text == NULL)
		text = ctx_node_find(inner, "input");
	return known != NULL && ctx_span_eq(ctx_buf_span(&known->text), name) &&
	       (text == NULL || (text->kind == CTX_NODE_LEAF &&
				    (text->text.n <= 2 ||
					ctx_span_is(ctx_buf_span(&text->text), "null"))));
}

/* Returns the last call with this id, NULL if there is none. */
static struct ctx_node *
find_openai_id(const struct ctx_node *calls, struct ctx_span id)
{
	for (size_t i = calls->n; i-- > 0;) {
		struct ctx_node *known = ctx_node_find(&calls->kids[i], "id");
		if (known != NULL && ctx_span_eq(ctx_buf_span(&known->text), id))
			return &calls->kids[i];
	}
	return NULL;
}

/* Returns the call that a fragment continues, NULL if it begins a new call. Fragments are
 * matched by index. Servers that omit the index, or use 0 for all calls, are matched by
 * id. A fragment without id and name continues the last call, whatever its index. A
 * fragment that repeats a known id under a new index continues the call with that id,
 * unless its name differs from that call's or follows arguments: then it is another call
 * with the same id. */
static struct ctx_node *
find_openai_call(struct ctx_node *calls, struct ctx_span fragment)
{
	struct ctx_span id = ctx_json_get(fragment, "id");
	struct ctx_node *call, *known;
	struct ctx_span inner = ctx_json_get(fragment, "function"), name;
	bool has_id = is_nonempty_openai_string(id), named;
	int64_t index;

	if (inner.p == NULL)
		inner = ctx_json_get(fragment, "custom");
	name = ctx_json_get(inner, "name");
	named = is_nonempty_openai_string(name);
	if (ctx_json_int(ctx_json_get(fragment, "index"), &index)) {
		for (size_t i = calls->n; i-- > 0;) {
			call = &calls->kids[i];
			if (call->tag != index)
				continue;
			known = ctx_node_find(call, "id");
			if (!has_id || !named || known == NULL || known->text.n <= 2 ||
			    ctx_span_eq(ctx_buf_span(&known->text), id))
				return call;
			return NULL;
		}
		call = has_id ? find_openai_id(calls, id) : NULL;
		if (call != NULL && (!named || continues_named_call(call, name))) {
			call->tag = index; /* later fragments use this index too */
			return call;
		}
	} else {
		call = has_id ? find_openai_id(calls, id) : NULL;
		if (call != NULL)
			return call;
	}
	return has_id || named || calls->n == 0 ? NULL : &calls->kids[calls->n - 1];
}

static int
add_openai_call(struct ctx_answer_reader *r, struct ctx_node *calls,
    struct ctx_span fragment, struct ctx_err *err)
{
	struct ctx_node *call;

	if (ctx_json_type(fragment) != CTX_JSON_OBJECT)
		return ctx_err_set(
		    err, CTX_EIO, "a fragment of a tool call is not an object");
	call = find_openai_call(calls, fragment);
	if (call == NULL) {
		call = ctx_node_add(calls, CTX_SPAN_NONE);
		call->kind = CTX_NODE_OBJECT;
		if (!ctx_json_int(ctx_json_get(fragment, "index"), &call->tag))
			call->tag = -1;
	}
	ctx_answer_merge(r, call, fragment, 1);
	ctx_node_drop(call, "index"); /* calls in a whole answer have no index */
	return 0;
}

static int
add_openai_calls(struct ctx_answer_reader *r, struct ctx_node *calls,
    struct ctx_span array, struct ctx_err *err)
{
	ctx_node_become(calls, CTX_NODE_LIST);
	CTX_JSON_EACH_WHILE(!r->full, it, array)
		if (add_openai_call(r, calls, it.value, err) < 0)
			return -1;
	return 0;
}

/* True for members without information: many servers fill every delta with null values
 * and empty lists. In whole messages only content and refusal can be null. */
static bool
says_nothing(struct ctx_span key, struct ctx_span value)
{
	if (ctx_json_is(key, "role"))
		return true;
	if (ctx_span_is(value, "null"))
		return !ctx_json_is(key, "content") && !ctx_json_is(key, "refusal");
	return ctx_json_is(key, "tool_calls") && ctx_json_first(value).p == NULL;
}

static int
add_openai_delta(struct ctx_answer_reader *r, struct ctx_span delta, struct ctx_err *err)
{
	CTX_JSON_EACH_WHILE(!r->full, it, delta) {
		struct ctx_node *kid;
		if (ctx_json_is(it.key, "tool_calls") &&
		    ctx_json_type(it.value) != CTX_JSON_ARRAY &&
		    !ctx_span_is(it.value, "null"))
			return ctx_err_set(err, CTX_EIO, "tool_calls is not a list");
		if (says_nothing(it.key, it.value))
			continue;
		kid = ctx_node_member(&r->parts, ctx_answer_raw(r, it.key));
		if (ctx_json_is(it.key, "tool_calls")) {
			if (add_openai_calls(r, kid, it.value, err) < 0)
				return -1;
			continue;
		}
		if (ctx_json_is(it.key, "content") &&
		    (ctx_json_type(it.value) == CTX_JSON_ARRAY ||
			kid->kind == CTX_NODE_LIST)) {
			ctx_answer_add_content(r, kid, it.value);
			continue;
		}
		if (ctx_json_is(it.key, "reasoning_details") &&
		    ctx_json_type(it.value) == CTX_JSON_ARRAY) {
			ctx_answer_add_details(r, kid, it.value);
			continue;
		}
		ctx_answer_merge(r, kid, it.value, 1);
		if (ctx_json_type(it.value) == CTX_JSON_STRING) {
			if (ctx_json_is(it.key, "content"))
				ctx_answer_say(r, 1, ctx_answer_inside(r, it.value));
			else if (ctx_json_is(it.key, "refusal"))
				ctx_answer_say(r, 2, ctx_answer_inside(r, it.value));
		}
	}
	return 0;
}

static int
read_openai_chunk(struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_span v[NTOP], choice, ollama;

	if (ctx_answer_is_another(r, ctx_json_get(json, "id"), json))
		return 0;
	note_top(r, json, v);
	choice = ctx_answer_first(r, v[CHOICES], false);
	if (ctx_answer_error(choice, err) < 0)
		return -1;
	ollama = choice.p == NULL ? take_ollama(r, json) : CTX_SPAN_NONE;
	if (ctx_json_type(choice) != CTX_JSON_OBJECT && ollama.p == NULL)
		return 0; /* the chunk with the usage, or choices other than the first */
	if (!r->begun) {
		r->begun = true;
		r->parts.kind = CTX_NODE_OBJECT;
		ctx_node_put(&r->parts, "role", ctx_span_of("\"assistant\""));
	}
	ctx_answer_note(&r->stop_reason, ctx_json_get(choice, "finish_reason"));
	r->ended |= r->stop_reason != NULL;
	return add_openai_delta(
	    r, ollama.p != NULL ? ollama : ctx_json_get(choice, "delta"), err);
}

static int
end_openai_answer(struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (!r->begun)
		return ctx_err_set(err, CTX_EIO, "the stream contains no answer");
	if (!r->ended && !r->marked)
		return ctx_err_set(err, CTX_EIO,
		    "the answer broke off before its end (neither a finish_reason nor [DONE])");
	ctx_node_print(&r->parts, &r->message);
	return unify_openai_calls(r, err);
}

const struct ctx_answer_kind ctx_answer_openai = {
    .body = read_openai_body,
    .chunk = read_openai_chunk,
    .end = end_openai_answer,
    .input = {"prompt_tokens"},
    .output = {"completion_tokens"},
    .lines = true,
};
