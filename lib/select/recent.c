#include "select/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"

const char *
ctx_reason_name(enum ctx_reason r)
{
	static const char *const names[] = {
	    [CTX_REASON_NONE] = "none",
	    [CTX_REASON_BUDGET] = "over_budget",
	    [CTX_REASON_COUNT] = "over_count",
	    [CTX_REASON_TURNS] = "over_turns",
	    [CTX_REASON_SINCE] = "too_old",
	    [CTX_REASON_NO_USER_BEFORE] = "no_user_before",
	    [CTX_REASON_ORPHAN_RESULT] = "orphan_result",
	    [CTX_REASON_DUPLICATE_RESULT] = "duplicate_result",
	    [CTX_REASON_UNANSWERED_CALL] = "unanswered_call",
	    [CTX_REASON_HIDDEN] = "hidden",
	    [CTX_REASON_CUT] = "cut",
	};
	return names[r];
}

#define SMALLEST_CUT 64 /* tokens below which a result says nothing any more */

/* The work of one selection. Costs are kept in quarters of a token: a cut result is
 * charged exactly a quarter of the budget, which no rounding may blur. */
struct selection {
	struct ctx_history *h;
	const struct ctx_policy *p;
	int64_t *next;    /* next item of the same group, or -1 */
	int64_t spent;    /* quarters */
	int64_t messages; /* history taken from the newest backwards */
};

static bool
has_result(const struct ctx_history *h, const struct ctx_item *it)
{
	for (size_t r = it->first_ref; r < it->first_ref + it->n_refs; r++)
		if (h->refs[r].result)
			return true;
	return false;
}

/* What a cut result may cost, in quarters. */
static int64_t
cut_size(const struct selection *s)
{
	return s->p->cut_base < 4 * SMALLEST_CUT ? 4 * SMALLEST_CUT : s->p->cut_base;
}

static bool
is_cut(const struct selection *s, const struct ctx_item *it)
{
	return s->p->cut_base >= 0 && 4 * it->tokens > cut_size(s) &&
	       has_result(s->h, it);
}

static int64_t
cost(const struct selection *s, const struct ctx_item *it)
{
	return is_cut(s, it) ? cut_size(s) : 4 * it->tokens;
}

static void
keep_item(struct selection *s, size_t i)
{
	struct ctx_item *it = &s->h->items[i];

	if (it->keep)
		return;
	it->keep = true;
	it->cut_to = is_cut(s, it) ? cut_size(s) / 4 : 0;
	s->spent += cost(s, it);
}

/* Keep a whole group; all its items link to each other through next. */
static void
keep_group(struct selection *s, size_t i)
{
	for (int64_t k = (int64_t)s->h->items[i].group; k >= 0; k = s->next[k])
		keep_item(s, (size_t)k);
}

/* What a group costs beyond what is kept of it already, and its messages. */
static int64_t
group_cost(const struct selection *s, size_t i, int64_t *messages)
{
	int64_t sum = 0;

	*messages = 0;
	for (int64_t k = (int64_t)s->h->items[i].group; k >= 0; k = s->next[k]) {
		const struct ctx_item *it = &s->h->items[k];
		sum += it->keep ? 0 : cost(s, it);
		*messages += it->slot == CTX_SLOT_HISTORY;
	}
	return sum;
}

static void
link_groups(struct selection *s)
{
	struct ctx_history *h = s->h;
	int64_t *tail = ctx_mem_new((h->n + 1) * sizeof(*tail));

	for (size_t i = 0; i < h->n; i++) {
		struct ctx_item *it = &h->items[i];
		it->keep = false;
		it->cut_to = 0;
		it->reason = it->malformed;
		s->next[i] = -1;
		if (it->group != i)
			s->next[tail[it->group]] = (int64_t)i;
		tail[it->group] = (int64_t)i;
	}
	free(tail);
}

static bool
is_system(const struct ctx_item *it)
{
	return it->role == CTX_ROLE_SYSTEM || it->role == CTX_ROLE_DEVELOPER;
}

/* A group, with the message that begins the turn in which the group begins. */
static void
keep_with_turn(struct selection *s, size_t i)
{
	struct ctx_history *h = s->h;

	keep_group(s, i);
	if (is_system(&h->items[i]))
		return;
	for (size_t k = h->items[i].group + 1; k-- > 0;)
		if (h->items[k].starts_turn) {
			keep_group(s, k);
			return;
		}
}

