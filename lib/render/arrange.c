/* Arranges the messages of a body, in the same way for all providers: which message goes
 * where, and which messages cannot be sent. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/compaction.h"
#include "render/internal.h"

int
ctx_render_refuse(struct render *r, size_t item, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (item != RENDER_NONE && r->items[item].seq >= 0)
		return ctx_err_set(r->err, CTX_EANSWER, "message %" PRId64 ": %s",
		    r->items[item].seq, text);
	if (item != RENDER_NONE)
		return ctx_err_set(
		    r->err, CTX_EANSWER, "message at position %zu: %s", item + 1, text);
	return ctx_err_set(r->err, CTX_EANSWER, "%s", text);
}

/* Marks the blocks of unknown type that the request's provider itself returned: they can
 * be sent back. A call that a limit cut off is stored as a block of ctx's own
 * (answer/cut.c) and is not marked. */
static void
mark_native(struct render *r, size_t item)
{
	struct ctx_message *m = &r->msgs[item];
	struct ctx_span made = ctx_json_get(r->items[item].metadata, "provider");
	bool own = m->role == CTX_ROLE_ASSISTANT &&
		   ctx_json_is(made, ctx_provider_name(r->o->provider));

	for (size_t i = 0; own && i < m->n; i++)
		m->parts[i].native = m->parts[i].type == CTX_PART_OTHER &&
				     !m->parts[i].stray &&
				     ctx_json_type(m->parts[i].raw) == CTX_JSON_OBJECT &&
				     !ctx_json_is(ctx_json_get(m->parts[i].raw, "type"),
					 "cut_call");
}

bool
ctx_render_tell_compaction(struct ctx_span message, struct ctx_buf *out)
{
	static const char header[] = "Summary of the earlier conversation:\n";
	struct ctx_buf text = CTX_BUF_INIT, tmp = CTX_BUF_INIT;
	struct ctx_span block;
	int provider = ctx_compaction_find(message, &block);
	bool readable = provider >= 0 && ctx_compaction_text(block, &tmp);

	if (provider >= 0) {
		ctx_buf_adds(&text, header);
		if (readable)
			ctx_json_decode(ctx_buf_span(&tmp), &text);
		else
			ctx_buf_addf(&text, "(only %s can read this summary)",
			    ctx_provider_name((enum ctx_provider)provider));
		ctx_json_print(out, "{'role':'user','content':%t}", ctx_buf_span(&text));
	}
	ctx_buf_release(&text);
	ctx_buf_release(&tmp);
	return readable;
}

/* A summary made by the request's provider is sent back unchanged. For other providers
 * its text is sent, if it is readable. */
static int
tell_compaction(struct render *r, size_t item, struct ctx_span *json)
{
	struct ctx_span block;
	int provider;

	if (r->items[item].slot != CTX_SLOT_SUMMARY)
		return 0;
	provider = ctx_compaction_find(*json, &block);
	if (provider < 0 || (enum ctx_provider)provider == r->o->provider)
		return 0;
	if (!ctx_render_tell_compaction(*json, &r->flat[item]))
		return ctx_render_refuse(r, item,
		    "only %s can read this summary (ctx-summarize --undo restores the messages)",
		    ctx_provider_name((enum ctx_provider)provider));
	*json = ctx_buf_span(&r->flat[item]);
	return 0;
}

static int
parse_arranged_items(struct render *r)
{
	const char *flaw;

	r->msgs = ctx_mem_new(r->n_items * sizeof(*r->msgs));
	r->flat = ctx_mem_new(r->n_items * sizeof(*r->flat));
	for (size_t i = 0; i < r->n_items; i++) {
		struct ctx_span json = r->items[i].message;
		if (json.n > 0 && (memchr(json.p, '\n', json.n) != NULL ||
				      memchr(json.p, '\r', json.n) != NULL)) {
			ctx_json_minify(json, &r->flat[i]);
			json = ctx_buf_span(&r->flat[i]);
		} else if (tell_compaction(r, i, &json) < 0) {
			return -1;
		}
		if (ctx_message_parse(&r->msgs[i], json, r->err) < 0) {
			if (r->items[i].seq >= 0)
				return ctx_err_prefix(
				    r->err, "message %" PRId64, r->items[i].seq);
			return ctx_err_prefix(r->err, "message at position %zu", i + 1);
		}
		mark_native(r, i);
		flaw = ctx_message_flaw(&r->msgs[i]);
		if (flaw != NULL)
			return ctx_render_refuse(r, i, "%s", flaw);
	}
	return 0;
}

