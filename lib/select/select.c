#include "select/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define COMPREHENSIVE_BUDGET 4000

const char *
ctx_reason_name(enum ctx_reason r)
{
	static const char *const names[] = {
	    [CTX_REASON_NONE] = "none",
	    [CTX_REASON_BUDGET] = "over_budget",
	    [CTX_REASON_COUNT] = "over_count",
	    [CTX_REASON_TURNS] = "over_turns",
	    [CTX_REASON_SINCE] = "too_old",
	    [CTX_REASON_STABLE] = "before_stable_cut",
	    [CTX_REASON_NEXT_CUT] = "next_cut",
	    [CTX_REASON_NO_USER_BEFORE] = "no_user_before",
	    [CTX_REASON_ORPHAN_RESULT] = "orphan_result",
	    [CTX_REASON_DUPLICATE_RESULT] = "duplicate_result",
	    [CTX_REASON_UNANSWERED_CALL] = "unanswered_call",
	    [CTX_REASON_MALFORMED_CALL] = "malformed_call",
	    [CTX_REASON_MALFORMED_CONTENT] = "malformed_content",
	    [CTX_REASON_HIDDEN] = "hidden",
	    [CTX_REASON_SUMMARIZED] = "summarized",
	    [CTX_REASON_SCORE] = "low_score",
	    [CTX_REASON_FILTER] = "tool_result",
	    [CTX_REASON_SYSTEM] = "long_system",
	    [CTX_REASON_UNIMPORTANT] = "unimportant",
	    [CTX_REASON_CUT] = "cut",
	    [CTX_REASON_TRUNCATED] = "truncated",
	    [CTX_REASON_CLEARED] = "cleared",
	};
	return names[r];
}

void
ctx_policy_init(struct ctx_policy *p)
{
	memset(p, 0, sizeof(*p));
	p->budget = p->cut_base = p->max_messages = p->max_turns = -1;
	p->since = CTX_TIME_NONE;
	p->provider = -1;
	p->tools_keep = 3;
	p->max_chars = 5000;
}

bool
ctx_selection_group_required(const struct ctx_selection *s, size_t i)
{
	CTX_EACH_OF_GROUP(s, i, k)
		if (s->required[k])
			return true;
	return false;
}

void
ctx_selection_drop(struct ctx_selection *s, size_t i, enum ctx_reason why)
{
	CTX_EACH_OF_GROUP(s, i, k) {
		if (!s->h->items[k].keep)
			continue;
		s->h->items[k].keep = false;
		s->h->items[k].reason = why;
	}
}

int64_t
ctx_selection_count(struct ctx_selection *s, struct ctx_span message)
{
	struct ctx_err ignored;

	return ctx_message_parse(&s->h->scratch, message, &ignored) < 0
		   ? -1
		   : ctx_tokens_sent(s->p->tokenizer, &s->h->scratch, s->p->provider);
}

void
ctx_selection_change(
    struct ctx_selection *s, size_t i, const struct ctx_buf *b, enum ctx_reason why)
{
	struct ctx_item *it = &s->h->items[i];
	int64_t tokens;

	if (it->sent || ctx_span_eq(ctx_buf_span(b), it->message))
		return;
	it->message = ctx_arena_copy(&s->h->arena, ctx_buf_span(b));
	it->reason = why;
	tokens = ctx_selection_count(s, it->message);
	if (tokens >= 0)
		it->tokens = tokens;
}

/* ---- strategies ---- */

/* ---- required items ---- */

