/* Finds the items that a filter of a stream need not remember. */
#include "select/internal.h"

#include <stdlib.h>

#include "base/mem.h"

/* calls without a result, above which remembering everything is cheaper */
#define OPEN_MAX 1000

struct forget {
	struct ctx_selection s;
	bool *stay; /* per item: must be remembered */
	/* strategy recent is in the policy; otherwise it runs last, on what is left */
	bool recent;
	/* strategy filter drops calls with their results before recent runs */
	bool drops_tools;
	bool clears; /* results are cleared */
	bool tools;  /* strategy tools, which counts results, is in the policy */
	bool truncates;
	size_t counted; /* enough groups and turns follow the items before this index */
	size_t priced;  /* more than the budget follows the items before this index */
	bool over;      /* the budget is exceeded, so something will be dropped */
};

static bool
know_strategies(struct forget *f)
{
	const struct ctx_policy *p = f->s.p;

	f->recent = p->n_strategies == 0;
	for (size_t i = 0; i < p->n_strategies; i++)
		switch (p->strategies[i]) {
		case CTX_STRATEGY_RECENT:
			f->recent = true;
			break;
		case CTX_STRATEGY_FILTER:
			f->drops_tools |= !f->recent && !p->stub;
			f->clears |= p->stub;
			break;
		case CTX_STRATEGY_TRUNCATE:
			f->truncates = true;
			break;
		case CTX_STRATEGY_TOOLS:
			if (p->clear_at_least > 0) /* depends on all items */
				return false;
			f->clears = f->tools = true;
			break;
		default:
			return false;
		}
	return true;
}

/* Returns false if items that are forgotten could change what happens to the others. */
static bool
is_forgetting_allowed(struct forget *f)
{
	const struct ctx_policy *p = f->s.p;
	size_t open = 0;

	if (!know_strategies(f) || p->tokenizer == NULL || p->stable_step > 0 ||
	    p->max_messages > 0 || p->max_turns >= 0 || p->since != CTX_TIME_NONE)
		return false;
	for (size_t i = 0; i < f->s.h->n; i++) {
		open += f->s.h->items[i].open;
		if (f->s.h->items[i].slot != CTX_SLOT_HISTORY || open > OPEN_MAX)
			return false;
	}
	return p->budget >= 0 || (f->recent && p->max_messages == 0);
}

/* True if no later item can change the group. */
static bool
is_settled(const struct forget *f, size_t i)
{
	CTX_EACH_OF_GROUP(&f->s, i, k)
		if (f->s.h->items[k].open)
			return false;
	return true;
}

static int64_t
count_forget_tokens(struct forget *f, struct ctx_span message)
{
	int64_t tokens = ctx_selection_count(&f->s, message);

	return tokens < 0 ? 0 : tokens;
}

/* Returns the lowest possible cost of the item, in quarters of a token, however its texts
 * are changed. */
static int64_t
least_cost(struct forget *f, size_t i)
{
	const struct ctx_policy *p = f->s.p;
	struct ctx_item *it = &f->s.h->items[i];
	struct ctx_buf b = CTX_BUF_INIT;
	int64_t quarters, cut;

	if (f->clears && ctx_history_has_result(f->s.h, i))
		return 0;
	if (it->tokens < 0)
		it->tokens = count_forget_tokens(f, it->message);
	quarters = ctx_selection_cost(&f->s, i);
	if (f->tools && it->role == CTX_ROLE_ASSISTANT && it->n_refs > 0) {
		ctx_cut_inputs(&b, it->message);
		cut = 4 * count_forget_tokens(f, ctx_buf_span(&b));
		quarters = cut < quarters ? cut : quarters;
	}
	if (f->truncates && it->message.n > (size_t)p->max_chars) {
		ctx_buf_reset(&b);
		ctx_truncate_texts(
		    &b, it->message, p->max_chars, p->results_only, p->head_tail);
		cut = 4 * count_forget_tokens(f, ctx_buf_span(&b));
		quarters = cut < quarters ? cut : quarters;
	}
	ctx_buf_release(&b);
	return quarters;
}

/* True if the group begins before the first turn. Such groups are all dropped if recent
 * runs last, after other strategies. If recent runs alone, it counts them and stops where
 * the budget is exceeded. */
static bool
is_headless(const struct forget *f, size_t i)
{
	return !f->recent && f->s.p->n_strategies > 0 && f->s.turn[i] == f->s.h->n &&
	       !ctx_role_is_system(f->s.h->items[i].role);
}

