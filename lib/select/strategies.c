/* The strategies other than recent. */
#include "select/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/utf8.h"

/* As in the conversation store of a retrieval service (ctx-prune(1), STRATEGIES). */
#define LONG_SYSTEM 200 /* characters */
#define LONG_OTHER 1000 /* characters */
/* As in an infrastructure assistant. */
#define IMPORTANT_RECENT 10
#define IMPORTANT_TOOLS 5

static int64_t
text_length(struct ctx_selection *s, size_t i)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err ignored;
	int64_t n = 0;

	if (ctx_message_parse(&s->h->scratch, s->h->items[i].message, &ignored) == 0) {
		ctx_message_text(&s->h->scratch, &text);
		n = (int64_t)ctx_utf8_length(text.p, text.n);
	}
	ctx_buf_release(&text);
	return n;
}

/* True for the first item of a group of history that a strategy may drop or change. */
static bool
is_free(const struct ctx_selection *s, size_t i)
{
	const struct ctx_item *it = &s->h->items[i];

	return it->keep && it->slot == CTX_SLOT_HISTORY && it->group == i &&
	       !ctx_selection_group_required(s, i);
}

/* ---- strategy score ---- */

struct scored {
	double score;
	size_t group;
};

/* Returns the tokens of the kept items of the group. */
static int64_t
sum_group_tokens(const struct ctx_selection *s, size_t i)
{
	int64_t sum = 0;

	CTX_EACH_OF_GROUP(s, i, k)
		sum += s->h->items[k].keep ? s->h->items[k].tokens : 0;
	return sum;
}

static double
score_strategy_item(struct ctx_selection *s, size_t i)
{
	switch (s->h->items[i].role) {
	case CTX_ROLE_USER:
		return ctx_history_has_result(s->h, i) ? 0.7 : 1.0;
	case CTX_ROLE_ASSISTANT:
		return 0.9;
	default:
		return text_length(s, i) > LONG_OTHER ? 0.5 : 0.7;
	}
}

static int
compare_scored_groups(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;

	return x->score != y->score ? CTX_ORDER(y->score, x->score)
				    : CTX_ORDER(y->group, x->group);
}

static int
select_by_score(struct ctx_selection *s, struct ctx_err *err CTX_UNUSED)
{
	struct scored *list = ctx_mem_new((s->h->n + 1) * sizeof(*list));
	int64_t left = s->budget;
	size_t n = 0;

	for (size_t i = 0; i < s->h->n; i++) {
		if (!is_free(s, i)) {
			left -= s->h->items[i].keep && s->h->items[i].group == i
				    ? sum_group_tokens(s, i)
				    : 0;
			continue;
		}
		list[n] = (struct scored){2.0, i};
		CTX_EACH_OF_GROUP(s, i, k) {
			double score = s->h->items[k].slot == CTX_SLOT_HISTORY
					   ? score_strategy_item(s, k)
					   : 2.0;
			if (score < list[n].score)
				list[n].score = score;
		}
		n++;
	}
	qsort(list, n, sizeof(*list), compare_scored_groups);
	for (size_t g = 0; s->budget >= 0 && g < n; g++) {
		int64_t tokens = sum_group_tokens(s, list[g].group);
		if (tokens <= left)
			left -= tokens;
		else
			ctx_selection_drop(s, list[g].group, CTX_REASON_SCORE);
	}
	free(list);
	return 0;
}

/* ---- strategies filter and tools: dropping results ---- */

static void
clear_item_results(struct ctx_selection *s, size_t i)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (s->p->tokenizer == NULL)
		return;
	ctx_clear_results(&b, s->h->items[i].message);
	ctx_selection_change(s, i, &b, CTX_REASON_CLEARED);
	ctx_buf_release(&b);
}

/* Drops the calls and results of the group, but keeps the text of the assistant. */
static void
drop_calls(struct ctx_selection *s, size_t i)
{
	struct ctx_buf b = CTX_BUF_INIT;

	CTX_EACH_OF_GROUP(s, i, k) {
		struct ctx_item *it = &s->h->items[k];
		if (!it->keep)
			continue;
		ctx_buf_reset(&b);
		if (s->p->tokenizer != NULL && !it->sent &&
		    it->role == CTX_ROLE_ASSISTANT && ctx_keep_said(&b, it->message)) {
			ctx_selection_change(s, k, &b, CTX_REASON_CUT);
		} else {
			it->keep = false;
			it->reason = CTX_REASON_FILTER;
		}
	}
	ctx_buf_release(&b);
}

static int
filter_calls(struct ctx_selection *s, struct ctx_err *err CTX_UNUSED)
{
	for (size_t i = 0; i < s->h->n; i++) {
		if (!is_free(s, i) || s->h->items[i].n_refs == 0)
			continue;
		if (!s->p->stub) {
			drop_calls(s, i);
			continue;
		}
		CTX_EACH_OF_GROUP(s, i, k)
			if (ctx_history_has_result(s->h, k))
				clear_item_results(s, k);
	}
	return 0;
}

/* Returns the number of tokens that clearing the results would free. */
static int64_t
count_clearable_tokens(struct ctx_selection *s, size_t i)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int64_t tokens;

	ctx_clear_results(&b, s->h->items[i].message);
	tokens = ctx_selection_count(s, ctx_buf_span(&b));
	ctx_buf_release(&b);
	return s->h->items[i].tokens - (tokens < 0 ? 0 : tokens);
}

