/* Lint rules for requests to Anthropic's Messages API. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/anthropic/lint.h"
#include "record/calls.h"
#include "record/message.h"

/* For one assistant turn: how many calls and how many results have each id. */
struct pairs {
	struct lint_doc *d;
	int *calls, *results;
};

static size_t
parts_end(const struct lint_item *it)
{
	return it->first + it->n;
}

static void
count_calls(struct pairs *c, const struct lint_turn *t, int by)
{
	for (size_t i = t->first; i < t->end; i++) {
		const struct lint_item *it = &c->d->items[i];
		if (!it->skip)
			LINT_EACH_PART(p, c->d, it) {
				if (p->type == LINT_CALL && p->id >= 0) {
					c->calls[p->id] = by > 0 ? c->calls[p->id] + by
								 : 0;
					c->results[p->id] = 0;
				}
			}
	}
}

static void
check_anthropic_result(
    struct pairs *c, size_t item, const struct lint_part *p, bool leading)
{
	if (p->id < 0 || c->calls[p->id] == 0)
		ctx_lint_note(c->d, "an-orphan-result", true, item,
		    "the result of tool call %.*s has no matching call in the previous message",
		    LINT_KEY(p));
	else if (++c->results[p->id] > c->calls[p->id])
		ctx_lint_note(c->d, "an-result-next", true, item,
		    "tool call %.*s has more than one result", LINT_KEY(p));
	else if (!leading)
		ctx_lint_note(c->d, "an-result-next", true, item,
		    "the result of tool call %.*s must come before the other content of the message",
		    LINT_KEY(p));
}

/* Checks the results of a turn. True if the turn holds nothing but results. */
static bool
read_results(struct pairs *c, const struct lint_turn *t)
{
	bool leading = true;

	for (size_t i = t->first; i < t->end; i++) {
		const struct lint_item *it = &c->d->items[i];
		if (!ctx_lint_in_turn(c->d, it))
			continue;
		leading = leading && it->n > 0;
		LINT_EACH_PART(p, c->d, it) {
			if (p->type != LINT_RESULT)
				leading = false;
			else
				check_anthropic_result(c, i, p, leading && !t->assistant);
		}
	}
	return leading;
}

static void
note_anthropic_unanswered(struct pairs *c, const struct lint_turn *t)
{
	for (size_t i = t->first; i < t->end; i++) {
		const struct lint_item *it = &c->d->items[i];
		if (!it->skip)
			LINT_EACH_PART(p, c->d, it) {
				if (p->type == LINT_CALL &&
				    (p->id < 0 || c->results[p->id] < c->calls[p->id]))
					ctx_lint_note(c->d, "an-result-next", true, i,
					    "tool call %.*s has no result in the next message",
					    LINT_KEY(p));
			}
	}
}

static void
check_anthropic_pairs(struct lint_doc *d, const struct lint_turn *t, size_t n)
{
	struct pairs c = {d, NULL, NULL};

	c.calls = ctx_mem_new(d->n_ids * sizeof(*c.calls));
	c.results = ctx_mem_new(d->n_ids * sizeof(*c.results));
	for (size_t i = 0; i < n; i++) {
		bool only = true;
		if (!t[i].assistant)
			continue;
		count_calls(&c, &t[i], 1);
		if (i + 1 < n && !t[i + 1].assistant)
			only = read_results(&c, &t[i + 1]);
		if (d->request || i + 2 < n || !only ||
		    (i + 2 == n && t[i + 1].assistant))
			note_anthropic_unanswered(&c, &t[i]);
		count_calls(&c, &t[i], 0);
	}
	/* results in turns that follow no assistant turn */
	for (size_t i = 0; i < n; i++)
		if (t[i].assistant || i == 0 || !t[i - 1].assistant)
			read_results(&c, &t[i]);
	free(c.calls);
	free(c.results);
}