static void
link_items(struct ctx_selection *s)
{
	struct ctx_history *h = s->h;
	size_t *tail = ctx_mem_new((h->n + 1) * sizeof(*tail)), turn = h->n;

	for (size_t i = 0; i < h->n; i++) {
		struct ctx_item *it = &h->items[i];
		it->keep = it->malformed == CTX_REASON_NONE;
		it->reason = it->malformed;
		s->next[i] = h->n;
		if (it->group != i)
			s->next[tail[it->group]] = i;
		tail[it->group] = i;
		if (it->starts_turn)
			turn = i;
		/* A group belongs to the turn in which it begins. */
		s->turn[i] = it->slot == CTX_SLOT_HISTORY &&
				     h->items[it->group].slot == CTX_SLOT_HISTORY &&
				     it->group != i
				 ? s->turn[it->group]
				 : turn;
	}
	free(tail);
}

static void
require_group(struct ctx_selection *s, size_t i)
{
	CTX_EACH_OF_GROUP(s, i, k)
		s->required[k] = s->h->items[k].keep;
}

/* Requires the group, and the message that starts the turn in which the group begins. */
static void
require_with_turn(struct ctx_selection *s, size_t i)
{
	size_t first = s->h->items[i].group;

	if (!s->h->items[i].keep)
		return;
	require_group(s, i);
	if (s->turn[first] != s->h->n && !ctx_role_is_system(s->h->items[first].role))
		require_group(s, s->turn[first]);
}

static bool
is_protected(const struct ctx_selection *s, const struct ctx_item *it)
{
	if (it->pinned || it->sent ||
	    (it->slot == CTX_SLOT_HISTORY && s->p->protect_roles >> it->role & 1))
		return true;
	for (size_t r = it->first_ref; r < it->first_ref + it->n_refs; r++)
		for (size_t t = 0; t < s->p->n_protect_tools; t++)
			if (ctx_json_is(s->h->refs[r].name, s->p->protect_tools[t]))
				return true;
	return false;
}

/* Requires the newest groups and turns, as given by keep_last and keep_turns. */
static void
require_newest(struct ctx_selection *s)
{
	struct ctx_history *h = s->h;
	int64_t groups = 0, turns = 0;

	for (size_t i = h->n; i-- > 0;) {
		struct ctx_item *it = &h->items[i];
		if (it->slot != CTX_SLOT_HISTORY || !it->keep)
			continue;
		if (!s->required[i] && groups < s->p->keep_last)
			require_with_turn(s, i);
		groups += it->group == i;
		if (turns < s->p->keep_turns)
			require_with_turn(s, i);
		turns += it->starts_turn;
	}
}

static void
require_selection_items(struct ctx_selection *s)
{
	struct ctx_history *h = s->h;
	size_t current = ctx_history_current_turn(h), last = h->n;
	bool opening = true;

	for (size_t i = 0; i < h->n; i++) {
		struct ctx_item *it = &h->items[i];
		if (it->slot == CTX_SLOT_SUMMARY ||
		    (it->slot == CTX_SLOT_PREFIX && !s->p->drop_prefix))
			s->required[i] = true;
		if (it->slot == CTX_SLOT_HISTORY) {
			opening = opening && ctx_role_is_system(it->role);
			if (opening)
				s->required[i] = true;
			if (it->keep)
				last = i;
		}
		if (is_protected(s, it))
			require_with_turn(s, i);
	}
	if (current != h->n)
		require_group(s, current);
	if (last != h->n)
		require_with_turn(s, last);
	require_newest(s);
}

void
ctx_selection_init(
    struct ctx_selection *s, struct ctx_history *h, const struct ctx_policy *p)
{
	*s = (struct ctx_selection){.h = h, .p = p, .budget = p->budget, .over = p->over};
	s->next = ctx_mem_new((h->n + 1) * sizeof(*s->next));
	s->turn = ctx_mem_new((h->n + 1) * sizeof(*s->turn));
	s->required = ctx_mem_new(h->n + 1);
	link_items(s);
	require_selection_items(s);
}

void
ctx_selection_release(struct ctx_selection *s)
{
	free(s->next);
	free(s->turn);
	free(s->required);
}

/* ---- result of the selection ---- */

static bool
over_budget(const struct ctx_selection *s)
{
	return s->budget >= 0 && ctx_history_kept(s->h) > s->budget;
}

