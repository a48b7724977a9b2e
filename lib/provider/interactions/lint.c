/* Lint rules for requests to Gemini's Interactions API. Sources: the types of Google's
 * SDK, the API reference "Creating an interaction", the page "Thinking" (stateless
 * mode). */
#include "provider/interactions/lint.h"

#include "json/json.h"
#include "lint/params.h"
#include "record/message.h"

static struct ctx_span
get_step_type(const struct lint_item *it)
{
	return ctx_json_get(it->message, "type");
}

/* ---- steps as parts ---- */

static void
parse_step_content(struct lint_doc *d, struct lint_item *it)
{
	it->content = ctx_json_get(it->message, "content");
	CTX_JSON_EACH_WHILE(!e.object, e, it->content) {
		struct ctx_span type = ctx_json_get(e.value, "type");
		struct lint_part *p = ctx_lint_add_part(d, it, LINT_OTHER, e.value);
		p->block = true;
		if (ctx_json_is(type, "text")) {
			p->type = LINT_TEXT;
			p->body = ctx_json_get(e.value, "text");
			p->blank = ctx_message_blank(p->body);
		} else if (ctx_json_is(type, "image")) {
			p->type = LINT_IMAGE;
			p->body = e.value;
		}
	}
}

static void
parse_step(struct lint_doc *d, struct lint_item *it)
{
	struct ctx_span type = get_step_type(it);
	bool call = ctx_json_is(type, "function_call");
	struct lint_part *p;

	it->role = ctx_json_is(type, "user_input") ? LINT_USER : LINT_ASSISTANT;
	if (ctx_json_is(type, "user_input") || ctx_json_is(type, "model_output")) {
		parse_step_content(d, it);
		return;
	}
	p = ctx_lint_add_part(d, it, LINT_OTHER, it->message);
	if (call || ctx_json_is(type, "function_result")) {
		p->type = call ? LINT_CALL : LINT_RESULT;
		p->key = ctx_json_get(it->message, call ? "id" : "call_id");
		p->name = ctx_json_get(it->message, "name");
		p->body = ctx_json_get(it->message, call ? "arguments" : "result");
		it->role = call ? LINT_ASSISTANT : LINT_TOOL;
	} else if (ctx_json_is(type, "thought")) {
		p->type = LINT_THINKING;
		p->sign = ctx_json_get(it->message, "signature");
	}
}

/* True for items that only Interactions has. A function call could also be one of
 * OpenAI's Responses. */
static bool
is_step(struct ctx_span value)
{
	struct ctx_span type = ctx_json_get(value, "type");

	return CTX_JSON_IS_ANY(type, "user_input", "model_output", "function_result") ||
	       (ctx_json_is(type, "thought") &&
		   (ctx_json_get(value, "signature").p != NULL ||
		       ctx_json_get(value, "summary").p != NULL));
}

/* ---- the rules ---- */

static bool
interactions_refers(const struct lint_doc *d)
{
	return ctx_json_type(ctx_json_get(d->body, "previous_interaction_id")) ==
	       CTX_JSON_STRING;
}

static void
check_step_members(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i];
	struct ctx_span type = get_step_type(it);
	bool call = ctx_json_is(type, "function_call");

	if (type.p == NULL)
		ctx_lint_note(d, "in-step", true, i, "a step has no type");
	if (!call && !ctx_json_is(type, "function_result"))
		return;
	if (!ctx_json_is_text(ctx_json_get(it->message, call ? "id" : "call_id")))
		ctx_lint_note(d, "in-step", true, i, "a %s has no \"%s\"",
		    call ? "function call" : "function result", call ? "id" : "call_id");
	if (call &&
	    ctx_json_type(ctx_json_get(it->message, "arguments")) != CTX_JSON_OBJECT)
		ctx_lint_note(d, "in-step", true, i,
		    "the \"arguments\" of a function call are not an object");
	if (!call && ctx_json_get(it->message, "result").p == NULL)
		ctx_lint_note(
		    d, "in-step", true, i, "a function result has no \"result\"");
}

static void
check_step_content(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i];
	bool content = ctx_json_type(it->content) == CTX_JSON_ARRAY;

	if (it->content.p != NULL && !content)
		ctx_lint_note(
		    d, "in-content", true, i, "the \"content\" of a step is not a list");
	else if (it->role == LINT_USER && it->n == 0)
		ctx_lint_note(d, "in-content", true, i, "a user step has no content");
	LINT_EACH_PART(p, d, it)
		if (p->type == LINT_TEXT && p->blank)
			ctx_lint_note(d, "in-content", false, i, "a text is blank");
}

