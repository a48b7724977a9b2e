/* Reads answers of Gemini's Interactions API, whole and streamed. Formats: the API
 * reference, "Interaction", and the page "Streaming interactions". Each step becomes one
 * block, or one block for each of its contents:
 *   text              {"type":"text","text":…,"annotations":…}
 *   image             {"type":"image","source":{…}}
 *   thought           the step unchanged: "signature", "summary"
 *   function_call     {"type":"tool_use","id","name","input":ARGS}
 *   any other         {"type":"step","step":{…}} with the step unchanged */
#include "answer/internal.h"

/* ---- content ---- */

static void
add_step_text(
    struct ctx_answer_reader *r, int64_t index, struct ctx_span element, bool join)
{
	struct ctx_span inside = ctx_answer_inside(r, ctx_json_get(element, "text"));
	struct ctx_node *block = ctx_answer_find_block(r, index), *grown = NULL;

	if (inside.n == 0)
		return;
	if (join && block != NULL && ctx_node_has(block, "type", "text"))
		grown = ctx_node_find(block, "text");
	if (grown != NULL) {
		ctx_node_extend(grown, inside);
	} else {
		block = ctx_answer_add_block(r, "text", index);
		ctx_answer_copy(r, block, element, NULL);
	}
	ctx_answer_say(r, (size_t)(block - r->parts.kids) + 1, inside);
}

static void
add_step_image(struct ctx_answer_reader *r, int64_t index, struct ctx_span element)
{
	static const char *const used[] = {"data", "uri", "mime_type", NULL};
	struct ctx_node *block = ctx_answer_add_block(r, "image", index);
	struct ctx_span data = ctx_json_get(element, "data");
	struct ctx_buf source = CTX_BUF_INIT;
	bool bytes = ctx_json_is_text(data);

	if (bytes)
		ctx_json_print(&source, "{'type':'base64','media_type':%j,'data':%j}",
		    ctx_answer_raw(r, ctx_json_get(element, "mime_type")),
		    ctx_answer_raw(r, data));
	else
		ctx_json_print(&source, "{'type':'url','url':%j}",
		    ctx_answer_raw(r, ctx_json_get(element, "uri")));
	ctx_node_put(block, "source", ctx_buf_span(&source));
	ctx_buf_release(&source);
	ctx_answer_copy(r, block, element, used);
}

/* Stores audio, video and documents, for which there is no block type, as a step. */
static void
add_step_file(struct ctx_answer_reader *r, int64_t index, struct ctx_span element)
{
	struct ctx_buf step = CTX_BUF_INIT;

	ctx_json_print(
	    &step, "{'type':'model_output','content':[%j]}", ctx_answer_raw(r, element));
	ctx_node_put(ctx_answer_add_block(r, "step", index), "step", ctx_buf_span(&step));
	ctx_buf_release(&step);
}

static void
add_step_content(
    struct ctx_answer_reader *r, int64_t index, struct ctx_span element, bool join)
{
	struct ctx_span type = ctx_json_get(element, "type");

	if (ctx_json_type(ctx_json_get(element, "text")) == CTX_JSON_STRING)
		add_step_text(r, index, element, join);
	else if (ctx_json_is(type, "image") &&
		 (ctx_json_is_text(ctx_json_get(element, "data"))
			 ? ctx_json_is_text(ctx_json_get(element, "mime_type"))
			 : ctx_json_is_text(ctx_json_get(element, "uri"))))
		add_step_image(r, index, element);
	else
		add_step_file(r, index, element);
}

/* ---- thoughts ---- */

/* Adds an element to the thought's summary. Consecutive text elements are joined. */
static void
add_summary(
    struct ctx_answer_reader *r, struct ctx_node *thought, struct ctx_span element)
{
	struct ctx_node *list = ctx_node_member(thought, ctx_span_of("\"summary\""));
	struct ctx_span text = ctx_json_get(element, "text");
	struct ctx_node *last, *grown = NULL;

	ctx_node_become(list, CTX_NODE_LIST);
	last = list->n == 0 ? NULL : &list->kids[list->n - 1];
	if (last != NULL && ctx_node_has(last, "type", "text"))
		grown = ctx_node_find(last, "text");
	if (grown != NULL && ctx_json_type(text) == CTX_JSON_STRING) {
		ctx_node_extend(grown, ctx_answer_inside(r, text));
		return;
	}
	last = ctx_node_add(list, CTX_SPAN_NONE);
	last->kind = CTX_NODE_OBJECT;
	ctx_answer_copy(r, last, element, NULL);
}