static void
check_anthropic_content(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i];
	bool content = false;

	LINT_EACH_PART(p, d, it)
		content |= p->type != LINT_TEXT || !p->blank;
	if (!content)
		ctx_lint_note(d, "an-nonempty", true, i, "the message has no content");
	if (content)
		LINT_EACH_PART(p, d, it) {
			if (p->type == LINT_TEXT && p->blank && p->block)
				ctx_lint_note(d, "an-nonempty", true, i,
				    "a text block has no text");
			if (p->type == LINT_RESULT && p->empty)
				ctx_lint_note(d, "an-nonempty", true, i,
				    "the result of tool call %.*s has an empty content list or an empty text block",
				    LINT_KEY(p));
		}
}

/* True if the message ends with the result of a provider-run tool. */
static bool
ends_in_server_result(const struct lint_doc *d, const struct lint_item *it)
{
	return it->n > 0 && ctx_server_item_is_result(d->parts[parts_end(it) - 1].raw);
}

/* Checks the place of a system message in "messages". It must follow a user message, or
 * an answer that ends with the result of a provider-run tool, and must be the last
 * message or precede an assistant message. A system message without content, which only
 * changes the effort, may be anywhere. Adjacent system messages count as one. */
static void
check_system_place(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i], *before;
	size_t from = i, to = i + 1;
	bool told = ctx_json_get(it->message, "output_config").p != NULL;

	if (it->n == 0 && !told)
		ctx_lint_note(d, "an-system-place", true, i,
		    "a system message has neither content nor \"output_config\"");
	if (it->n == 0)
		return;
	while (from > 0 && d->items[from - 1].role == LINT_SYSTEM)
		from--;
	while (to < d->n && d->items[to].role == LINT_SYSTEM)
		to++;
	before = from == 0 ? NULL : &d->items[from - 1];
	if (before == NULL)
		ctx_lint_note(d, "an-system-place", true, i,
		    "a system message cannot be the first message: put its text into \"system\"");
	else if (before->role == LINT_ASSISTANT && !ends_in_server_result(d, before))
		ctx_lint_note(d, "an-system-place", true, i,
		    "a system message follows an assistant message: it must follow a user message");
	else if (to < d->n && d->items[to].role != LINT_ASSISTANT)
		ctx_lint_note(d, "an-system-place", true, i,
		    "a system message precedes a user message: it must be the last message or precede an assistant message");
}

/* A system message with "clear_at" may hold nothing but text. */
static void
check_clear_at(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i];
	bool plain = ctx_json_get(it->message, "output_config").p == NULL;

	if (ctx_json_get(it->message, "clear_at").p == NULL)
		return;
	if (it->role != LINT_SYSTEM) {
		ctx_lint_note(d, "an-clear-at", true, i,
		    "\"clear_at\" is only allowed on system messages");
		return;
	}
	if (!ctx_json_is(ctx_json_get(it->message, "clear_at"), "never") &&
	    !ctx_json_is(ctx_json_get(it->message, "clear_at"), "next_user_message"))
		ctx_lint_note(d, "an-clear-at", true, i,
		    "\"clear_at\" must be \"never\" or \"next_user_message\"");
	for (size_t k = it->first; k < parts_end(it); k++)
		plain = plain && d->parts[k].type == LINT_TEXT &&
			ctx_json_get(d->parts[k].raw, "cache_control").p == NULL;
	if (!plain)
		ctx_lint_note(d, "an-clear-at", true, i,
		    "a message with \"clear_at\" may contain only text, without cache marks or \"output_config\"");
}

