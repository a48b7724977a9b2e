/* Lint rules for requests to OpenAI's Chat Completions. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/openai/lint.h"

#define SPEAKER_MOST 64

/* The current group: an assistant message and the results that follow it. */
struct group {
	struct lint_doc *d;
	/* index of the assistant message, LINT_NO_ITEM if no group is open */
	size_t item;
	int *calls, *results; /* counts in this group, by id */
};

static void
open_group(struct group *g, size_t item)
{
	const struct lint_item *it = &g->d->items[item];

	LINT_EACH_PART(p, g->d, it)
		if (p->type == LINT_CALL && p->id >= 0)
			g->calls[p->id]++;
	g->item = item;
}

static void
close_group(struct group *g, bool report)
{
	const struct lint_item *it;

	if (g->item == LINT_NO_ITEM)
		return;
	it = &g->d->items[g->item];
	LINT_EACH_PART(p, g->d, it) {
		if (p->type != LINT_CALL)
			continue;
		if (report && (p->id < 0 || g->results[p->id] < g->calls[p->id]))
			ctx_lint_note(g->d, "oa-unanswered-call", true, g->item,
			    "tool call %.*s has no result before the next message",
			    LINT_KEY(p));
		if (p->id >= 0)
			g->calls[p->id] = g->results[p->id] = 0;
	}
	g->item = LINT_NO_ITEM;
}

static void
check_openai_result(struct group *g, size_t item, const struct lint_part *p)
{
	if (g->item == LINT_NO_ITEM || p->id < 0 || g->calls[p->id] == 0)
		ctx_lint_note(g->d, "oa-orphan-result", true, item,
		    "the result of tool call %.*s has no matching call in the assistant message before it",
		    LINT_KEY(p));
	else if (++g->results[p->id] > g->calls[p->id])
		ctx_lint_note(g->d, "oa-unanswered-call", true, item,
		    "tool call %.*s has more than one result", LINT_KEY(p));
}

static void
check_openai_pairs(struct lint_doc *d)
{
	struct group g = {d, LINT_NO_ITEM, NULL, NULL};

	g.calls = ctx_mem_new(d->n_ids * sizeof(*g.calls));
	g.results = ctx_mem_new(d->n_ids * sizeof(*g.results));
	LINT_EACH_ITEM(i, d) {
		const struct lint_item *it = &d->items[i];
		if (it->n == 0 || it->role == LINT_ASSISTANT)
			close_group(&g, true);
		LINT_EACH_PART(p, d, it) {
			if (p->type == LINT_RESULT)
				check_openai_result(&g, i, p);
			else
				close_group(&g, true);
		}
		if (it->role == LINT_ASSISTANT &&
		    ctx_lint_first_part(d, it, LINT_CALL) != NULL)
			open_group(&g, i);
	}
	close_group(&g, d->request);
	free(g.calls);
	free(g.results);
}

static void
check_openai_messages(struct lint_doc *d)
{
	bool begun = false;

	LINT_EACH_ITEM(i, d) {
		const struct lint_item *it = &d->items[i];
		if (it->role == LINT_SYSTEM && begun)
			ctx_lint_note(d, "oa-system-first", false, i,
			    "a system message follows other messages: some compatible servers accept it only at the start");
		begun |= it->role != LINT_SYSTEM;
		if (it->role == LINT_ASSISTANT && it->n == 0)
			ctx_lint_note(d, "oa-empty-assistant", true, i,
			    "an assistant message has neither content nor tool calls");
	}
}

static void
check_speakers(struct lint_doc *d)
{
	if (d->shape != LINT_MESSAGES)
		return;
	LINT_EACH_ITEM(i, d) {
		const struct lint_item *it = &d->items[i];
		struct ctx_buf tmp = CTX_BUF_INIT;
		struct ctx_span name = ctx_json_text(
		    ctx_json_get(it->message, "name"), &tmp);
		if (name.p != NULL && it->role != LINT_NO_ROLE &&
		    !ctx_lint_plain_name(name, SPEAKER_MOST))
			ctx_lint_note(d, "oa-name", d->request, i,
			    "the message's \"name\" must contain only letters, digits, '_' and '-', at most %d characters",
			    SPEAKER_MOST);
		ctx_buf_release(&tmp);
	}
}

static void
check_openai(struct lint_doc *d)
{
	enum lint_role last = d->n > 0 ? d->items[d->n - 1].role : LINT_NO_ROLE;

	check_speakers(d);
	check_openai_pairs(d);
	check_openai_messages(d);
	ctx_lint_unique(d, "oa-call-id-unique");
	if (d->request && last != LINT_USER && last != LINT_TOOL)
		ctx_lint_note(d, "oa-last-role", last != LINT_SYSTEM,
		    d->n > 0 ? d->n - 1 : LINT_NO_ITEM,
		    "the last message must have the role user or tool");
}

static const struct lint_step openai_steps[] = {
    {"oa-empty-assistant", ctx_lint_fix_empty_assistant, NULL},
    {"oa-call-id-unique", ctx_lint_fix_ids, NULL},
    {"oa-orphan-result", ctx_lint_fix_pairs, NULL},
    {"oa-unanswered-call", ctx_lint_fix_pairs, NULL},
    {"oa-last-role", ctx_lint_fix_ends, NULL},
    {NULL, NULL, NULL},
};

const struct ctx_lint_kind ctx_lint_openai = {
    .shape = LINT_MESSAGES,
    .check = check_openai,
    .params = ctx_openai_lint_params,
    .steps = openai_steps,
    .sibling = CTX_PROVIDER_RESPONSES,
    .parts = "content",
    .user = "{\"role\":\"user\",\"content\":\"%s\"}",
    .apart = true,
    .any_start = true,
};
