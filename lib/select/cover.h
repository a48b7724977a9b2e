/* Decides which messages a summary replaces: the oldest groups of a history, never the
 * current turn. Pure, like all of selection. */
#ifndef CTX_SELECT_COVER_H
#define CTX_SELECT_COVER_H

#include "select/select.h"

struct ctx_cover_options {
	/* used when keep_last is -1: the share of turns to replace, 0 to 1, oldest
	 * first, at least one */
	double fraction;
	int64_t keep_last; /* number of newest groups to keep; -1: use fraction */
	/* the history starts after an older summary, so that it has no opening system
	 * messages */
	bool continued;
};

enum ctx_cover {
	CTX_COVER_OUT, /* not covered: newer, or an addition */
	CTX_COVER_IN,  /* summarised, and replaced */
	CTX_COVER_BOTH, /* summarised and kept: a turn of which a part is kept begins with it */
	/* not summarised: an opening system message, or a pinned message or one of its
	 * group */
	CTX_COVER_STAYS,
};

/* Returns the number of turns that begin in the history. */
int64_t ctx_cover_turns(const struct ctx_history *h);

/* Sets how[0…h->n-1] for every item and returns the number of CTX_COVER_IN items; none in
 * a history without a current turn or with nothing before it. Items IN or BOTH precede
 * all history that is OUT, except volatile additions. A summary in the history is IN
 * whenever another item is. Call ctx_history_group first. */
size_t ctx_cover_plan(
    const struct ctx_history *h, const struct ctx_cover_options *o, enum ctx_cover *how);

#endif