/* Finds how far back strategy recent can reach. Items that are complete and certain to be
 * kept only increase the cost. */
static void
find_borders(struct forget *f)
{
	const struct ctx_policy *p = f->s.p;
	int64_t groups = 0, turns = 0, quarters = 0;
	int64_t want = p->keep_last > 1 ? p->keep_last : 1;

	for (size_t i = f->s.h->n; i-- > 0;) {
		const struct ctx_item *it = &f->s.h->items[i];
		if (it->malformed != CTX_REASON_NONE || !is_settled(f, i))
			continue;
		groups += it->group == i;
		turns += it->starts_turn;
		if (f->counted == 0 && groups >= want && turns >= p->keep_turns)
			f->counted = i;
		if (p->budget < 0) {
			f->priced = f->counted;
		} else if (!is_headless(f, i) && !(f->drops_tools && it->n_refs > 0)) {
			quarters += least_cost(f, i);
			if (quarters > 4 * p->budget) {
				f->priced = i;
				f->over = true;
			}
		}
		if (f->priced > 0)
			break;
	}
	if (f->priced > f->counted)
		f->priced = f->counted;
}

static void
stay_with_group(struct forget *f, size_t i)
{
	CTX_EACH_OF_GROUP(&f->s, i, k)
		f->stay[k] = true;
}

/* True if strategy filter leaves nothing of the group. */
static bool
is_filtered(const struct forget *f, size_t i)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool said = false;

	if (!f->drops_tools || f->s.h->items[i].n_refs == 0)
		return false;
	CTX_EACH_OF_GROUP(&f->s, i, k)
		said |= f->s.h->items[k].role == CTX_ROLE_ASSISTANT &&
			ctx_keep_said(&b, f->s.h->items[k].message);
	ctx_buf_release(&b);
	return !said;
}

static bool
may_be_kept(const struct forget *f, size_t i)
{
	const struct ctx_item *it = &f->s.h->items[i];

	if (f->s.required[i] || it->open || i >= f->counted)
		return true;
	if (i < f->priced)
		return false;
	/* All results are needed to know which are the newest. */
	return f->tools || (!is_headless(f, i) && !is_filtered(f, i));
}

/* A call without a result waits for one, and of several calls with one id the newest gets
 * it. So later items with the same id must be remembered too. */
static void
keep_rivals(struct forget *f)
{
	struct ctx_history *h = f->s.h;

	for (size_t i = 0; i < h->n; i++) {
		if (!h->items[i].open)
			continue;
		for (size_t r = h->items[i].first_ref, e = r + h->items[i].n_refs; r < e;
		     r++)
			for (size_t k = i + 1; k < h->n; k++)
				for (size_t q = 0; q < h->items[k].n_refs; q++)
					if (ctx_span_eq(
						h->refs[h->items[k].first_ref + q].id,
						h->refs[r].id))
						stay_with_group(f, k);
	}
}

/* Keeps the message that starts the turn of each item that is kept. Returns true if it
 * added any. */
static bool
keep_turns(struct forget *f)
{
	struct ctx_history *h = f->s.h;
	bool turn = false, more = false;

	for (size_t i = h->n; i-- > 0;) {
		if (h->items[i].starts_turn && turn && !f->stay[i]) {
			stay_with_group(f, i);
			more = true;
		}
		turn = h->items[i].starts_turn ? false : turn || f->stay[i];
	}
	return more;
}

static void
choose_forgotten_items(struct forget *f)
{
	struct ctx_history *h = f->s.h;
	size_t first = 0;

	for (size_t i = 0; i < h->n; i++)
		if (may_be_kept(f, i))
			stay_with_group(f, i);
	keep_rivals(f);
	/* Without this item, a later system message would seem to open the history. */
	while (first < h->n && ctx_role_is_system(h->items[first].role))
		first++;
	if (first < h->n)
		stay_with_group(f, first);
	while (keep_turns(f))
		continue;
}

bool
ctx_select_forget(struct ctx_history *h, const struct ctx_policy *p, bool gone[])
{
	struct forget f = {.over = p->over || p->budget < 0};
	bool can;

	ctx_selection_init(&f.s, h, p);
	f.stay = ctx_mem_new(h->n + 1);
	can = is_forgetting_allowed(&f);
	if (can)
		find_borders(&f);
	can = can && f.over;
	if (can)
		choose_forgotten_items(&f);
	for (size_t i = 0; i < h->n; i++)
		gone[i] = can && !f.stay[i];
	free(f.stay);
	ctx_selection_release(&f.s);
	return can;
}
