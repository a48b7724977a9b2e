/* Lint rules for requests to OpenAI's Responses. */

#include "base/mem.h"
#include "json/json.h"
#include "provider/responses/lint.h"
#include "record/calls.h"

static void
parse_response_item(struct lint_doc *d, struct lint_item *it)
{
	enum { TYPE, ROLE, CALL_ID, NAME, ARGUMENTS, INPUT, OUTPUT, CONTENT, N };
	static const char *const keys[N] = {
	    "type", "role", "call_id", "name", "arguments", "input", "output", "content"};
	struct ctx_span v[N];
	struct lint_part *p = ctx_lint_add_part(d, it, LINT_OTHER, it->message);
	const struct ctx_client_item *kind;

	ctx_json_get_all(it->message, keys, v, N);
	it->content = v[CONTENT];
	it->role = LINT_ASSISTANT;
	if (CTX_JSON_IS_ANY(v[TYPE], "function_call", "custom_tool_call")) {
		p->type = LINT_CALL;
		p->custom = ctx_json_is(v[TYPE], "custom_tool_call");
		p->key = v[CALL_ID];
		p->name = v[NAME];
		p->body = p->custom ? v[INPUT] : v[ARGUMENTS];
	} else if (CTX_JSON_IS_ANY(
		       v[TYPE], "function_call_output", "custom_tool_call_output")) {
		it->role = LINT_TOOL;
		p->type = LINT_RESULT;
		p->key = v[CALL_ID];
		p->body = v[OUTPUT];
	} else if (ctx_json_is(v[TYPE], "reasoning")) {
		p->type = LINT_THINKING;
	} else if ((kind = ctx_client_item_find(v[TYPE], false)) != NULL) {
		p->type = LINT_CALL;
		p->key = v[CALL_ID];
		p->name = ctx_span_of(kind->name);
		p->body = ctx_json_get(it->message, kind->arguments);
	} else if ((kind = ctx_client_item_find(v[TYPE], true)) != NULL) {
		it->role = LINT_TOOL;
		p->type = LINT_RESULT;
		p->key = ctx_json_get(it->message, kind->id);
		p->body = v[OUTPUT];
	} else if (v[ROLE].p != NULL) {
		it->role = ctx_lint_parse_role(v[ROLE]);
		p->body = v[CONTENT];
	}
}

/* ---- the rules ---- */

/* True if the request refers to items that the server adds: these may include calls. */
static bool
responses_refers(const struct lint_doc *d)
{
	if (ctx_json_type(ctx_json_get(d->body, "previous_response_id")) ==
		CTX_JSON_STRING ||
	    ctx_json_type(ctx_json_get(d->body, "conversation")) > CTX_JSON_NULL)
		return true;
	for (size_t i = 0; d->shape == LINT_ITEMS && i < d->n; i++)
		if (ctx_json_has_type(d->items[i].message, "item_reference"))
			return true;
	return false;
}

/* True if item i is reasoning that no other item of the model follows. At the open end of
 * a history this is no flaw, because such an item may still be added. */
static bool
is_dangling(const struct lint_doc *d, size_t i)
{
	size_t next = i + 1;

	if (d->items[i].skip || d->items[i].n == 0 ||
	    d->parts[d->items[i].first].type != LINT_THINKING)
		return false;
	while (next < d->n && d->items[next].skip)
		next++;
	if (next == d->n)
		return d->request;
	return d->items[next].role != LINT_ASSISTANT;
}

static bool
fix_dangling(struct lint_doc *d)
{
	return ctx_lint_drop_items(d, is_dangling);
}

static void
check_responses(struct lint_doc *d)
{
	ctx_lint_check_items(d);
	for (size_t i = 0; d->shape == LINT_ITEMS && i < d->n; i++)
		if (is_dangling(d, i))
			ctx_lint_note(d, "re-reasoning-pair", true, i,
			    "the item to which a reasoning item belongs must follow it directly");
	if (d->request)
		ctx_responses_lint_items(d);
}

static bool
is_response_item(struct ctx_span v)
{
	static const char *const types[] = {"function_call", "function_call_output",
	    "custom_tool_call", "custom_tool_call_output", "reasoning", "item_reference",
	    NULL};
	struct ctx_span type = ctx_json_get(v, "type");

	return ctx_json_is_any(type, types);
}

/* Writes the missing output of a call. False for a screenshot, which cannot be made
 * up. */
static bool
put_missing_output(struct ctx_buf *b, const struct lint_part *call)
{
	struct ctx_span type = ctx_json_get(call->raw, "type");
	const struct ctx_client_item *kind = ctx_client_item_find(type, false);

	if (ctx_json_is(type, "computer_call"))
		return false;
	ctx_json_print(b, "{'type':%s",
	    kind != NULL   ? kind->output
	    : call->custom ? "custom_tool_call_output"
			   : "function_call_output");
	ctx_json_add_raw(b, kind != NULL ? kind->id : "call_id", call->key);
	if (ctx_json_is(type, "shell_call"))
		ctx_json_add_raw(b, "output",
		    ctx_span_of("[{\"stdout\":\"\",\"stderr\":\"" CTX_LINT_NO_RESULT
				"\",\"outcome\":{\"type\":\"timeout\"}}]"));
	else
		ctx_json_add_str(b, "output", CTX_LINT_NO_RESULT);
	if (ctx_json_is(type, "apply_patch_call"))
		ctx_json_add_str(b, "status", "failed");
	ctx_json_put_close(b, '}');
	return true;
}

static const struct lint_step responses_steps[] = {
    {"re-orphan-output", ctx_lint_fix_items, NULL},
    {"re-unanswered-call", ctx_lint_fix_items, NULL},
    {"re-orphan-output", ctx_lint_fix_pairs, NULL},
    {"re-unanswered-call", ctx_lint_fix_pairs, NULL},
    {"re-reasoning-pair", fix_dangling, NULL},
    {"re-reasoning", NULL, ctx_responses_add_summary},
    {"re-image-url", NULL, ctx_responses_flatten_images},
    {"re-call-arguments", NULL, ctx_responses_quote_arguments},
    {NULL, NULL, NULL},
};

const struct ctx_lint_kind ctx_lint_responses = {
    .shape = LINT_ITEMS,
    .check = check_responses,
    .params = ctx_responses_lint_params,
    .steps = responses_steps,
    .is_item = is_response_item,
    .parse = parse_response_item,
    .sibling = CTX_PROVIDER_NONE,
    .parts = "content",
    .user = "{\"role\":\"user\",\"content\":\"%s\"}",
    .call_id = "call_id",
    .result_id = "call_id",
    .orphan = "re-orphan-output",
    .unanswered = "re-unanswered-call",
    .refers = responses_refers,
    .put_result = put_missing_output,
};
