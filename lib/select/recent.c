/* Strategy recent: keeps the newest groups that fit, without gaps. They are called the
 * stretch. */
#include "select/internal.h"

#include <stdlib.h>

#include "base/mem.h"

#define SMALLEST_CUT 64 /* tokens below which a cut result is useless */

struct recent {
	struct ctx_selection *s;
	bool *in;         /* per item: kept */
	bool *counted;    /* per item: part of the stretch */
	int64_t spent;    /* in quarters of a token */
	int64_t limit;    /* in quarters of a token; -1: no limit */
	int64_t messages; /* history items in the stretch */
};

/* Returns the largest cost of a cut result, in quarters of a token. */
static int64_t
cut_size(const struct ctx_selection *s)
{
	return s->p->cut_base < 4 * SMALLEST_CUT ? 4 * SMALLEST_CUT : s->p->cut_base;
}

static bool
is_recent_result_cut(const struct ctx_selection *s, size_t i)
{
	return s->p->cut_base >= 0 && !s->h->items[i].sent &&
	       4 * s->h->items[i].tokens > cut_size(s) && ctx_history_has_result(s->h, i);
}

int64_t
ctx_selection_cost(const struct ctx_selection *s, size_t i)
{
	return is_recent_result_cut(s, i) ? cut_size(s) : 4 * s->h->items[i].tokens;
}

static void
admit_recent_group(struct recent *r, size_t i)
{
	CTX_EACH_OF_GROUP(r->s, i, k) {
		if (r->in[k] || !r->s->h->items[k].keep)
			continue;
		r->in[k] = true;
		r->spent += ctx_selection_cost(r->s, k);
	}
}

/* Adds a group to the stretch. Items that are kept in any case count as messages only if
 * the stretch reaches them. */
static void
extend_recent_stretch(struct recent *r, size_t i)
{
	admit_recent_group(r, i);
	CTX_EACH_OF_GROUP(r->s, i, k) {
		r->messages += !r->counted[k] &&
			       r->s->h->items[k].slot == CTX_SLOT_HISTORY;
		r->counted[k] = true;
	}
}

/* Computes what adding the group of item i to the stretch would cost. */
static void
compute_recent_group_price(
    const struct recent *r, size_t i, int64_t *quarters, int64_t *messages)
{
	CTX_EACH_OF_GROUP(r->s, i, k) {
		const struct ctx_item *it = &r->s->h->items[k];
		if (!r->in[k] && it->keep)
			*quarters += ctx_selection_cost(r->s, k);
		*messages += !r->counted[k] && it->keep && it->slot == CTX_SLOT_HISTORY;
	}
}

/* ---- required items exceed the budget: shrink their results ---- */

static int
refuse_recent_selection(const struct recent *r, struct ctx_err *err)
{
	const struct ctx_selection *s = r->s;
	size_t big = s->h->n;
	const struct ctx_item *it;

	for (size_t i = 0; i < s->h->n; i++)
		if (r->in[i] && (big == s->h->n || ctx_selection_cost(s, i) >
						       ctx_selection_cost(s, big)))
			big = i;
	it = &s->h->items[big];
	return ctx_err_set(err, CTX_EANSWER,
	    "the messages that must be kept are %lld tokens over the budget; the largest is %s message %lld with %lld tokens",
	    (long long)((r->spent - r->limit + 3) / 4), ctx_role_name(it->role),
	    (long long)(it->seq > 0     ? it->seq
			: it->place > 0 ? it->place
					: (int64_t)big + 1),
	    (long long)it->tokens);
}

static int64_t
required_at(const struct recent *r, int64_t level)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->s->h->n; i++) {
		int64_t tokens = r->s->h->items[i].tokens;
		if (r->in[i])
			sum += tokens > level && ctx_history_has_result(r->s->h, i)
				   ? level
				   : tokens;
	}
	return sum;
}