static void
take_system(struct render *r, enum ctx_slot slot, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (r->items[i].slot == slot && ctx_render_is_system(r, i) &&
		    ctx_render_says_system(r, i))
			r->system[r->n_system++] = i;
}

/* Orders the system text from the least to the most variable part, so that the provider's
 * prompt cache remains usable: prefix, the system messages that open the history,
 * summary. Later system messages are not moved: the messages before them were written
 * without them. */
static void
order_system(struct render *r)
{
	size_t opening = 0;

	r->system = ctx_mem_new(r->n_items * sizeof(*r->system));
	while (opening < r->n_items && (r->items[opening].slot != CTX_SLOT_HISTORY ||
					   ctx_render_is_system(r, opening)))
		opening++;
	take_system(r, CTX_SLOT_PREFIX, 0, r->n_items);
	take_system(r, CTX_SLOT_HISTORY, 0, opening);
	take_system(r, CTX_SLOT_SUMMARY, 0, r->n_items);
	r->opening = opening;
}

/* True for a system message after the opening of the history, or one that was added for a
 * message. */
static bool
is_later(const struct render *r, size_t i)
{
	return (r->items[i].inside ||
		   (r->items[i].slot == CTX_SLOT_HISTORY && i >= r->opening)) &&
	       ctx_render_says_system(r, i);
}

/* An answer whose tool calls have results must be sent in any case. */
bool
ctx_render_is_withheld(const struct render *r, size_t i)
{
	if (r->token.p != NULL && i >= r->continued &&
	    r->items[i].slot == CTX_SLOT_HISTORY)
		return true;
	return r->items[i].withheld != NULL && !r->o->transcript &&
	       r->msgs[i].role == CTX_ROLE_ASSISTANT &&
	       ctx_message_count(&r->msgs[i], CTX_PART_TOOL_CALL) == 0;
}

static bool
is_compaction(const struct render *r, size_t item, struct ctx_span *block)
{
	return r->items[item].slot == CTX_SLOT_SUMMARY &&
	       ctx_compaction_find(r->msgs[item].json, block) >= 0;
}

/* True if the summary's block is also part of an answer in the history. The provider
 * ignores everything before that block. */
static bool
stands_in_answer(const struct render *r, size_t item)
{
	struct ctx_span block, own;

	if (!is_compaction(r, item, &block))
		return false;
	for (size_t i = 0; i < r->n_items; i++)
		if (r->items[i].slot == CTX_SLOT_HISTORY &&
		    ctx_compaction_find(r->msgs[i].json, &own) >= 0 &&
		    ctx_span_eq(own, block))
			return true;
	return false;
}

/* For a provider that accepts a system message only after a user message: adds the ones
 * that were made for it just before the next answer. */
static void
order_inside(struct render *r, size_t *first, size_t end)
{
	for (; *first < end; ++*first)
		if (r->items[*first].inside && is_later(r, *first))
			r->order[r->n_order++] = *first;
}

static void
order_messages(struct render *r)
{
	size_t start = r->kind->start == NULL || r->o->transcript ? 0 : r->kind->start(r);
	size_t waits = start;
	struct ctx_span block;

	static const enum ctx_slot slots[] = {
	    CTX_SLOT_PREFIX, CTX_SLOT_SUMMARY, CTX_SLOT_HISTORY};

	r->order = ctx_mem_new(r->n_items * sizeof(*r->order));
	for (size_t s = 0; s < sizeof(slots) / sizeof(slots[0]); s++)
		for (size_t i = 0; i < r->n_items; i++) {
			bool inside = r->items[i].inside &&
				      slots[s] == CTX_SLOT_HISTORY &&
				      !r->kind->system_after;
			if ((!inside && r->items[i].slot != slots[s]) ||
			    (i < start && slots[s] != CTX_SLOT_PREFIX) ||
			    ctx_render_is_withheld(r, i) || stands_in_answer(r, i) ||
			    (ctx_render_is_system(r, i) && !is_later(r, i)))
				continue;
			if (r->kind->system_after && slots[s] == CTX_SLOT_HISTORY &&
			    r->msgs[i].role == CTX_ROLE_ASSISTANT)
				order_inside(r, &waits, i);
			r->order[r->n_order++] = i;
		}
	if (r->kind->system_after)
		order_inside(r, &waits, r->n_items);
	/* A summary covers both sides, so its role can be changed: as a user message it
	 * may come first. */
	for (size_t i = 0; i < r->n_order; i++)
		if (r->items[r->order[i]].slot == CTX_SLOT_SUMMARY &&
		    !is_compaction(r, r->order[i], &block))
			r->msgs[r->order[i]].role = CTX_ROLE_USER;
}

