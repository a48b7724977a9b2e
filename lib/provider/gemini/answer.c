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

/* Copies the part's other members into its block, above all the signature. used: the
 * member that the block was made from. */
static void
put_gemini_part_members(struct ctx_answer_reader *r, struct ctx_node *block,
    struct ctx_span part, const char *used)
{
	ctx_answer_copy(r, block, part, (const char *const[]){used, NULL});
}

static bool
is_plain_gemini_part(struct ctx_span part)
{
	CTX_JSON_EACH(it, part)
		if (!ctx_json_is(it.key, "text") && !ctx_json_is(it.key, "thought"))
			return false;
	return true;
}

static void
add_gemini_text(struct ctx_answer_reader *r, struct ctx_span part,
    struct ctx_span v[NPART], bool join)
{
	bool thought = ctx_json_true(v[THOUGHT]), plain = is_plain_gemini_part(part);
	struct ctx_span inside = ctx_answer_inside(r, v[TEXT]);
	struct ctx_node *block = r->parts.n > 0 ? &r->parts.kids[r->parts.n - 1] : NULL;
	int64_t tag = thought ? TAG_THOUGHT : TAG_TEXT;

	if (plain && inside.n == 0)
		return;
	if (join && plain && block != NULL && block->tag == tag) {
		ctx_node_extend(ctx_node_find(block, "text"), inside);
	} else {
		block = ctx_answer_add_block(
		    r, thought ? "thought" : "text", plain ? tag : TAG_CLOSED);
		ctx_node_put(block, "text", ctx_answer_raw(r, v[TEXT]));
		put_gemini_part_members(r, block, part, "thought");
	}
	if (!thought)
		ctx_answer_say(r, r->parts.n, inside);
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
	put_gemini_part_members(r, block, part, "functionCall");
	return 0;
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
	block = ctx_answer_add_block(r, "tool_use", TAG_CLOSED);
	ctx_node_put(block, "id", id);
	if (own)
		ctx_node_put(block, "gemini_id", id);
	ctx_node_put(block, "name", ctx_answer_raw(r, v[CALL_NAME]));
	ctx_node_put(block, "input", ctx_span_of("{}"));
	return 0;
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
static void
add_image(struct ctx_answer_reader *r, struct ctx_span part, struct ctx_span type,
    struct ctx_span data)
{
	struct ctx_node *block = ctx_answer_add_block(r, "image", TAG_CLOSED);
	struct ctx_buf source = CTX_BUF_INIT;

	ctx_json_print(&source, "{'type':'base64','media_type':%j,'data':%j}",
	    ctx_answer_raw(r, type), ctx_answer_raw(r, data));
	ctx_node_put(block, "source", ctx_buf_span(&source));
	ctx_buf_release(&source);
	put_gemini_part_members(r, block, part, "inlineData");
}

static int
add_gemini_answer_part(
    struct ctx_answer_reader *r, struct ctx_span part, bool join, struct ctx_err *err)
{
	static const char *const data_keys[] = {"mimeType", "data"};
	struct ctx_span v[NPART], data[2];

	if (ctx_json_type(part) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EIO, "a part of the answer is not an object");
	ctx_json_get_all(part, part_keys, v, NPART);
	if (ctx_json_type(v[CALL]) == CTX_JSON_OBJECT)
		return add_gemini_call(r, part, v[CALL], err);
	ctx_json_get_all(v[DATA], data_keys, data, 2);
	if (ctx_json_type(v[TEXT]) == CTX_JSON_STRING)
		add_gemini_text(r, part, v, join);
	else if (!ctx_json_true(v[THOUGHT]) &&
		 ctx_json_type(data[0]) == CTX_JSON_STRING && data[0].n > 7 &&
		 memcmp(data[0].p, "\"image/", 7) == 0 &&
		 ctx_json_type(data[1]) == CTX_JSON_STRING)
		add_image(r, part, data[0], data[1]);
	else
		put_gemini_part_members(
		    r, ctx_answer_add_block(r, "part", TAG_CLOSED), part, "type");
	return 0;
}

/* Appends the text of a JSON string, unless it is empty. */
static void
put_reason(struct ctx_buf *why, struct ctx_span text)
{
	if (ctx_json_type(text) != CTX_JSON_STRING || text.n <= 2)
		return;
	ctx_buf_adds(why, ", ");
	ctx_json_decode(text, why);
}

/* Fails with the reasons that an empty answer gives. */
static int
fail_empty_gemini_answer(
    const struct ctx_answer_reader *r, struct ctx_span finish, struct ctx_err *err)
{
	struct ctx_buf why = CTX_BUF_INIT;

	if (r->stop_reason != NULL)
		ctx_buf_addf(&why, ": finishReason %s", r->stop_reason);
	put_reason(&why, finish);
	return ctx_answer_fail("the answer is empty", &why, err);
}

static int
check_prompt(struct ctx_span feedback, struct ctx_err *err)
{
	struct ctx_span reason = ctx_json_get(feedback, "blockReason");
	struct ctx_buf why = CTX_BUF_INIT;

	if (ctx_json_type(reason) != CTX_JSON_STRING)
		return 0;
	ctx_json_decode(reason, &why);
	put_reason(&why, ctx_json_get(feedback, "blockReasonMessage"));
	return ctx_answer_fail("the prompt was blocked: ", &why, err);
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
	ctx_answer_note_all(r, v[ID], v[MODEL], CTX_SPAN_NONE, v[USAGE]);
	if (check_prompt(v[FEEDBACK], err) < 0)
		return -1;
	candidate = ctx_answer_first(r, v[CANDIDATES], !join);
	if (ctx_json_type(candidate) != CTX_JSON_OBJECT)
		return 0;
	r->begun = true;
	ctx_answer_keep(r, json, kept);
	ctx_answer_keep(r, candidate, kept);
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

const struct ctx_answer_kind ctx_answer_gemini = {
    .body = read_gemini_body,
    .chunk = read_gemini_chunk,
    .end = end_gemini_answer,
    .input = {"promptTokenCount", "toolUsePromptTokenCount"},
    .output = {"candidatesTokenCount", "thoughtsTokenCount"},
    .array = true,
};
