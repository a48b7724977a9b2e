/* Reads answers of Gemini's generateContent and streamGenerateContent. Formats: the API
 * reference, "GenerateContentResponse", and the pages on function calling and thought
 * signatures. A stream ends with a finishReason. The message has the role "assistant" and
 * content blocks:
 *   text                {"type":"text","text":…}
 *   text, thought:true  {"type":"thought","text":…}, never Anthropic's "thinking"
 *   functionCall        {"type":"tool_use","id":…,"name":…,"input":ARGS}; a missing id
 *                       becomes call_HASH_N, from responseId and the call's position
 *   inlineData, image/… {"type":"image","source":{"type":"base64",…}}
 *   any other           {"type":"part", and the members of the part}
 * Each block also gets the other members of its part, so a thoughtSignature stays with
 * its part. In a stream, unsigned text is joined to preceding text of the same kind.
 * Empty unsigned text is omitted. */
#include "answer/internal.h"

#include <string.h>

enum { TEXT, THOUGHT, SIGNATURE, CALL, DATA, NPART };
static const char *const part_keys[NPART] = {
    "text", "thought", "thoughtSignature", "functionCall", "inlineData"};

/* Tags of blocks: text of the same kind is appended to the last block if its tag says
 * so. */
enum { TAG_CLOSED, TAG_TEXT, TAG_THOUGHT };

static struct ctx_node *
new_block(struct ctx_answer_reader *r, const char *type, struct ctx_err *err)
{
	struct ctx_node *block = ctx_node_add(&r->parts, CTX_SPAN_NONE, err);

	if (block == NULL)
		return NULL;
	block->kind = CTX_NODE_OBJECT;
	ctx_buf_addf(&block->aside, "\"%s\"", type);
	if (ctx_node_put(block, "type", ctx_buf_span(&block->aside), err) < 0)
		return NULL;
	return block;
}

/* Copies the part's other members into its block, above all the signature. */
static int
put_gemini_part_members(struct ctx_answer_reader *r, struct ctx_node *block,
    struct ctx_span part, const char *used, struct ctx_err *err)
{
	struct ctx_node *kid;
	size_t own = block->n;
	bool taken;

	CTX_JSON_EACH(it, part) {
		taken = ctx_json_is(it.key, used);
		for (size_t i = 0; i < own; i++)
			taken |= ctx_span_eq(ctx_buf_span(&block->kids[i].key), it.key);
		if (taken)
			continue;
		kid = ctx_node_add(block, ctx_answer_raw(r, it.key), err);
		if (kid == NULL)
			return -1;
		ctx_answer_set(r, kid, it.value);
	}
	return 0;
}

static bool
is_plain_gemini_part(struct ctx_span part)
{
	CTX_JSON_EACH(it, part)
		if (!ctx_json_is(it.key, "text") && !ctx_json_is(it.key, "thought"))
			return false;
	return true;
}

static int
add_gemini_text(struct ctx_answer_reader *r, struct ctx_span part,
    struct ctx_span v[NPART], bool join, struct ctx_err *err)
{
	bool thought = ctx_json_true(v[THOUGHT]), plain = is_plain_gemini_part(part);
	struct ctx_span inside = ctx_answer_inside(r, v[TEXT]);
	struct ctx_node *block = r->parts.n > 0 ? &r->parts.kids[r->parts.n - 1] : NULL;
	int64_t tag = thought ? TAG_THOUGHT : TAG_TEXT;

	if (plain && inside.n == 0)
		return 0;
	if (join && plain && block != NULL && block->tag == tag) {
		ctx_node_extend(ctx_node_find(block, "text"), inside);
	} else {
		block = new_block(r, thought ? "thought" : "text", err);
		if (block == NULL ||
		    ctx_node_put(block, "text", ctx_answer_raw(r, v[TEXT]), err) < 0)
			return -1;
		block->tag = plain ? tag : TAG_CLOSED;
		if (put_gemini_part_members(r, block, part, "thought", err) < 0)
			return -1;
	}
	if (!thought)
		ctx_answer_say(r, r->parts.n, inside);
	return 0;
}

enum { CALL_ID, CALL_NAME, CALL_ARGS, CALL_PARTS, CALL_MORE, NCALL };

/* True if the part continues the call whose arguments are still arriving. */
static bool
continues_call(const struct ctx_answer_reader *r, const struct ctx_span v[NCALL])
{
	const struct ctx_node *block, *known;
	struct ctx_span by = v[CALL_ID].p != NULL ? v[CALL_ID] : v[CALL_NAME];
	bool named = ctx_json_type(v[CALL_NAME]) == CTX_JSON_STRING && v[CALL_NAME].n > 2;

	if (r->growing == 0 || !named)
		return r->growing > 0;
	block = &r->parts.kids[r->growing - 1];
	known = ctx_node_find(block, v[CALL_ID].p != NULL ? "gemini_id" : "name");
	return known != NULL &&
	       ctx_span_eq(ctx_buf_span(&known->text), ctx_answer_raw(r, by));
}