static void
check_anthropic_roles(struct lint_doc *d)
{
	bool begun = false, told = false;

	LINT_EACH_ITEM(i, d) {
		const struct lint_item *it = &d->items[i];
		bool foreign = it->role != LINT_USER && it->role != LINT_ASSISTANT;
		check_clear_at(d, i);
		if (d->request && it->role == LINT_SYSTEM && d->inside == CTX_MODEL_YES)
			check_system_place(d, i);
		else if (d->request && foreign)
			ctx_lint_note(d, "an-no-tool-role",
			    it->role != LINT_SYSTEM || d->inside == CTX_MODEL_UNKNOWN ||
				!d->inside_unsure,
			    i, "a message must have the role user or assistant");
		/* a warning only: a stored history is converted when it is rendered */
		else if (foreign && !told && it->role != LINT_NO_ROLE &&
			 (begun || it->role != LINT_SYSTEM)) {
			ctx_lint_note(d, "an-no-tool-role", false, i,
			    "the history must be converted before it is sent: a message must have the role user or assistant");
			told = true;
		}
		begun |= it->role != LINT_SYSTEM;
		if (it->role != LINT_SYSTEM)
			check_anthropic_content(d, i);
	}
}

static bool
trailing_space(struct ctx_span string)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s = ctx_json_text(string, &tmp);
	bool space = s.n > 0 && strchr(" \t\r\n\v\f", s.p[s.n - 1]) != NULL &&
		     s.p[s.n - 1] != '\0';

	ctx_buf_release(&tmp);
	return space;
}

/* True if the answer was paused while the provider ran tools. Such an answer is sent back
 * as the last message (Anthropic, "Handling stop reasons", pause_turn). */
static bool
is_paused(const struct lint_doc *d, const struct lint_item *it)
{
	LINT_EACH_PART(p, d, it)
		if (ctx_server_item_is_call(p->raw))
			return true;
	return false;
}

/* True if the message begins with a compaction block: the summary of earlier messages
 * (Anthropic, "Compaction on demand"). */
static bool
begins_with_compaction(const struct lint_doc *d, const struct lint_item *it)
{
	return it->n > 0 && ctx_json_has_type(d->parts[it->first].raw, "compaction");
}

static void
check_ends(struct lint_doc *d)
{
	size_t last = d->n - 1;
	const struct lint_item *it;

	if (d->n == 0) {
		ctx_lint_note(
		    d, "an-first-user", true, LINT_NO_ITEM, "there are no messages");
		return;
	}
	if (d->items[0].role == LINT_ASSISTANT &&
	    !begins_with_compaction(d, &d->items[0]))
		ctx_lint_note(d, "an-first-user", true, 0,
		    "the first message must have the role user");
	for (size_t i = 1; i < d->n; i++)
		if (d->items[i].role == d->items[i - 1].role &&
		    !begins_with_compaction(d, &d->items[i - 1]) &&
		    (d->items[i].role == LINT_USER || d->items[i].role == LINT_ASSISTANT))
			ctx_lint_note(d, "an-alternate", true, i,
			    "two adjacent messages have the same role");
	it = &d->items[last];
	if (it->role != LINT_ASSISTANT || is_paused(d, it))
		return;
	if (!d->prefill)
		ctx_lint_note(d, "an-last-user", true, last,
		    "the last message must have the role user");
	if (it->n > 0 && d->parts[parts_end(it) - 1].type == LINT_TEXT &&
	    trailing_space(d->parts[parts_end(it) - 1].body))
		ctx_lint_note(d, "an-trailing-space", true, last,
		    "the last message must not end in white space, because it is an assistant message");
}

/* True if thinking is enabled, but the answer of the running tool loop does not begin
 * with a thinking block. */
bool
ctx_lint_lost_thinking(const struct lint_doc *d)
{
	const struct lint_item *it;

	if (!ctx_json_has_type(d->thinking, "enabled") || d->n < 2 ||
	    ctx_lint_first_part(d, &d->items[d->n - 1], LINT_RESULT) == NULL)
		return false;
	it = &d->items[d->n - 2];
	return it->role == LINT_ASSISTANT &&
	       ctx_lint_first_part(d, it, LINT_CALL) != NULL &&
	       d->parts[it->first].type != LINT_THINKING;
}