static void
keep_required(struct selection *s)
{
	struct ctx_history *h = s->h;
	size_t current = ctx_history_current_turn(h), last = h->n;
	bool opening = true;

	for (size_t i = 0; i < h->n; i++) {
		struct ctx_item *it = &h->items[i];
		if (it->slot == CTX_SLOT_PREFIX || it->slot == CTX_SLOT_SUMMARY)
			keep_item(s, i);
		if (it->slot != CTX_SLOT_HISTORY)
			continue;
		opening = opening && is_system(it);
		if (opening)
			keep_item(s, i);
		if (it->malformed == CTX_REASON_NONE)
			last = i;
	}
	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].pinned && h->items[i].malformed == CTX_REASON_NONE)
			keep_with_turn(s, i);
	if (current != h->n)
		keep_group(s, current);
	if (last != h->n)
		keep_with_turn(s, last);
}

/* ---- when even that is too much: shrink the results that must stay ---- */

static int
refuse(const struct selection *s, struct ctx_err *err)
{
	const struct ctx_item *big = NULL;
	int64_t over = (s->spent + 3) / 4 - s->p->budget;

	for (size_t i = 0; i < s->h->n; i++) {
		const struct ctx_item *it = &s->h->items[i];
		if (it->keep && (big == NULL || cost(s, it) > cost(s, big)))
			big = it;
	}
	return ctx_err_set(err, CTX_EANSWER,
	    "what must stay is %lld tokens over the budget; the largest is %s message "
	    "%lld with "
	    "%lld tokens",
	    (long long)over, ctx_role_name(big->role),
	    (long long)(big->seq > 0 ? big->seq : big - s->h->items + 1),
	    (long long)big->tokens);
}

/* Cut the kept results to one common size at which everything fits. */
static int
shrink_results(struct selection *s, struct ctx_err *err)
{
	struct ctx_history *h = s->h;
	int64_t fixed = 0, low = SMALLEST_CUT, high = s->p->budget;

	if (s->p->cut_base < 0)
		return refuse(s, err);
	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].keep && !has_result(h, &h->items[i]))
			fixed += h->items[i].tokens;
	while (low <= high) { /* the largest size that fits ends up in high */
		int64_t mid = low + (high - low) / 2, sum = fixed;
		for (size_t i = 0; i < h->n; i++)
			if (h->items[i].keep && has_result(h, &h->items[i]))
				sum +=
				    h->items[i].tokens < mid ? h->items[i].tokens : mid;
		if (sum <= s->p->budget)
			low = mid + 1;
		else
			high = mid - 1;
	}
	if (high < SMALLEST_CUT)
		return refuse(s, err);
	s->spent = 4 * s->p->budget; /* nothing else can join */
	for (size_t i = 0; i < h->n; i++) {
		struct ctx_item *it = &h->items[i];
		if (it->keep && has_result(h, it))
			it->cut_to = it->tokens > high ? high : 0;
	}
	return 0;
}

/* ---- additions of the current turn, the most similar first ---- */

static void
keep_volatile(struct selection *s)
{
	struct ctx_history *h = s->h;
	int64_t limit = 4 * s->p->budget;

	for (;;) {
		size_t best = h->n;
		for (size_t i = 0; i < h->n; i++) {
			struct ctx_item *it = &h->items[i];
			if (it->slot == CTX_SLOT_VOLATILE && it->group == i &&
			    !it->keep && it->reason == CTX_REASON_NONE &&
			    s->next[i] < 0 &&
			    (best == h->n || it->score > h->items[best].score))
				best = i;
		}
		if (best == h->n)
			return;
		if (s->p->budget < 0 || s->spent + cost(s, &h->items[best]) <= limit)
			keep_item(s, best);
		else
			h->items[best].reason = CTX_REASON_BUDGET;
	}
}

/* ---- history, from the newest backwards ---- */

