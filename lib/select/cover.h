/* What a summary is to stand for: the oldest messages of a history, whole groups, never
 * the current turn. Pure, as the rest of selection. */
#ifndef CTX_SELECT_COVER_H
#define CTX_SELECT_COVER_H

#include "select/select.h"

struct ctx_cover_options {
	double fraction;   /* of the turns, 0 to 1: the oldest go, at least one; when
			      * keep_last is -1 */
	int64_t keep_last; /* groups that stay, the newest; -1: by fraction */
	bool continued;    /* the history begins behind an older summary: it has no
			      * opening system messages */
};

enum ctx_cover {
	CTX_COVER_OUT, /* not covered: newer, or an addition that is none of its business */
	CTX_COVER_IN,   /* summarised, and replaced */
	CTX_COVER_BOTH, /* summarised, but stays: it begins a turn of which a part stays */
	CTX_COVER_STAYS, /* not summarised: an opening system message, a pinned one or one of
			   * its group */
};

/* Turns that begin in the history. */
int64_t ctx_cover_turns(const struct ctx_history *h);

/* Say of every item what becomes of it, in how[0…h->n-1], and return how many are IN; a
 * history without a current turn, or without anything older, has none. What is IN or
 * BOTH stands before all of the history that is OUT, but for volatile additions. A
 * summary in the history is IN whenever something else is. Needs ctx_history_group
 * first. */
size_t ctx_cover_plan(
    const struct ctx_history *h, const struct ctx_cover_options *o, enum ctx_cover *how);

#endif