static void
start_thought(struct ctx_answer_reader *r, int64_t index, struct ctx_span step)
{
	static const char *const used[] = {"summary", NULL};
	struct ctx_node *block = ctx_answer_add_block(r, "thought", index);

	ctx_answer_copy(r, block, step, used);
	CTX_JSON_EACH(it, ctx_json_get(step, "summary"))
		add_summary(r, block, it.value);
}

/* ---- steps ---- */

static int
start_step_call(
    struct ctx_answer_reader *r, int64_t index, struct ctx_span step, struct ctx_err *err)
{
	static const char *const used[] = {"arguments", NULL};
	struct ctx_span args = ctx_json_get(step, "arguments");
	struct ctx_node *block;

	if (args.p != NULL && ctx_json_type(args) > CTX_JSON_NULL &&
	    ctx_json_type(args) != CTX_JSON_OBJECT)
		return ctx_err_set(
		    err, CTX_EIO, "the arguments of a function call are not an object");
	block = ctx_answer_add_block(r, "tool_use", index);
	ctx_answer_copy(r, block, step, used);
	if (ctx_json_type(args) == CTX_JSON_OBJECT)
		ctx_node_put(block, "input", ctx_answer_raw(r, args));
	return 0;
}

/* Begins a step. Steps of the client, which the answer may repeat, are ignored. */
static int
start_step(
    struct ctx_answer_reader *r, int64_t index, struct ctx_span step, struct ctx_err *err)
{
	static const char *const kept[] = {"error", NULL};
	struct ctx_span type = ctx_json_get(step, "type");
	struct ctx_node *inner;

	if (ctx_json_type(step) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EIO, "a step of the answer is not an object");
	if (ctx_json_is(type, "user_input") || ctx_json_is(type, "function_result"))
		return 0;
	if (ctx_json_is(type, "function_call"))
		return start_step_call(r, index, step, err);
	if (ctx_json_is(type, "thought")) {
		start_thought(r, index, step);
	} else if (ctx_json_is(type, "model_output")) {
		CTX_JSON_EACH(it, ctx_json_get(step, "content"))
			add_step_content(r, index, it.value, false);
		ctx_answer_keep(r, step, kept);
	} else {
		inner = ctx_node_member(
		    ctx_answer_add_block(r, "step", index), ctx_span_of("\"step\""));
		inner->kind = CTX_NODE_OBJECT;
		ctx_answer_copy(r, inner, step, NULL);
	}
	return 0;
}

static int
read_steps(struct ctx_answer_reader *r, struct ctx_span steps, struct ctx_err *err)
{
	int64_t index = 0;

	CTX_JSON_EACH(it, steps)
		if (start_step(r, index++, it.value, err) < 0)
			return -1;
	return 0;
}

/* Merges the members of a delta into the step that it belongs to. */
static void
merge_step_delta(
    struct ctx_answer_reader *r, struct ctx_node *block, struct ctx_span delta)
{
	struct ctx_node *inner = ctx_node_find(block, "step");

	if (inner == NULL || inner->kind != CTX_NODE_OBJECT)
		inner = block;
	ctx_answer_merge_delta(r, inner, delta);
}

static void
add_annotations(struct ctx_answer_reader *r, struct ctx_node *text, struct ctx_span list)
{
	struct ctx_node *kid = ctx_node_member(text, ctx_span_of("\"annotations\""));

	CTX_JSON_EACH(it, list)
		ctx_node_push(kid, ctx_answer_raw(r, it.value));
}

static int
add_step_delta(struct ctx_answer_reader *r, int64_t index, struct ctx_span delta,
    struct ctx_err *err)
{
	struct ctx_span type = ctx_json_get(delta, "type"), v;
	struct ctx_node *block = ctx_answer_find_block(r, index);

	if (CTX_JSON_IS_ANY(type, "text", "image", "audio", "video", "document")) {
		add_step_content(r, index, delta, true);
		return 0;
	}
	if (block == NULL)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: it contains a delta for step %lld, which never started",
		    (long long)index);
	if (ctx_json_is(type, "arguments_delta")) {
		v = ctx_json_get(delta, "arguments");
		if (ctx_json_type(v) == CTX_JSON_STRING)
			ctx_buf_addspan(&block->aside, ctx_answer_inside(r, v));
	} else if (ctx_json_is(type, "thought_summary")) {
		add_summary(r, block, ctx_json_get(delta, "content"));
	} else if (!ctx_json_is(type, "text_annotation_delta")) {
		merge_step_delta(r, block, delta);
	} else if (ctx_node_has(block, "type", "text")) {
		add_annotations(r, block, ctx_json_get(delta, "annotations"));
	}
	return 0;
}

/* ---- the interaction ---- */