static enum ctx_reason
misfit(const struct selection *s, size_t i, int64_t turns)
{
	const struct ctx_policy *p = s->p;
	const struct ctx_item *it = &s->h->items[i];
	int64_t messages, quarters = group_cost(s, i, &messages);

	if (p->since != CTX_TIME_NONE && it->created_at != CTX_TIME_NONE &&
	    it->created_at < p->since)
		return CTX_REASON_SINCE;
	if (p->max_turns >= 0 && turns >= p->max_turns)
		return CTX_REASON_TURNS;
	if (p->max_messages >= 0 && s->messages + messages > p->max_messages)
		return CTX_REASON_COUNT;
	if (p->budget >= 0 && quarters > 4 * p->budget - s->spent)
		return CTX_REASON_BUDGET;
	return CTX_REASON_NONE;
}

static void
drop_group(struct selection *s, size_t i, enum ctx_reason why)
{
	for (int64_t k = (int64_t)s->h->items[i].group; k >= 0; k = s->next[k]) {
		struct ctx_item *it = &s->h->items[k];
		it->keep = false;
		it->cut_to = 0;
		it->reason = why;
	}
}

/* Returns the index from which history is kept. seen: groups that were decided. */
static size_t
take_recent(struct selection *s, bool *seen)
{
	struct ctx_history *h = s->h;
	int64_t turns = 0;
	size_t start = h->n;
	enum ctx_reason stop = CTX_REASON_NONE;

	for (size_t i = h->n; i-- > 0;) {
		struct ctx_item *it = &h->items[i];
		int64_t messages;
		if (it->slot != CTX_SLOT_HISTORY || it->malformed != CTX_REASON_NONE)
			continue;
		if (it->far && stop == CTX_REASON_NONE)
			stop = s->p->budget >= 0 ? CTX_REASON_BUDGET : CTX_REASON_COUNT;
		if (!seen[it->group]) {
			seen[it->group] = true;
			if (stop == CTX_REASON_NONE)
				stop = misfit(s, i, turns);
			if (stop == CTX_REASON_NONE) {
				group_cost(s, i, &messages);
				s->messages += messages;
				keep_group(s, i);
			}
		}
		if (stop == CTX_REASON_NONE)
			start = i;
		else if (!it->keep)
			drop_group(s, i, stop);
		turns += it->starts_turn;
	}
	return start;
}

/* The first item of history in its group; a volatile addition may stand before it. */
static size_t
first_of_group(const struct selection *s, size_t i)
{
	int64_t k = (int64_t)s->h->items[i].group;

	while (s->next[k] >= 0 && s->h->items[k].slot != CTX_SLOT_HISTORY)
		k = s->next[k];
	return (size_t)k;
}

/* What is kept must begin with a turn: drop what leads up to the first one, and groups that
 * reach further up than that, except what had to stay. In a running tool loop, whose user
 * message was kept from further up, it begins where it begins. */
static void
begin_with_turn(struct selection *s, const bool *required, size_t start)
{
	struct ctx_history *h = s->h;
	size_t first = start;

	if (ctx_history_current_turn(h) >= start)
		while (first < h->n && !h->items[first].starts_turn)
			first++;
	for (size_t i = 0; i < h->n; i++) {
		struct ctx_item *it = &h->items[i];
		if (it->slot == CTX_SLOT_HISTORY && it->keep && !required[it->group] &&
		    !is_system(it) && first_of_group(s, i) < first)
			drop_group(s, i, CTX_REASON_NO_USER_BEFORE);
	}
}

int
ctx_select_recent(struct ctx_history *h, const struct ctx_policy *p, struct ctx_err *err)
{
	struct selection s = {h, p, NULL, 0, 0};
	bool *seen, *required;
	int rc = 0;

	s.next = ctx_mem_new((h->n + 1) * sizeof(*s.next));
	seen = ctx_mem_new(h->n + 1);
	required = ctx_mem_new(h->n + 1);
	link_groups(&s);
	keep_required(&s);
	for (size_t i = 0; i < h->n; i++)
		required[h->items[i].group] |= h->items[i].keep;
	if (p->budget >= 0 && s.spent > 4 * p->budget)
		rc = shrink_results(&s, err);
	if (rc == 0) {
		keep_volatile(&s);
		begin_with_turn(&s, required, take_recent(&s, seen));
	}
	free(s.next);
	free(seen);
	free(required);
	return rc;
}
