#include "select/cover.h"
#include "select/internal.h"

#include <stdlib.h>

#include "base/mem.h"

int64_t
ctx_cover_turns(const struct ctx_history *h)
{
	int64_t turns = 0;

	for (size_t i = 0; i < h->n; i++)
		turns += h->items[i].starts_turn;
	return turns;
}

/* Returns the index of the message that starts the first turn after those to replace. */
static size_t
cut_by_turns(const struct ctx_history *h, double fraction)
{
	int64_t turns = ctx_cover_turns(h), go = (int64_t)(fraction * (double)turns);

	if (go < 1)
		go = fraction > 0 ? 1 : 0;
	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].starts_turn && go-- == 0)
			return i;
	return h->n;
}

/* Returns the index of the first item of the groups to keep, or 0 if there are no more
 * groups than that. */
static size_t
cut_by_groups(const struct ctx_history *h, int64_t keep)
{
	int64_t groups = 0;

	for (size_t i = h->n; i-- > 0;) {
		if (groups >= keep)
			return i + 1;
		groups += h->items[i].slot == CTX_SLOT_HISTORY && h->items[i].group == i;
	}
	return 0;
}

/* Moves the cut down until no group has items on both sides of it. */
static size_t
whole_groups(const struct ctx_history *h, size_t cut)
{
	size_t low = cut;

	for (size_t i = h->n; i-- > low;)
		if (h->items[i].group < low)
			low = h->items[i].group;
	return low;
}

/* Returns the index of the item that starts the turn of item i, or h->n. */
static size_t
turn_of(const struct ctx_history *h, size_t i)
{
	for (i++; i-- > 0;)
		if (h->items[i].starts_turn)
			return i;
	return h->n;
}

/* Marks the items before the cut: opening system messages and groups with a pinned
 * message stay. */
static void
mark_staying(const struct ctx_history *h, size_t cut, bool opening, enum ctx_cover *how)
{
	bool *pinned = ctx_mem_new(h->n + 1);

	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].pinned)
			pinned[h->items[i].group] = true;
	for (size_t i = 0; i < cut; i++) {
		const struct ctx_item *it = &h->items[i];
		if (it->slot != CTX_SLOT_HISTORY)
			continue;
		opening = opening && ctx_role_is_system(it->role);
		how[i] = opening || pinned[it->group] ? CTX_COVER_STAYS : CTX_COVER_IN;
	}
	free(pinned);
}

/* Keeps the message that starts the turn of each item that stays. */
static void
mark_turns(const struct ctx_history *h, size_t cut, enum ctx_cover *how)
{
	size_t turn = h->n;

	for (size_t i = 0; i < cut; i++) {
		if (h->items[i].starts_turn)
			turn = i;
		if (how[i] == CTX_COVER_STAYS && !ctx_role_is_system(h->items[i].role) &&
		    turn != h->n && how[turn] == CTX_COVER_IN)
			how[turn] = CTX_COVER_BOTH;
	}
	for (size_t i = cut; i < h->n; i++)
		if (h->items[i].slot == CTX_SLOT_HISTORY) {
			turn = turn_of(h, i);
			if (turn < cut && how[turn] == CTX_COVER_IN)
				how[turn] = CTX_COVER_BOTH;
			break;
		}
}

/* A volatile addition is treated like the turn for which it was made. */
static void
mark_volatile(const struct ctx_history *h, size_t cut, enum ctx_cover *how)
{
	enum ctx_cover owner = CTX_COVER_OUT;

	for (size_t i = cut; i-- > 0;) {
		if (h->items[i].starts_turn)
			owner = how[i];
		if (h->items[i].slot == CTX_SLOT_VOLATILE && owner == CTX_COVER_IN)
			how[i] = CTX_COVER_IN;
	}
}

size_t
ctx_cover_plan(
    const struct ctx_history *h, const struct ctx_cover_options *o, enum ctx_cover *how)
{
	size_t current = ctx_history_current_turn(h), cut, n = 0;

	for (size_t i = 0; i < h->n; i++)
		how[i] = CTX_COVER_OUT;
	if (current == h->n)
		return 0;
	cut = o->keep_last >= 0 ? cut_by_groups(h, o->keep_last)
				: cut_by_turns(h, o->fraction);
	cut = whole_groups(h, cut < current ? cut : current);
	mark_staying(h, cut, !o->continued, how);
	mark_turns(h, cut, how);
	mark_volatile(h, cut, how);
	for (size_t i = 0; i < h->n; i++)
		n += how[i] == CTX_COVER_IN;
	for (size_t i = 0; n > 0 && i < h->n; i++)
		if (h->items[i].slot == CTX_SLOT_SUMMARY) {
			how[i] = CTX_COVER_IN;
			n++;
		}
	return n;
}