static int
note_interaction(
    struct ctx_answer_reader *r, struct ctx_span interaction, struct ctx_err *err)
{
	enum { ID, MODEL, STATUS, USAGE, ERRORS, N };
	static const char *const keys[N] = {"id", "model", "status", "usage", "errors"};
	static const char *const kept[] = {
	    "continuation_token", "environment_id", "service_tier", NULL};
	struct ctx_buf why = CTX_BUF_INIT;
	struct ctx_span v[N], failure;

	ctx_json_get_all(interaction, keys, v, N);
	ctx_answer_note_all(r, v[ID], v[MODEL], v[STATUS], v[USAGE]);
	failure = ctx_json_first(v[ERRORS]);
	if (ctx_json_is(v[STATUS], "failed") && failure.p != NULL) {
		ctx_json_decode(ctx_json_get(failure, "message"), &why);
		if (why.n == 0)
			ctx_buf_adds(&why, "no reason given");
		return ctx_answer_fail("the answer failed: ", &why, err);
	}
	ctx_answer_keep(r, interaction, kept);
	return 0;
}

/* The server sends the rest of a stored interaction's stream on request (Google's library,
 * interactions.get with last_event_id). */
static int
fail_broken_interaction(const struct ctx_answer_reader *r, struct ctx_err *err)
{
	static const char what[] =
	    "the answer broke off before its end (no interaction.completed)";

	if (r->id == NULL || r->event_id == NULL)
		return ctx_err_set(err, CTX_EIO, "%s", what);
	return ctx_err_set(err, CTX_EIO, "%s; interaction %.80s, last event %.120s", what,
	    r->id, r->event_id);
}

static int
end_interactions_answer(struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (r->mode != CTX_ANSWER_BODY && !r->ended && !r->marked)
		return fail_broken_interaction(r, err);
	if (r->parts.n == 0)
		return ctx_err_set(err, CTX_EIO, "the answer is empty: status %.80s",
		    r->stop_reason == NULL ? "unknown" : r->stop_reason);
	for (size_t i = 0; i < r->parts.n; i++)
		if (ctx_node_has(&r->parts.kids[i], "type", "tool_use") &&
		    ctx_answer_take_input(r, &r->parts.kids[i], err) < 0)
			return -1;
	ctx_answer_blocks(r);
	return 0;
}

static int
read_interactions_body(
    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_span steps = ctx_json_get(json, "steps");

	if (ctx_json_get(json, "status").p == NULL && steps.p == NULL)
		return ctx_err_set(
		    err, CTX_EIO, "the response contains no answer (no steps)");
	if (note_interaction(r, json, err) < 0 || read_steps(r, steps, err) < 0)
		return -1;
	/* an unfinished answer is reported as such, even without content */
	if (r->parts.n == 0 &&
	    ctx_answer_ending(r->provider, r->stop_reason) == CTX_ENDING_PENDING)
		return ctx_err_set(
		    err, CTX_EIO, "the answer is incomplete: %.80s", r->stop_reason);
	return end_interactions_answer(r, err);
}

static int
read_interactions_chunk(
    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	enum { TYPE, INDEX, STEP, DELTA, INTERACTION, STATUS, EVENT, N };
	static const char *const keys[N] = {
	    "event_type", "index", "step", "delta", "interaction", "status", "event_id"};
	struct ctx_span v[N];
	int64_t index = 0;

	ctx_json_get_all(json, keys, v, N);
	ctx_json_int(v[INDEX], &index);
	ctx_answer_note(&r->event_id, v[EVENT]);
	if (ctx_json_is(v[TYPE], "step.start"))
		return start_step(r, index, v[STEP], err);
	if (ctx_json_is(v[TYPE], "step.delta"))
		return add_step_delta(r, index, v[DELTA], err);
	if (ctx_json_is(v[TYPE], "interaction.status_update"))
		ctx_answer_note(&r->stop_reason, v[STATUS]);
	if (ctx_json_type(v[INTERACTION]) != CTX_JSON_OBJECT)
		return 0; /* step.stop, and event types that later versions may add */
	if (note_interaction(r, v[INTERACTION], err) < 0)
		return -1;
	if (!ctx_json_is(v[TYPE], "interaction.completed"))
		return 0;
	r->ended = true;
	return r->parts.n > 0 ? 0
			      : read_steps(r, ctx_json_get(v[INTERACTION], "steps"), err);
}

const struct ctx_answer_kind ctx_answer_interactions = {
    .body = read_interactions_body,
    .chunk = read_interactions_chunk,
    .end = end_interactions_answer,
    .input = {"total_input_tokens", "total_tool_use_tokens"},
    .output = {"total_output_tokens", "total_thought_tokens"},
    .ends_once = true,
};
