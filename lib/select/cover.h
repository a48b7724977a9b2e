/* Decides which messages a summary replaces: the oldest groups of a history, but never
 * the current turn. Pure: no store, no I/O. */
#ifndef CTX_SELECT_COVER_H
#define CTX_SELECT_COVER_H

#include "select/select.h"

struct ctx_cover_options {
	/* share of the turns to replace, from 0 to 1; the oldest turns are replaced. If
	 * the share is greater than 0, at least one turn is replaced. Used only if
	 * keep_last is -1. */
	double fraction;
	/* number of newest groups to keep; -1: the member fraction decides */
	int64_t keep_last;
	/* true: the history begins after an earlier summary, so it has no opening system
	 * messages */
	bool continued;
};

enum ctx_cover {
	/* not summarized: a message newer than the summarized ones, or an addition (a
	 * text from ctx-enrich) */
	CTX_COVER_OUT,
	CTX_COVER_IN, /* summarized, and replaced by the summary */
	/* summarized, but also kept: the item starts a turn, and later messages of this
	 * turn are kept */
	CTX_COVER_BOTH,
	/* old, but not summarized: an opening system message, or a member of a group with
	 * a pinned message */
	CTX_COVER_STAYS,
};

/* Returns the number of turns that start in the history. */
int64_t ctx_cover_turns(const struct ctx_history *h);

/* Decides for each of the h->n items whether a summary covers it, and sets how[i].
 * Returns the number of items with CTX_COVER_IN. This number is 0 if the history has no
 * current turn, or no items before the current turn. Apart from volatile additions, all
 * CTX_COVER_OUT items come after the CTX_COVER_IN and CTX_COVER_BOTH items. If any item
 * is CTX_COVER_IN, an earlier summary in the history is CTX_COVER_IN too. Call
 * ctx_history_group first. */
size_t ctx_cover_plan(
    const struct ctx_history *h, const struct ctx_cover_options *o, enum ctx_cover *how);

#endif
