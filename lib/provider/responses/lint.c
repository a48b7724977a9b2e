/* Rules of Responses. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

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

void
ctx_lint_responses(struct lint_doc *d)
{
	check_responses_pairs(d);
	for (size_t i = 0; d->shape == LINT_ITEMS && i < d->n; i++)
		if (ctx_lint_dangling(d, i))
			ctx_lint_note(d, "re-reasoning-pair", true, i,
			    "a reasoning item without the item that it led to");
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