static int
grow_call(struct ctx_answer_reader *r, struct ctx_span part,
    const struct ctx_span v[NCALL], size_t place, struct ctx_err *err)
{
	struct ctx_node *block = &r->parts.kids[place - 1];
	struct ctx_node *input = ctx_node_find(block, "input");

	if (ctx_json_type(v[CALL_ARGS]) == CTX_JSON_OBJECT && v[CALL_ARGS].n > 2)
		ctx_answer_set(r, input, v[CALL_ARGS]);
	if (ctx_answer_add_args(r, input, v[CALL_PARTS], err) < 0)
		return -1;
	r->growing = ctx_json_true(v[CALL_MORE]) ? place : 0;
	return put_gemini_part_members(r, block, part, "functionCall", err);
}

static int
start_call(
    struct ctx_answer_reader *r, const struct ctx_span v[NCALL], struct ctx_err *err)
{
	bool own = ctx_json_type(v[CALL_ID]) == CTX_JSON_STRING && v[CALL_ID].n > 2;
	/* a missing id is made at the end (calls.c), when the id of the answer is
	 * known */
	struct ctx_span id = own ? ctx_answer_raw(r, v[CALL_ID]) : ctx_span_of("\"\"");
	struct ctx_node *block;

	if (ctx_json_type(v[CALL_NAME]) != CTX_JSON_STRING)
		return ctx_err_set(err, CTX_EIO, "a function call has no name");
	if (v[CALL_ARGS].p != NULL && !ctx_span_is(v[CALL_ARGS], "null") &&
	    ctx_json_type(v[CALL_ARGS]) != CTX_JSON_OBJECT)
		return ctx_err_set(
		    err, CTX_EIO, "the arguments of a function call are not an object");
	block = new_block(r, "tool_use", err);
	if (block == NULL || ctx_node_put(block, "id", id, err) < 0 ||
	    (own && ctx_node_put(block, "gemini_id", id, err) < 0) ||
	    ctx_node_put(block, "name", ctx_answer_raw(r, v[CALL_NAME]), err) < 0)
		return -1;
	return ctx_node_put(block, "input", ctx_span_of("{}"), err);
}

static int
add_gemini_call(struct ctx_answer_reader *r, struct ctx_span part, struct ctx_span call,
    struct ctx_err *err)
{
	static const char *const keys[NCALL] = {
	    "id", "name", "args", "partialArgs", "willContinue"};
	struct ctx_span v[NCALL];

	ctx_json_get_all(call, keys, v, NCALL);
	if (continues_call(r, v))
		return grow_call(r, part, v, r->growing, err);
	if (start_call(r, v, err) < 0)
		return -1;
	return grow_call(r, part, v, r->parts.n, err);
}

/* Stores an image in Anthropic's format. */
static int
add_image(struct ctx_answer_reader *r, struct ctx_span part, struct ctx_span type,
    struct ctx_span data, struct ctx_err *err)
{
	struct ctx_buf source = CTX_BUF_INIT;
	struct ctx_node *block = new_block(r, "image", err);
	int rc = -1;

	if (block != NULL) {
		ctx_json_put_open(&source, '{');
		ctx_json_add_str(&source, "type", "base64");
		ctx_json_add_raw(&source, "media_type", ctx_answer_raw(r, type));
		ctx_json_add_raw(&source, "data", ctx_answer_raw(r, data));
		ctx_json_put_close(&source, '}');
		rc = ctx_node_put(block, "source", ctx_buf_span(&source), err);
	}
	ctx_buf_release(&source);
	return rc < 0 ? -1 : put_gemini_part_members(r, block, part, "inlineData", err);
}

static int
add_gemini_answer_part(
    struct ctx_answer_reader *r, struct ctx_span part, bool join, struct ctx_err *err)
{
	static const char *const data_keys[] = {"mimeType", "data"};
	struct ctx_span v[NPART], data[2];
	struct ctx_node *block;

	if (ctx_json_type(part) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EIO, "a part of the answer is not an object");
	ctx_json_get_all(part, part_keys, v, NPART);
	if (ctx_json_type(v[CALL]) == CTX_JSON_OBJECT)
		return add_gemini_call(r, part, v[CALL], err);
	if (ctx_json_type(v[TEXT]) == CTX_JSON_STRING)
		return add_gemini_text(r, part, v, join, err);
	ctx_json_get_all(v[DATA], data_keys, data, 2);
	if (!ctx_json_true(v[THOUGHT]) && ctx_json_type(data[0]) == CTX_JSON_STRING &&
	    data[0].n > 7 && memcmp(data[0].p, "\"image/", 7) == 0 &&
	    ctx_json_type(data[1]) == CTX_JSON_STRING)
		return add_image(r, part, data[0], data[1], err);
	block = new_block(r, "part", err);
	return block == NULL ? -1 : put_gemini_part_members(r, block, part, "type", err);
}