static bool
has_parts(const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (ctx_render_extra_sent(&m->parts[i]))
			return true;
	return false;
}

/* Assigns each volatile item to the next user message that starts a turn, or to the last
 * one if none follows. The targets are ascending, so the items of one message are
 * adjacent. */
static void
place_volatile(struct render *r)
{
	size_t open = 0;

	r->turn = RENDER_NONE;
	r->extra = ctx_mem_new(r->n_items * sizeof(*r->extra));
	for (size_t i = 0; i < r->n_items; i++) {
		if (r->items[i].slot == CTX_SLOT_VOLATILE) {
			if (!r->items[i].inside && has_parts(&r->msgs[i]))
				r->extra[r->n_extra++].item = i;
		} else if (r->items[i].slot == CTX_SLOT_HISTORY &&
			   ctx_message_starts_turn(&r->msgs[i])) {
			r->turn = i;
			while (open < r->n_extra)
				r->extra[open++].target = i;
		}
	}
	while (open < r->n_extra)
		r->extra[open++].target = r->turn;
}

static struct render_node *
add_node(struct render *r, enum node_kind kind, size_t item)
{
	struct render_node *node;

	CTX_MEM_GROW(r->nodes, r->n_nodes, r->cap_nodes);
	node = &r->nodes[r->n_nodes++];
	memset(node, 0, sizeof(*node));
	node->kind = kind;
	node->item = item;
	node->kept = !r->o->in_run || (item != RENDER_NONE && !r->items[item].unbound &&
					  r->items[item].seq > r->o->reasoning_after);
	node->loop = item != RENDER_NONE && r->items[item].slot == CTX_SLOT_HISTORY &&
		     (r->turn == RENDER_NONE || item > r->turn);
	return node;
}

static bool
is_arranged_node_empty(const struct render *r, const struct render_node *node)
{
	const struct ctx_message *m = &r->msgs[node->item];

	if (node->extras > 0)
		return false;
	if (node->kind == NODE_USER && ctx_render_is_system(r, node->item))
		return !ctx_render_says_system(r, node->item);
	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type == CTX_PART_TEXT && node->kind == NODE_ASSISTANT &&
		    r->kind->blank_text && ctx_message_blank(p->body))
			continue;
		if (ctx_render_part_sent(r, node, p))
			return false;
	}
	return !r->kind->blank_text || m->role != CTX_ROLE_ASSISTANT ||
	       ctx_json_type(ctx_json_get(m->json, "audio")) != CTX_JSON_OBJECT;
}

/* Adds the results of the calls since *open. Where the provider joins adjacent messages
 * of one role, the calls of adjacent assistant messages are parallel: all results follow
 * the last of these messages. */
static void
close_calls(struct render *r, size_t *open, size_t upto)
{
	struct render_node *node;

	if (*open == upto)
		return;
	node = add_node(r, NODE_RESULTS, RENDER_NONE);
	node->call = *open;
	node->calls = upto - *open;
	*open = upto;
}

/* Adds the results of async calls where they arrived, if the provider accepts that: what
 * was sent before them then stays unchanged. */
static void
add_async_results(struct render *r, size_t item)
{
	if (!r->kind->async_results)
		return;
	for (size_t k = 0; k < r->n_calls; k++) {
		struct render_node *node;
		if (!r->calls[k].part->async || r->calls[k].result == NULL ||
		    r->calls[k].result_item != item)
			continue;
		node = add_node(r, NODE_RESULTS, RENDER_NONE);
		node->call = k;
		node->calls = 1;
		node->async = true;
	}
}

