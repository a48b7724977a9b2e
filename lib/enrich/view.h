/* Additions of a request of a run: what earlier requests hold unchanged is in view, and is not
 * added again. */
#ifndef CTX_ENRICH_VIEW_H
#define CTX_ENRICH_VIEW_H

#include "enrich/arrange.h"

struct ctx_view {
	struct ctx_addition *list; /* what is added; texts are borrowed, or in own */
	size_t n;
	struct ctx_buf in_view; /* items in view: elements of the JSON array in_view of a
				 * request record */
	char **own;
	size_t n_own, cap_own;
};

/* Keeps of the n additions what the window in lacks. In a request that continues another,
 * whose newest message was sent_seq (-1: it begins the run), nothing is added for a turn
 * whose message was sent, and additions to the prefix go with the message. What is in view
 * is compared with its newest text; of entities the counts and times do not matter. */
void ctx_view_make(struct ctx_view *v, const struct ctx_addition *additions, size_t n,
    const struct ctx_stream *in, const struct ctx_enriched *w, int64_t sent_seq);
void ctx_view_release(struct ctx_view *v);

#endif