static void
cut_to(struct ctx_selection *s, size_t i, int64_t tokens)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (s->p->tokenizer == NULL || s->h->items[i].tokens <= tokens)
		return;
	ctx_cut_results(&b, s->h->items[i].message, tokens, s->p->tokenizer);
	ctx_selection_change(s, i, &b, CTX_REASON_CUT);
	ctx_buf_release(&b);
}

/* Cuts the results of items that must be kept to the largest common size at which
 * everything fits. */
static int
shrink_required(struct recent *r, struct ctx_err *err)
{
	struct ctx_selection *s = r->s;
	int64_t low = SMALLEST_CUT, high = s->budget;

	if (s->p->cut_base < 0)
		return refuse_recent_selection(r, err);
	while (low <= high) { /* high becomes the largest size that fits */
		int64_t mid = low + (high - low) / 2;
		if (required_at(r, mid) <= s->budget)
			low = mid + 1;
		else
			high = mid - 1;
	}
	if (high < SMALLEST_CUT)
		return refuse_recent_selection(r, err);
	for (size_t i = 0; i < s->h->n; i++)
		if (r->in[i] && ctx_history_has_result(s->h, i))
			cut_to(s, i, high);
	r->spent = r->limit; /* nothing else can be added */
	return required_at(r, INT64_MAX) > s->budget && s->p->tokenizer != NULL
		   ? refuse_recent_selection(r, err)
		   : 0;
}

/* ---- choosing additions, the most similar first ---- */

static void
admit_additions(struct recent *r)
{
	struct ctx_history *h = r->s->h;
	bool *tried = ctx_mem_new(h->n + 1);

	for (;;) {
		size_t best = h->n;
		for (size_t i = 0; i < h->n; i++) {
			const struct ctx_item *it = &h->items[i];
			if (it->slot != CTX_SLOT_HISTORY && it->keep && !r->in[i] &&
			    !tried[i] && it->group == i && r->s->next[i] == h->n &&
			    (best == h->n || it->score > h->items[best].score))
				best = i;
		}
		if (best == h->n)
			break;
		tried[best] = true;
		if (r->limit < 0 || r->spent + ctx_selection_cost(r->s, best) <= r->limit)
			admit_recent_group(r, best);
	}
	free(tried);
}

/* ---- choosing history, newest first ---- */

static enum ctx_reason
beyond_messages(const struct ctx_policy *p)
{
	return p->beyond != CTX_REASON_NONE ? p->beyond : CTX_REASON_COUNT;
}

/* Returns why the stretch cannot be extended to item i, or NONE if it can. turns is the
 * number of turns that start after i. */
static enum ctx_reason
find_recent_misfit(const struct recent *r, size_t i, int64_t turns)
{
	const struct ctx_policy *p = r->s->p;
	const struct ctx_item *it = &r->s->h->items[i];
	int64_t quarters = 0, messages = 0;

	if (it->far)
		return p->max_messages >= 0        ? beyond_messages(p)
		       : p->max_turns >= 0         ? CTX_REASON_TURNS
		       : p->since != CTX_TIME_NONE ? CTX_REASON_SINCE
						   : CTX_REASON_BUDGET;
	if (p->since != CTX_TIME_NONE && it->created_at != CTX_TIME_NONE &&
	    it->created_at < p->since)
		return CTX_REASON_SINCE;
	if (p->max_turns >= 0 && turns >= p->max_turns)
		return CTX_REASON_TURNS;
	compute_recent_group_price(r, i, &quarters, &messages);
	if (r->s->turn[i] != r->s->h->n && r->s->turn[i] != i &&
	    !ctx_role_is_system(it->role))
		compute_recent_group_price(r, r->s->turn[i], &quarters, &messages);
	if (p->max_messages >= 0 && r->messages + messages > p->max_messages &&
	    messages > 0)
		return beyond_messages(p);
	if (r->limit >= 0 && quarters > r->limit - r->spent)
		return CTX_REASON_BUDGET;
	return CTX_REASON_NONE;
}

