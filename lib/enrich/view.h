/* Chooses which additions (texts from ctx-enrich) are sent with a request that continues
 * earlier requests of a run. An addition that an earlier request of the run already
 * contains, unchanged, is "in view" and is not sent again. */
#ifndef CTX_ENRICH_VIEW_H
#define CTX_ENRICH_VIEW_H

#include "enrich/arrange.h"

struct ctx_view {
	/* sent_seq and mode are set by the caller. sent_seq: sequence number of the
	 * newest message in the request that this request continues; -1: this request
	 * begins a run. mode: the mode of the current message, or NULL. */
	int64_t sent_seq;
	const char *mode;
	/* additions to send; their texts are borrowed, except those in the array "own" */
	struct ctx_addition *list;
	size_t n;
	/* The additions that were chosen but are already in the window: elements for the
	 * array "in_view" of a request record. */
	struct ctx_buf in_view;
	char **own;
	size_t n_own, cap_own;
};

/* Selects from the n additions those that the window *in does not contain yet, and stores
 * them in v->list. An item counts as contained if its newest text in the window equals
 * its present text. Entities are compared without their counts and times.
 *
 * If the request continues another request, nothing is added for a turn whose message was
 * already sent, and all additions are placed beside the current message. If the newest
 * addition for a mode, in v->list or in the window, is for another mode than v->mode, a
 * line with the name of v->mode is added. */
void ctx_view_make(struct ctx_view *v, const struct ctx_addition *additions, size_t n,
    const struct ctx_stream *in, const struct ctx_enriched *w);
void ctx_view_release(struct ctx_view *v);

#endif
