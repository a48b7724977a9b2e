/* Decides which messages a summary replaces: the oldest groups of a history, but never
 * the current turn. Pure: no store, no I/O. */
#ifndef CTX_SELECT_COVER_H
#define CTX_SELECT_COVER_H

#include "select/select.h"

struct ctx_cover_options {
	/* share of the turns that the summary replaces, from 0 to 1, oldest turns first.
	 * If the share is greater than 0, at least one turn is replaced. Used only if
	 * keep_last is -1. */
	double fraction;
	/* number of newest groups to keep; -1: the member "fraction" decides what is
	 * kept */
	int64_t keep_last;
	/* true: an earlier summary replaces the beginning of the session, so the history
	 * has no opening system messages */
	bool continued;
};

enum ctx_cover {
	/* not covered by the summary: a message that is too new, or an addition (a text
	 * from ctx-enrich) */
	CTX_COVER_OUT,
	CTX_COVER_IN, /* the summary covers the message, and replaces it */
	/* the summary covers the message, but the message is kept too, because it starts
	 * a turn of which later messages are kept */
	CTX_COVER_BOTH,
	/* old enough, but not covered by the summary: an opening system message, or a
	 * member of a group with a pinned message */
	CTX_COVER_STAYS,
};

/* Returns the number of turns in the history. An unfinished turn at the beginning is not
 * counted: only turns whose first message is in the history. */
int64_t ctx_cover_turns(const struct ctx_history *h);

/* Decides for each of the h->n items whether a summary replaces the item, and stores the
 * decision in how[i]. Returns the number of items that the summary replaces
 * (CTX_COVER_IN). This number is 0 if the history has no current turn, or no items before
 * the current turn. All items that are too new to be summarized (CTX_COVER_OUT) come
 * after the summarized items (CTX_COVER_IN, CTX_COVER_BOTH), except for volatile
 * additions. If any item is replaced, an earlier summary in the history is replaced too.
 * Call ctx_history_group first. */
size_t ctx_cover_plan(
    const struct ctx_history *h, const struct ctx_cover_options *o, enum ctx_cover *how);

#endif