/* A thought must have its signature: the model needs it to continue the thought. */
static void
check_thought(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i];

	if (ctx_json_is(get_step_type(it), "thought") &&
	    ctx_json_get(it->message, "signature").n <= 2)
		ctx_lint_note(d, "in-thought", false, i,
		    "a thought has no \"signature\": send it back unchanged");
}

static void
check_last_step(struct lint_doc *d)
{
	struct ctx_span token = ctx_json_get(d->body, "continuation_token");
	enum lint_role last = d->n == 0 ? LINT_NO_ROLE : d->items[d->n - 1].role;

	if (last != LINT_USER && last != LINT_TOOL && token.p == NULL)
		ctx_lint_note(d, "in-last-step", true,
		    d->n == 0 ? LINT_NO_ITEM : d->n - 1,
		    "the last step must be a user step or a function result");
}

static void
check_interactions(struct lint_doc *d)
{
	ctx_lint_check_items(d);
	ctx_lint_unique(d, "in-call-id-unique");
	if (d->shape == LINT_STEPS)
		LINT_EACH_ITEM(i, d) {
			check_step_members(d, i);
			check_step_content(d, i);
			check_thought(d, i);
		}
	if (d->request)
		check_last_step(d);
}

/* ---- parameters ---- */

static void
check_interactions_params(struct lint_params *p)
{
	static const char *const settings[] = {"temperature", "top_p", "seed",
	    "stop_sequences", "max_output_tokens", "thinking_level", "thinking_summaries",
	    "tool_choice", NULL};
	static const char *const others[] = {"generationConfig", "toolConfig",
	    "safetySettings", "cachedContent", "contents", NULL};
	static const char *const deprecated[] = {
	    "cached_content", "response_mime_type", "response_modalities", NULL};
	struct ctx_span system = ctx_lint_param(p, "system_instruction");

	ctx_lint_flaw_names(p, "in-member", true, settings,
	    "is a member of \"generation_config\": put it there");
	ctx_lint_flaw_names(p, "in-member", true, others,
	    "belongs to generateContent, not to the Interactions API, whose names are in snake_case");
	ctx_lint_flaw_names(p, "in-deprecated", false, deprecated, "is deprecated");
	if (system.p != NULL && ctx_json_type(system) != CTX_JSON_STRING)
		ctx_lint_flaw(p, "in-member", true, "system_instruction",
		    "\"system_instruction\" must be a string here");
}

/* ---- repair ---- */

static bool
put_no_step_result(struct ctx_buf *b, const struct lint_part *call)
{
	ctx_json_print(b, "{'type':'function_result','call_id':%j,'name':%j,'result':%s}",
	    call->key, call->name, CTX_LINT_NO_RESULT);
	return true;
}

static const struct lint_step interactions_steps[] = {
    {"in-content", ctx_interactions_fix_content, NULL},
    {"in-step", NULL, ctx_interactions_mend_step},
    {"in-step", ctx_lint_fix_items, NULL}, /* adds missing ids */
    {"in-call-id-unique", ctx_lint_fix_ids, NULL},
    {"in-orphan-result", ctx_lint_fix_items, NULL},
    {"in-unanswered-call", ctx_lint_fix_items, NULL},
    {"in-orphan-result", ctx_lint_fix_pairs, NULL},
    {"in-unanswered-call", ctx_lint_fix_pairs, NULL},
    {"in-last-step", ctx_lint_fix_ends, NULL},
    {NULL, NULL, NULL},
};

const struct ctx_lint_kind ctx_lint_interactions = {
    .shape = LINT_STEPS,
    .check = check_interactions,
    .params = check_interactions_params,
    .steps = interactions_steps,
    .is_item = is_step,
    .parse = parse_step,
    .sibling = CTX_PROVIDER_NONE,
    .parts = "content",
    .user = "{\"type\":\"user_input\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}",
    .call_id = "id",
    .result_id = "call_id",
    .orphan = "in-orphan-result",
    .unanswered = "in-unanswered-call",
    .refers = interactions_refers,
    .put_result = put_no_step_result,
};
