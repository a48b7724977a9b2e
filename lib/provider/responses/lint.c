/* Rules of Responses. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/responses/lint.h"
#include "record/client_item.h"

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
	if (ctx_json_is(v[TYPE], "function_call") ||
	    ctx_json_is(v[TYPE], "custom_tool_call")) {
		p->type = LINT_CALL;
		p->custom = ctx_json_is(v[TYPE], "custom_tool_call");
		p->key = v[CALL_ID];
		p->name = v[NAME];
		p->body = p->custom ? v[INPUT] : v[ARGUMENTS];
	} else if (ctx_json_is(v[TYPE], "function_call_output") ||
		   ctx_json_is(v[TYPE], "custom_tool_call_output")) {
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

/* Items that the server adds: calls may be among them. */
bool
ctx_lint_refers(const struct lint_doc *d)
{
	if (ctx_json_type(ctx_json_get(d->body, "previous_response_id")) ==
		CTX_JSON_STRING ||
	    ctx_json_type(ctx_json_get(d->body, "conversation")) > CTX_JSON_NULL)
		return true;
	for (size_t i = 0; d->shape == LINT_ITEMS && i < d->n; i++)
		if (ctx_json_is(
			ctx_json_get(d->items[i].message, "type"), "item_reference"))
			return true;
	return false;
}

/* The last part that is neither a call nor a result nor reasoning, plus one: behind it
 * a history may be open. */
size_t
ctx_lint_open_end(const struct lint_doc *d)
{
	size_t end = 0;

	if (d->request)
		return d->n_parts;
	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		for (size_t k = it->first; !it->skip && k < it->first + it->n; k++) {
			enum lint_part_type type = d->parts[k].type;
			bool own = it->role == LINT_ASSISTANT &&
				   d->shape == LINT_MESSAGES;
			if (type != LINT_CALL && type != LINT_RESULT &&
			    type != LINT_THINKING)
				end = own ? it->first : k + 1;
		}
		if (!it->skip && it->n == 0)
			end = it->first;
	}
	return end;
}

static void
check_responses_pairs(struct lint_doc *d)
{
	int *open = ctx_mem_new(d->n_ids * sizeof(*open));
	bool stored = ctx_lint_refers(d);
	size_t end = ctx_lint_open_end(d);

	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		for (size_t k = it->first; !it->skip && k < it->first + it->n; k++) {
			const struct lint_part *p = &d->parts[k];
			if (p->type == LINT_CALL && p->id >= 0)
				open[p->id]++;
			if (p->type != LINT_RESULT)
				continue;
			if (p->id >= 0 && open[p->id] > 0)
				open[p->id]--;
			else if (!stored || p->id < 0)
				ctx_lint_note(d, "re-orphan-output", true, i,
				    "output %.*s has no call of its own before it",
				    LINT_KEY(p));
		}
	}
	for (size_t i = d->n; i-- > 0;) { /* of calls with one id the last are open */
		const struct lint_item *it = &d->items[i];
		for (size_t k = it->first + it->n; !it->skip && k-- > it->first;) {
			const struct lint_part *p = &d->parts[k];
			if (p->type != LINT_CALL || (p->id >= 0 && open[p->id] == 0))
				continue;
			if (p->id >= 0)
				open[p->id]--;
			if (ctx_json_true(ctx_json_get(p->raw, "async")))
				continue; /* its output may come turns later */
			if (k < end)
				ctx_lint_note(d, "re-unanswered-call", true, i,
				    "call %.*s has no output", LINT_KEY(p));
		}
	}
	free(open);
}

static void
check_responses(struct lint_doc *d)
{
	check_responses_pairs(d);
	for (size_t i = 0; d->shape == LINT_ITEMS && i < d->n; i++)
		if (ctx_lint_dangling(d, i))
			ctx_lint_note(d, "re-reasoning-pair", true, i,
			    "a reasoning item without the item that it led to");
	if (d->request)
		ctx_responses_lint_items(d);
}

/* Is item i reasoning that nothing of the model's follows? At the open end of a history
 * the rest may yet come. */
bool
ctx_lint_dangling(const struct lint_doc *d, size_t i)
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
is_response_item(struct ctx_span v)
{
	static const char *const types[] = {"function_call", "function_call_output",
	    "custom_tool_call", "custom_tool_call_output", "reasoning", "item_reference"};
	struct ctx_span type = ctx_json_get(v, "type");

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (ctx_json_is(type, types[i]))
			return true;
	return false;
}

static const struct lint_step responses_steps[] = {
    {"re-orphan-output", ctx_lint_fix_items},
    {"re-unanswered-call", ctx_lint_fix_items},
    {"re-orphan-output", ctx_lint_fix_pairs},
    {"re-unanswered-call", ctx_lint_fix_pairs},
    {"re-reasoning-pair", ctx_lint_fix_reasoning},
    {NULL, NULL},
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
};