static void
make_nodes(struct render *r)
{
	size_t extra = 0, call = 0, open = 0;

	for (size_t i = 0; i < r->n_order; i++) {
		size_t item = r->order[i];
		struct render_node *node;
		bool assistant = r->msgs[item].role == CTX_ROLE_ASSISTANT;
		size_t calls = ctx_message_count(&r->msgs[item], CTX_PART_TOOL_CALL);

		if (r->kind->results_apart || !assistant || calls == 0)
			close_calls(r, &open, call);
		if (!assistant &&
		    ctx_message_count(&r->msgs[item], CTX_PART_TOOL_RESULT) > 0)
			add_async_results(r, item);
		if (r->msgs[item].role == CTX_ROLE_TOOL)
			continue;
		node = add_node(r, assistant ? NODE_ASSISTANT : NODE_USER, item);
		node->call = call;
		node->calls = calls;
		node->extra = extra;
		if (!assistant)
			for (; extra < r->n_extra && r->extra[extra].target == item;
			     extra++)
				node->extras++;
		if (is_arranged_node_empty(r, node))
			r->n_nodes--;
		call += calls;
	}
	close_calls(r, &open, call);
}

static int
check_arranged_nodes(struct render *r)
{
	const struct render_node *last;
	struct ctx_span block;
	bool user = false;

	if (r->o->transcript)
		return 0;
	for (size_t i = 0; i < r->n_nodes; i++)
		user |= r->nodes[i].kind == NODE_USER &&
			!ctx_render_is_system(r, r->nodes[i].item);
	if (!user)
		return ctx_render_refuse(r, RENDER_NONE, "no user message to send");
	if (r->nodes[0].kind != NODE_USER && ctx_provider_user_first(r->o->provider) &&
	    (r->nodes[0].kind != NODE_ASSISTANT ||
		ctx_compaction_find(r->msgs[r->nodes[0].item].json, &block) < 0))
		return ctx_render_refuse(
		    r, r->nodes[0].item, "the first message must have the role user");
	last = &r->nodes[r->n_nodes - 1];
	if (r->continued < r->n_items && r->token.p == NULL)
		return ctx_render_refuse(r, last->item,
		    "the answer was interrupted and cannot be continued without a %s: append a user message",
		    ctx_provider_facts(r->o->provider)->continuation);
	if (last->kind == NODE_ASSISTANT && !ctx_render_is_resumed(r, last->item))
		return ctx_render_refuse(r, last->item,
		    "the last message is an assistant message: there is nothing to answer");
	return 0;
}

int
ctx_render_arrange(struct render *r)
{
	if (parse_arranged_items(r) < 0)
		return -1;
	ctx_render_find_token(r);
	order_system(r);
	order_messages(r);
	place_volatile(r);
	for (size_t i = 0; i < r->n_extra; i++) {
		const struct ctx_message *m = &r->msgs[r->extra[i].item];
		if (ctx_message_count(m, CTX_PART_TOOL_CALL) +
			ctx_message_count(m, CTX_PART_TOOL_RESULT) >
		    0)
			return ctx_render_refuse(r, r->extra[i].item,
			    "a tool call or a tool result must not be added to a user message");
	}
	if (r->n_extra > 0 && r->turn == RENDER_NONE)
		return ctx_render_refuse(r, r->extra[0].item,
		    "something was added to a user message, but no user message is sent");
	if (ctx_render_calls_match(r) < 0)
		return -1;
	if (r->kind->match != NULL && !r->o->transcript)
		r->kind->match(r);
	make_nodes(r);
	return check_arranged_nodes(r);
}

void
ctx_render_release(struct render *r)
{
	for (size_t i = 0; i < r->n_items && r->msgs != NULL; i++) {
		ctx_message_release(&r->msgs[i]);
		ctx_buf_release(&r->flat[i]);
	}
	for (size_t i = 0; i < r->n_calls; i++) {
		free(r->calls[i].id_own);
		free(r->calls[i].sent_own);
	}
	free(r->msgs);
	free(r->flat);
	free(r->system);
	free(r->order);
	free(r->extra);
	free(r->calls);
	free(r->nodes);
	free(r->unpaired);
	ctx_buf_release(&r->params);
}