/* Fails with the reasons that an empty answer gives. */
static int
fail_empty_gemini_answer(
    const struct ctx_answer_reader *r, struct ctx_span finish, struct ctx_err *err)
{
	struct ctx_buf why = CTX_BUF_INIT;

	if (r->stop_reason != NULL)
		ctx_buf_addf(&why, ": finishReason %s", r->stop_reason);
	if (ctx_json_type(finish) == CTX_JSON_STRING && finish.n > 2) {
		ctx_buf_adds(&why, ", ");
		ctx_json_decode(finish, &why);
	}
	ctx_answer_shorten(&why);
	ctx_err_set(err, CTX_EIO, "the answer is empty%s", why.n > 0 ? why.p : "");
	ctx_buf_release(&why);
	return -1;
}

static int
check_prompt(struct ctx_span feedback, struct ctx_err *err)
{
	static const char *const keys[] = {"blockReason", "blockReasonMessage"};
	struct ctx_span v[2];
	struct ctx_buf why = CTX_BUF_INIT;

	ctx_json_get_all(feedback, keys, v, 2);
	if (ctx_json_type(v[0]) != CTX_JSON_STRING)
		return 0;
	ctx_json_decode(v[0], &why);
	if (ctx_json_type(v[1]) == CTX_JSON_STRING && v[1].n > 2) {
		ctx_buf_adds(&why, ", ");
		ctx_json_decode(v[1], &why);
	}
	ctx_answer_shorten(&why);
	ctx_err_set(err, CTX_EIO, "the prompt was blocked: %s", why.n > 0 ? why.p : "");
	ctx_buf_release(&why);
	return -1;
}

static int
read_response(
    struct ctx_answer_reader *r, struct ctx_span json, bool join, struct ctx_err *err)
{
	enum { ID, MODEL, USAGE, FEEDBACK, CANDIDATES, N };
	static const char *const keys[N] = {"responseId", "modelVersion", "usageMetadata",
	    "promptFeedback", "candidates"};
	static const char *const kept[] = {"finishMessage", "groundingMetadata",
	    "citationMetadata", "urlContextMetadata", "safetyRatings",
	    "continuationToken", "continuation_token", NULL};
	struct ctx_span v[N], candidate, finish;

	ctx_json_get_all(json, keys, v, N);
	if (ctx_answer_is_another(r, v[ID], json))
		return 0;
	ctx_answer_note(&r->id, v[ID]);
	ctx_answer_note(&r->model, v[MODEL]);
	if (ctx_json_type(v[USAGE]) == CTX_JSON_OBJECT)
		ctx_answer_set(r, &r->usage, v[USAGE]);
	if (check_prompt(v[FEEDBACK], err) < 0)
		return -1;
	candidate = ctx_answer_first(r, v[CANDIDATES], !join);
	if (ctx_json_type(candidate) != CTX_JSON_OBJECT)
		return 0;
	r->begun = true;
	if (ctx_answer_keep(r, json, kept, err) < 0 ||
	    ctx_answer_keep(r, candidate, kept, err) < 0)
		return -1;
	CTX_JSON_EACH_WHILE(
	    !it.object, it, ctx_json_get(ctx_json_get(candidate, "content"), "parts"))
		if (add_gemini_answer_part(r, it.value, join, err) < 0)
			return -1;
	finish = ctx_json_get(candidate, "finishReason");
	ctx_answer_note(&r->stop_reason, finish);
	r->ended |= r->stop_reason != NULL;
	if (r->ended && r->parts.n == 0)
		return fail_empty_gemini_answer(
		    r, ctx_json_get(candidate, "finishMessage"), err);
	return 0;
}

static int
end_gemini_answer(struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (!r->begun)
		return ctx_err_set(
		    err, CTX_EIO, "the response contains no answer (no candidates)");
	if (r->mode != CTX_ANSWER_BODY && !r->ended)
		return ctx_err_set(err, CTX_EIO,
		    "the answer broke off before its end (no finishReason)");
	if (r->parts.n == 0)
		return fail_empty_gemini_answer(r, CTX_SPAN_NONE, err);
	r->parts.kind = CTX_NODE_LIST;
	r->damaged = r->growing;
	ctx_answer_blocks(r);
	return 0;
}

static int
read_gemini_body(struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	return read_response(r, json, false, err) < 0 ? -1 : end_gemini_answer(r, err);
}

static int
read_gemini_chunk(struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err)
{
	return read_response(r, json, true, err);
}

static void
read_gemini_tokens(struct ctx_span usage, int64_t *in, int64_t *out)
{
	static const char *const keys[] = {"promptTokenCount", "toolUsePromptTokenCount",
	    "candidatesTokenCount", "thoughtsTokenCount"};

	ctx_answer_sum_tokens(usage, keys, in, out);
}

const struct ctx_answer_kind ctx_answer_gemini = {
    .body = read_gemini_body,
    .chunk = read_gemini_chunk,
    .end = end_gemini_answer,
    .tokens = read_gemini_tokens,
    .array = true,
};