/* Extends the stretch back to the first group that does not fit or, if base > 0, that
 * begins before this number of session tokens. The message that starts the turn of a
 * group is added too. */
static void
admit_history(struct recent *r, int64_t base)
{
	struct ctx_history *h = r->s->h;
	enum ctx_reason stop = CTX_REASON_NONE;
	int64_t turns = 0;

	for (size_t i = h->n; i-- > 0;) {
		struct ctx_item *it = &h->items[i];
		if (it->slot != CTX_SLOT_HISTORY || !it->keep)
			continue;
		/* Each group is decided once, at its newest message, because a group can
		 * be very large. */
		if (stop == CTX_REASON_NONE && !r->counted[i])
			stop = it->token_sum < base ? CTX_REASON_STABLE
						    : find_recent_misfit(r, i, turns);
		if (stop == CTX_REASON_NONE) {
			size_t turn = r->s->turn[i];
			if (!r->counted[i])
				extend_recent_stretch(r, i);
			if (turn != h->n && !r->in[turn] && !ctx_role_is_system(it->role))
				admit_recent_group(r, turn);
		} else if (!r->in[i]) {
			it->reason = stop;
		}
		turns += it->starts_turn;
	}
}

/* ---- stable cuts ---- */

/* Returns the session tokens before the newest message that is not in the stretch, or -1
 * if all are. */
static int64_t
sum_left_out(const struct recent *r)
{
	struct ctx_history *h = r->s->h;

	for (size_t i = h->n; i-- > 0;)
		if (h->items[i].slot == CTX_SLOT_HISTORY && h->items[i].keep && !r->in[i])
			return h->items[i].token_sum;
	return -1;
}

static int
start_recent_selection(struct recent *r, struct ctx_err *err)
{
	struct ctx_history *h = r->s->h;

	r->spent = r->messages = 0;
	for (size_t i = 0; i < h->n; i++)
		r->in[i] = r->counted[i] = false;
	for (size_t i = 0; i < h->n; i++)
		if (r->s->required[i] && !r->in[i])
			admit_recent_group(r, i);
	if (r->limit >= 0 && r->spent > r->limit)
		return shrink_required(r, err);
	admit_additions(r);
	return 0;
}

/* Cuts at stable_base or, if the rest does not fit even then, at the first message after
 * the smallest multiple of the step with which it fits. The cut then stays in place until
 * the session has grown by one step. */
static int
settle_recent_cut(struct recent *r, struct ctx_err *err)
{
	int64_t step = r->s->p->stable_step, base = r->s->p->stable_base;
	int64_t sum = sum_left_out(r);

	if (step <= 0 || (sum < 0 && base <= 0))
		return 0;
	if (sum >= base)
		base = (sum / step + 1) * step;
	if (start_recent_selection(r, err) < 0)
		return -1;
	admit_history(r, base);
	return 0;
}

int
ctx_strategy_recent(struct ctx_selection *s, struct ctx_err *err)
{
	struct recent r = {.s = s, .limit = s->budget < 0 ? -1 : 4 * s->budget};
	int rc;

	r.in = ctx_mem_new(s->h->n + 1);
	r.counted = ctx_mem_new(s->h->n + 1);
	rc = start_recent_selection(&r, err);
	if (rc == 0) {
		admit_history(&r, 0);
		rc = settle_recent_cut(&r, err);
	}
	for (size_t i = 0; rc == 0 && i < s->h->n; i++) {
		struct ctx_item *it = &s->h->items[i];
		if (it->keep && !r.in[i]) {
			it->keep = false;
			if (it->reason == CTX_REASON_NONE)
				it->reason = CTX_REASON_BUDGET;
		} else if (it->keep && it->reason < CTX_REASON_CUT) {
			it->reason = CTX_REASON_NONE;
		}
		if (it->keep && is_recent_result_cut(s, i))
			cut_to(s, i, cut_size(s) / 4);
	}
	free(r.in);
	free(r.counted);
	return rc;
}