/* Restores the group of item i, if it fits into the budget. */
static bool
bring_back(struct ctx_selection *s, size_t i)
{
	int64_t tokens = 0;

	CTX_EACH_OF_GROUP(s, i, k)
		tokens += s->h->items[k].keep ? 0 : s->h->items[k].tokens;
	if (s->budget >= 0 && ctx_history_kept(s->h) + tokens > s->budget)
		return false;
	CTX_EACH_OF_GROUP(s, i, k) {
		if (s->h->items[k].keep)
			continue;
		s->h->items[k].keep = true;
		s->h->items[k].reason = CTX_REASON_NONE;
	}
	return true;
}

/* The kept messages must begin with a user message: adds the message that starts the
 * first turn, or drops what precedes the first user message. */
static void
begin_with_turn(struct ctx_selection *s)
{
	struct ctx_history *h = s->h;

	for (size_t i = 0; i < h->n && !(h->items[i].keep && h->items[i].starts_turn);
	     i++) {
		struct ctx_item *it = &h->items[i];
		size_t turn = s->turn[i];
		if (!it->keep || it->slot != CTX_SLOT_HISTORY ||
		    ctx_role_is_system(it->role))
			continue;
		if (turn != h->n && h->items[turn].malformed == CTX_REASON_NONE &&
		    bring_back(s, turn))
			return;
		if (!ctx_selection_group_required(s, i))
			ctx_selection_drop(s, i, CTX_REASON_NO_USER_BEFORE);
	}
}

/* True if everything fits into the budget, so nothing must be dropped. */
static bool
is_within(const struct ctx_selection *s)
{
	return s->budget >= 0 && !s->over && !over_budget(s);
}

/* True if recent has another limit than the budget. Messages beyond it may be in the
 * history. */
static bool
has_window(const struct ctx_selection *s)
{
	const struct ctx_policy *p = s->p;

	for (size_t i = 0; i < s->h->n; i++)
		if (s->h->items[i].far)
			return true;
	return p->max_messages >= 0 || p->max_turns >= 0 || p->since != CTX_TIME_NONE ||
	       p->stable_step > 0 || p->stable_base > 0;
}

/* True if the strategy would change nothing. */
static bool
is_strategy_idle(struct ctx_selection *s, enum ctx_strategy strategy)
{
	if (strategy == CTX_STRATEGY_COMPREHENSIVE && s->budget < 0)
		s->budget = COMPREHENSIVE_BUDGET;
	return is_within(s) && (ctx_strategies[strategy].fits || s->p->only_over) &&
	       (strategy != CTX_STRATEGY_RECENT || !has_window(s));
}

int
ctx_select(struct ctx_history *h, const struct ctx_policy *p, struct ctx_err *err)
{
	struct ctx_selection s;
	bool ran = false, truncated = false;
	int rc = 0;

	ctx_selection_init(&s, h, p);
	for (size_t i = 0; rc == 0 && i < p->n_strategies; i++) {
		enum ctx_strategy strategy = p->strategies[i];
		if (is_strategy_idle(&s, strategy))
			continue;
		rc = ctx_strategies[strategy].run(&s, err);
		s.over = s.over && strategy != CTX_STRATEGY_RECENT;
		ran = true;
		truncated |= strategy == CTX_STRATEGY_TRUNCATE;
	}
	if (rc == 0 && (ran || p->user_first))
		begin_with_turn(&s);
	if (rc == 0 && (p->n_strategies == 0 ? !is_strategy_idle(&s, CTX_STRATEGY_RECENT)
					     : over_budget(&s))) {
		rc = ctx_strategy_recent(&s, err);
		if (rc == 0)
			begin_with_turn(&s);
	}
	if (rc == 0 && truncated) /* restored groups were not truncated yet */
		rc = ctx_strategies[CTX_STRATEGY_TRUNCATE].run(&s, err);
	ctx_selection_release(&s);
	return rc;
}