bool
ctx_lint_unsigned(const struct lint_doc *d CTX_UNUSED, const struct lint_part *p,
    const void *unused CTX_UNUSED)
{
	return p->type == LINT_THINKING &&
	       (ctx_json_type(p->sign) != CTX_JSON_STRING || p->sign.n <= 2);
}

static void
check_anthropic_thinking_parts(struct lint_doc *d)
{
	for (size_t i = 0; i < d->n; i++)
		LINT_EACH_PART(p, d, &d->items[i])
			if (ctx_lint_unsigned(d, p, NULL))
				ctx_lint_note(d, "an-thinking", true, i,
				    "a thinking block has no signature");
	if (ctx_lint_lost_thinking(d))
		ctx_lint_note(d, "an-thinking", true, d->n - 2,
		    "thinking is enabled, but the last assistant message of the current tool loop does not start with a thinking block");
}

static void
check_anthropic_request(struct lint_doc *d)
{
	bool used = false;

	check_ends(d);
	check_anthropic_thinking_parts(d);
	CTX_JSON_EACH(it, d->system) {
		struct ctx_span text = ctx_json_get(it.value, "text");
		if (it.object || !ctx_json_has_type(it.value, "text"))
			continue;
		if (ctx_message_blank(text))
			ctx_lint_note(d, "an-nonempty", true, LINT_NO_ITEM,
			    "a block of \"system\" has no text");
	}
	for (size_t i = 0; i < d->n && !used; i++)
		used = ctx_lint_first_part(d, &d->items[i], LINT_CALL) != NULL ||
		       ctx_lint_first_part(d, &d->items[i], LINT_RESULT) != NULL;
	if (used && ctx_json_first(ctx_json_get(d->body, "tools")).p == NULL)
		ctx_lint_note(d, "an-tools-sent", false, LINT_NO_ITEM,
		    "the messages contain tool calls or results, but the body has no \"tools\"");
}

static void
check_anthropic(struct lint_doc *d)
{
	size_t n;
	struct lint_turn *turns = ctx_lint_turns(d, &n);

	check_anthropic_pairs(d, turns, n);
	check_anthropic_roles(d);
	ctx_lint_unique(d, "an-id-unique");
	ctx_lint_server(d);
	if (d->request) {
		check_anthropic_request(d);
		ctx_anthropic_lint_blocks(d);
	}
	free(turns);
}

static const struct lint_step anthropic_steps[] = {
    {"an-no-tool-role", ctx_lint_fix_roles, NULL},
    {"an-nonempty", ctx_lint_fix_blank, NULL},
    {"an-alternate", ctx_lint_fix_merge, NULL},
    {"an-id-unique", ctx_lint_fix_ids, NULL},
    {"an-orphan-result", ctx_lint_fix_pairs, NULL},
    {"an-result-next", ctx_lint_fix_pairs, NULL},
    {"an-server-tool", ctx_lint_fix_server, NULL},
    {"an-cache-marks", ctx_anthropic_fix_blocks, NULL},
    {"an-compaction", ctx_anthropic_fix_blocks, NULL},
    {"an-toolset", ctx_anthropic_fix_blocks, NULL},
    {"an-thinking", ctx_lint_fix_thinking, NULL},
    {"an-first-user", ctx_lint_fix_ends, NULL},
    {"an-last-user", ctx_lint_fix_ends, NULL},
    {NULL, NULL, NULL},
};

const struct ctx_lint_kind ctx_lint_anthropic = {
    .shape = LINT_MESSAGES,
    .check = check_anthropic,
    .params = ctx_anthropic_lint_params,
    .steps = anthropic_steps,
    .limits = ctx_anthropic_lint_limits,
    .required = ctx_anthropic_lint_required,
    .sibling = CTX_PROVIDER_NONE,
    .parts = "content",
    .user = "{\"role\":\"user\",\"content\":\"%s\"}",
    .blocks = true,
    .results_next = true,
    .by_turns = true,
};
