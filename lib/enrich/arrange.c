#include "enrich/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "enrich/internal.h"
#include "json/json.h"

#define RANK_ENTITIES 2
#define RANK_HISTORY 4 /* the last rank */

void
ctx_enriched_init(
    struct ctx_enriched *w, const struct ctx_stream *in, struct ctx_tokenizer *tokenizer)
{
	*w = (struct ctx_enriched){.history = CTX_HISTORY_INIT, .tokenizer = tokenizer};
	w->messages = ctx_mem_new((in->n + 1) * sizeof(*w->messages));
	w->record_of = ctx_mem_new((in->n + 1) * sizeof(*w->record_of));
	for (size_t i = 0; i < in->n; i++) {
		const struct ctx_record *r = &in->records[i];
		if (r->kind != CTX_KIND_MESSAGE)
			continue;
		w->record_of[w->n] = i;
		w->messages[w->n++] = (struct ctx_enrich_message){
		    r->message, r->metadata, r->seq, r->created_at, r->slot};
	}
	w->turn = w->n;
}

void
ctx_enriched_release(struct ctx_enriched *w)
{
	free(w->messages);
	free(w->record_of);
	free(w->sources);
	free(w->item_of);
	ctx_history_release(&w->history);
	memset(w, 0, sizeof(*w));
}

static int64_t
tokens_of(
    struct ctx_enriched *w, struct ctx_span message, int64_t counted, struct ctx_span by)
{
	struct ctx_message *view = &w->history.scratch;
	struct ctx_err ignored;

	if (counted >= 0 && ctx_json_is(by, ctx_tokenizer_name(w->tokenizer)))
		return counted;
	return ctx_message_parse(view, message, &ignored) < 0
		   ? 0
		   : ctx_tokens_message(w->tokenizer, view);
}

int64_t
ctx_enriched_window_tokens(struct ctx_enriched *w, const struct ctx_stream *in)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct ctx_record *r = &in->records[w->record_of[i]];
		tokens += tokens_of(w, r->message, r->token_count, r->tokenizer);
	}
	return tokens;
}

static int
add_enriched_item(struct ctx_enriched *w, const struct ctx_item *item,
    struct ctx_span source, struct ctx_err *err)
{
	int rc = ctx_history_add(&w->history, item, err);

	if (rc == 0) {
		w->history.items[w->history.n - 1].keep = true;
		w->sources[w->history.n - 1] = source;
	}
	return rc;
}