/* Cuts the large inputs of the calls in the item's group. */
static void
cut_inputs(struct ctx_selection *s, size_t i)
{
	struct ctx_buf b = CTX_BUF_INIT;

	CTX_EACH_OF_GROUP(s, i, k) {
		if (s->h->items[k].role != CTX_ROLE_ASSISTANT)
			continue;
		ctx_buf_reset(&b);
		ctx_cut_inputs(&b, s->h->items[k].message);
		ctx_selection_change(s, k, &b, CTX_REASON_CUT);
	}
	ctx_buf_release(&b);
}

/* True if the group takes so much of the budget that its inputs are cut even in the
 * newest group. */
static bool
is_large(const struct ctx_selection *s, size_t i)
{
	int64_t tokens = 0;

	CTX_EACH_OF_GROUP(s, i, k)
		if (s->h->items[k].role == CTX_ROLE_ASSISTANT)
			tokens += s->h->items[k].tokens;
	return s->p->budget >= 0 && tokens > s->p->budget / 4;
}

static int
clear_tools(struct ctx_selection *s, struct ctx_err *err CTX_UNUSED)
{
	int64_t kept = 0, freed = 0;
	bool *old = ctx_mem_new(s->h->n + 1);

	for (size_t i = s->h->n; s->p->tokenizer != NULL && i-- > 0;) {
		if (!s->h->items[i].keep || !ctx_history_has_result(s->h, i))
			continue;
		if (ctx_selection_group_required(s, i)) {
			kept++;
			continue;
		}
		if (kept++ < s->p->tools_keep) {
			if (is_large(s, i))
				cut_inputs(s, i);
			continue;
		}
		old[i] = true;
		freed += count_clearable_tokens(s, i);
	}
	for (size_t i = 0; freed >= s->p->clear_at_least && i < s->h->n; i++)
		if (old[i]) {
			clear_item_results(s, i);
			cut_inputs(s, i);
		}
	free(old);
	return 0;
}

/* ---- strategies system and truncate: single messages ---- */

/* True for a message of the history that is not pinned, was not sent before, and has no
 * protected role. */
static bool
is_unprotected(const struct ctx_selection *s, const struct ctx_item *it)
{
	return it->keep && it->slot == CTX_SLOT_HISTORY && !it->pinned && !it->sent &&
	       !(s->p->protect_roles >> it->role & 1);
}

static int
drop_long_system(struct ctx_selection *s, struct ctx_err *err CTX_UNUSED)
{
	for (size_t i = 0; i < s->h->n; i++) {
		const struct ctx_item *it = &s->h->items[i];
		if (!is_unprotected(s, it) || !ctx_role_is_system(it->role) ||
		    text_length(s, i) < LONG_SYSTEM)
			continue;
		s->required[i] = false;
		ctx_selection_drop(s, i, CTX_REASON_SYSTEM);
	}
	return 0;
}

static int
truncate_texts(struct ctx_selection *s, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_buf b = CTX_BUF_INIT;

	for (size_t i = 0; s->p->tokenizer != NULL && i < s->h->n; i++) {
		const struct ctx_item *it = &s->h->items[i];
		if (!is_unprotected(s, it) || ctx_role_is_system(it->role))
			continue;
		ctx_buf_reset(&b);
		ctx_truncate_texts(&b, it->message, s->p->max_chars, s->p->results_only,
		    s->p->head_tail);
		ctx_selection_change(s, i, &b, CTX_REASON_TRUNCATED);
	}
	ctx_buf_release(&b);
	return 0;
}

/* ---- strategy important ---- */

static int
keep_important(struct ctx_selection *s, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_history *h = s->h;
	bool *in = ctx_mem_new(h->n + 1);
	int recent = 0, tools = 0;

	for (size_t i = h->n; i-- > 0;) {
		const struct ctx_item *it = &h->items[i];
		if (it->slot != CTX_SLOT_HISTORY || !it->keep)
			continue;
		if (recent < IMPORTANT_RECENT) {
			recent++;
			in[it->group] = true;
		}
		if (((it->role == CTX_ROLE_ASSISTANT && it->n_refs > 0) || it->named) &&
		    tools < IMPORTANT_TOOLS) {
			tools++;
			in[it->group] = true;
		}
	}
	for (size_t i = 0; i < h->n; i++)
		if (is_free(s, i) && !in[i])
			ctx_selection_drop(s, i, CTX_REASON_UNIMPORTANT);
	free(in);
	return 0;
}

/* ---- all strategies ---- */

const struct ctx_strategy_row ctx_strategies[CTX_STRATEGY_COUNT] = {
    [CTX_STRATEGY_RECENT] = {"recent", true, ctx_strategy_recent},
    [CTX_STRATEGY_SCORE] = {"score", true, select_by_score},
    [CTX_STRATEGY_FILTER] = {"filter", false, filter_calls},
    [CTX_STRATEGY_SYSTEM] = {"system", false, drop_long_system},
    [CTX_STRATEGY_IMPORTANT] = {"important", true, keep_important},
    /* like important, but with a default budget, and ctx_select then runs recent */
    [CTX_STRATEGY_COMPREHENSIVE] = {"comprehensive", true, keep_important},
    [CTX_STRATEGY_TOOLS] = {"tools", false, clear_tools},
    [CTX_STRATEGY_TRUNCATE] = {"truncate", false, truncate_texts},
};

const char *
ctx_strategy_name(enum ctx_strategy s)
{
	return ctx_strategies[s].name;
}

int
ctx_strategy_parse(struct ctx_span name)
{
	for (int i = 0; i < CTX_STRATEGY_COUNT; i++)
		if (ctx_span_is(name, ctx_strategies[i].name))
			return i;
	return -1;
}
