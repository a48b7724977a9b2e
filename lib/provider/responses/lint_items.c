/* Lint rules for items that Responses refuses, or that the reference says not to send
 * (API reference, "Create a response"; guides "Compaction", "Using GPT-6"). */
#include <string.h>

#include "json/json.h"
#include "provider/responses/lint.h"

#define ID_MAX 64 /* maximum length of an item's id in characters */

/* Checks that an item's id begins with the prefix of its type. The prefixes come from
 * error messages of the live service that several clients have reported. */
static void
check_item_id(struct lint_doc *d, size_t i, struct ctx_span item)
{
	static const struct {
		const char *type, *prefix;
	} ids[] = {{"function_call", "fc"}, {"custom_tool_call", "ctc"},
	    {"web_search_call", "ws"}, {"message", "msg"}, {"reasoning", "rs"}};
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span id = ctx_json_text(ctx_json_get(item, "id"), &tmp);

	if (id.n > ID_MAX)
		ctx_lint_note(d, "re-item-id", false, i,
		    "the item's id is longer than %d characters", ID_MAX);
	for (size_t k = 0; id.p != NULL && k < sizeof(ids) / sizeof(ids[0]); k++)
		if (ctx_json_has_type(item, ids[k].type) &&
		    (id.n < strlen(ids[k].prefix) ||
			memcmp(id.p, ids[k].prefix, strlen(ids[k].prefix)) != 0))
			ctx_lint_note(d, "re-item-id", false, i,
			    "the id of a %s must begin with \"%s\": correct or remove it",
			    ids[k].type, ids[k].prefix);
	ctx_buf_release(&tmp);
}

static void
check_reasoning(struct lint_doc *d, size_t i, struct ctx_span item)
{
	struct ctx_span content = ctx_json_get(item, "encrypted_content");

	if (ctx_json_get(item, "summary").p == NULL)
		ctx_lint_note(
		    d, "re-reasoning", true, i, "a reasoning item has no \"summary\"");
	/* a warning only: clients send such items */
	if (ctx_json_get(item, "id").p == NULL)
		ctx_lint_note(
		    d, "re-reasoning", false, i, "a reasoning item has no \"id\"");
	if (ctx_json_type(content) != CTX_JSON_STRING &&
	    ctx_span_is(ctx_json_get(d->body, "store"), "false"))
		ctx_lint_note(d, "re-reasoning", false, i,
		    "a reasoning item has no \"encrypted_content\", and \"store\" is false, so the provider cannot find it: remove it");
}

/* Checks that a call made by a program follows that program in the request. */
static void
check_caller(struct lint_doc *d, size_t i, struct ctx_span item)
{
	struct ctx_span caller = ctx_json_get(item, "caller");
	struct ctx_span id = ctx_json_get(caller, "caller_id");

	if (!ctx_json_has_type(caller, "program") || ctx_lint_kind(d->rules)->refers(d))
		return;
	for (size_t k = 0; k < i; k++)
		if (ctx_json_has_type(d->items[k].message, "program") &&
		    ctx_json_get(d->items[k].message, "fingerprint").p != NULL &&
		    (ctx_span_eq(ctx_json_get(d->items[k].message, "id"), id) ||
			ctx_span_eq(ctx_json_get(d->items[k].message, "call_id"), id)))
			return;
	ctx_lint_note(d, "re-program", true, i,
	    "the call was made by a program, but no \"program\" item with a \"fingerprint\" precedes it");
}

static void
check_content_items(struct lint_doc *d, size_t i)
{
	CTX_JSON_EACH(it, d->items[i].content)
		if (ctx_json_has_type(it.value, "input_image") &&
		    ctx_json_type(ctx_json_get(it.value, "image_url")) == CTX_JSON_OBJECT)
			ctx_lint_note(d, "re-image-url", true, i,
			    "the \"image_url\" of an input_image must be a string, not an object");
}

static void
check_item(struct lint_doc *d, size_t i)
{
	struct ctx_span item = d->items[i].message;

	check_item_id(d, i, item);
	check_content_items(d, i);
	if (ctx_json_has_type(item, "reasoning"))
		check_reasoning(d, i, item);
	if (ctx_json_has_type(item, "function_call") ||
	    ctx_json_has_type(item, "custom_tool_call")) {
		check_caller(d, i, item);
		if (ctx_json_is(ctx_json_get(item, "status"), "incomplete"))
			ctx_lint_note(d, "re-half-call", false, i,
			    "an incomplete tool call must not be sent back: remove the call");
	}
	if (ctx_json_has_type(item, "function_call") &&
	    ctx_json_type(ctx_json_get(item, "arguments")) != CTX_JSON_STRING)
		ctx_lint_note(d, "re-call-arguments", true, i,
		    "the \"arguments\" of a function_call must be a string");
	if (ctx_json_has_type(item, "compaction_trigger") && i + 1 < d->n)
		ctx_lint_note(d, "re-compaction-trigger", true, i,
		    "\"compaction_trigger\" must be the last item");
	if (ctx_json_has_type(item, "configuration_update") && i > 0 &&
	    ctx_json_has_type(d->items[i - 1].message, "configuration_update"))
		ctx_lint_note(d, "re-configuration-update", false, i,
		    "two \"configuration_update\" items are adjacent");
}

void
ctx_responses_lint_items(struct lint_doc *d)
{
	if (d->shape == LINT_ITEMS)
		LINT_EACH_ITEM(i, d)
			check_item(d, i);
}