static int
add_additions(struct ctx_enriched *w, enum ctx_slot slot, struct ctx_err *err)
{
	for (size_t i = 0; i < w->n_additions; i++) {
		const struct ctx_addition *a = &w->additions[i];
		struct ctx_span source = ctx_span_of(a->source);
		struct ctx_item item = {.message = ctx_span_of(a->message),
		    .seq = -1,
		    .created_at = CTX_TIME_NONE,
		    .slot = slot};
		if (a->slot != slot)
			continue;
		item.tokens = tokens_of(w, item.message, -1, CTX_SPAN_NONE);
		ctx_json_double(ctx_json_get(source, "similarity_score"), &item.score);
		w->item_of[i] = w->history.n;
		if (add_enriched_item(w, &item, source, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_enriched_arrange(struct ctx_enriched *w, const struct ctx_stream *in,
    const struct ctx_addition *additions, size_t n_additions, struct ctx_err *err)
{
	w->additions = additions;
	w->n_additions = n_additions;
	w->sources = ctx_mem_new((w->n + w->n_additions + 1) * sizeof(*w->sources));
	w->item_of = ctx_mem_new((w->n_additions + 1) * sizeof(*w->item_of));
	if (add_additions(w, CTX_SLOT_PREFIX, err) < 0)
		return -1;
	for (size_t i = 0; i < w->n; i++) {
		const struct ctx_record *r = &in->records[w->record_of[i]];
		struct ctx_item item = {.message = r->message,
		    .seq = r->seq,
		    .created_at = r->created_at,
		    .slot = r->slot,
		    .pinned = r->pinned == 1};
		item.tokens = tokens_of(w, r->message, r->token_count, r->tokenizer);
		if (i == w->turn && add_additions(w, CTX_SLOT_VOLATILE, err) < 0)
			return -1;
		if (add_enriched_item(w, &item, r->source, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns whether the addition is the note that says how to use entities. */
static bool
needs_entities(const struct ctx_addition *a)
{
	return ctx_json_is(
	    ctx_json_get(ctx_span_of(a->source), "reason"), CTX_ENRICH_FOR_ENTITIES);
}

/* Returns the rank of a volatile addition. Lower ranks get space first: attachments and
 * prompt modules, then topic and notes, entities, items by similarity, older history. */
static int
rank_volatile_addition(const struct ctx_addition *a)
{
	struct ctx_span source = ctx_span_of(a->source);
	struct ctx_span type = ctx_json_get(source, "type");

	if (ctx_json_is(ctx_json_get(source, "reason"), "attached") ||
	    ctx_json_is(type, "prompt"))
		return 0;
	if (ctx_json_is(type, "entity") || needs_entities(a))
		return RANK_ENTITIES;
	if (ctx_json_is(type, "topic") || ctx_json_is(type, "note"))
		return 1;
	return ctx_json_is(type, "history") ? RANK_HISTORY : 3;
}

int64_t
ctx_addition_tokens(const struct ctx_addition *a, struct ctx_tokenizer *tokenizer)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	int64_t tokens = 0;

	if (ctx_message_parse(&m, ctx_span_of(a->message), &ignored) == 0)
		tokens = ctx_tokens_message(tokenizer, &m);
	ctx_message_release(&m);
	return tokens;
}

/* Decides which volatile additions up to rank last fit into left tokens. Returns the
 * tokens that remain. */
static int64_t
fit_volatile_additions(const struct ctx_addition *list, const int64_t *tokens, size_t n,
    int last, int64_t left, bool *keep)
{
	bool entities = false;

	for (int r = 0; r <= last; r++)
		for (size_t i = 0; i < n; i++) {
			bool needs = needs_entities(&list[i]);
			if (list[i].slot != CTX_SLOT_VOLATILE ||
			    rank_volatile_addition(&list[i]) != r)
				continue;
			keep[i] = tokens[i] <= left && !list[i].rest &&
				  (!needs || entities);
			left -= keep[i] ? tokens[i] : 0;
			entities |= keep[i] && r == RANK_ENTITIES && !needs;
		}
	return left;
}

int64_t
ctx_additions_left(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, bool entities, int64_t left)
{
	int64_t *tokens = ctx_mem_new((n + 1) * sizeof(*tokens));
	bool *keep = ctx_mem_new((n + 1) * sizeof(*keep));

	for (size_t i = 0; i < n; i++)
		if (list[i].slot == CTX_SLOT_VOLATILE)
			tokens[i] = ctx_addition_tokens(&list[i], tokenizer);
	left = fit_volatile_additions(
	    list, tokens, n, entities ? RANK_HISTORY : RANK_ENTITIES - 1, left, keep);
	free(tokens);
	free(keep);
	return left;
}

int64_t
ctx_additions_behind_entities(
    const struct ctx_addition *list, size_t n, struct ctx_tokenizer *tokenizer)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].slot == CTX_SLOT_VOLATILE &&
		    (rank_volatile_addition(&list[i]) > RANK_ENTITIES ||
			needs_entities(&list[i])))
			tokens += ctx_addition_tokens(&list[i], tokenizer);
	return tokens;
}

void
ctx_enriched_fit(struct ctx_enriched *w, int64_t left)
{
	size_t n = w->n_additions;
	int64_t *tokens = ctx_mem_new((n + 1) * sizeof(*tokens));
	bool *keep = ctx_mem_new((n + 1) * sizeof(*keep));

	for (size_t i = 0; i < n; i++)
		tokens[i] = w->history.items[w->item_of[i]].tokens;
	if (left >= 0)
		fit_volatile_additions(w->additions, tokens, n, RANK_HISTORY, left, keep);
	for (size_t i = 0; left >= 0 && i < n; i++) {
		struct ctx_item *it = &w->history.items[w->item_of[i]];
		if (w->additions[i].slot != CTX_SLOT_VOLATILE || keep[i])
			continue;
		it->keep = false;
		it->reason = CTX_REASON_BUDGET;
	}
	free(tokens);
	free(keep);
}

/* The list of additions, and the list of candidates that were not added. */

void
ctx_enrich_add(struct ctx_enrich *e, enum ctx_slot slot, struct ctx_span source,
    struct ctx_span message)
{
	CTX_MEM_GROW(e->list, e->n, e->cap);
	e->list[e->n++] = (struct ctx_addition){.slot = slot,
	    .source = ctx_span_dup(source),
	    .message = ctx_span_dup(message)};
}

void
ctx_enrich_put_message(struct ctx_buf *b, struct ctx_span text)
{
	ctx_json_print(b, "{'role':'system','content':%t}", text);
}

void
ctx_enrich_add_system(struct ctx_enrich *e, enum ctx_slot slot, struct ctx_span source,
    struct ctx_span text)
{
	struct ctx_buf message = CTX_BUF_INIT;

	ctx_enrich_put_message(&message, text);
	ctx_enrich_add(e, slot, source, ctx_buf_span(&message));
	ctx_buf_release(&message);
}

void
ctx_enrich_pass(struct ctx_enrich *e, bool crowded, struct ctx_span what)
{
	CTX_MEM_GROW(e->passed, e->n_passed, e->cap_passed);
	e->passed[e->n_passed++] = (struct ctx_passed){ctx_span_dup(what), crowded};
}

void
ctx_enrich_drop_last(struct ctx_enrich *e)
{
	e->n--;
	free(e->list[e->n].source);
	free(e->list[e->n].message);
}

void
ctx_enrich_move_last(struct ctx_enrich *e, size_t where)
{
	struct ctx_addition last = e->list[e->n - 1];

	memmove(
	    &e->list[where + 1], &e->list[where], (e->n - 1 - where) * sizeof(*e->list));
	e->list[where] = last;
}
