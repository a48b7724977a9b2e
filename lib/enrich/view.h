/* Additions of a request that continues a run: what earlier requests already contain,
 * unchanged, is in view and is not added again. */
#ifndef CTX_ENRICH_VIEW_H
#define CTX_ENRICH_VIEW_H

#include "enrich/arrange.h"

struct ctx_view {
	/* additions to send; texts are borrowed, or held in own */
	struct ctx_addition *list;
	size_t n;
	/* items in view: elements of the JSON array in_view of a request record */
	struct ctx_buf in_view;
	char **own;
	size_t n_own, cap_own;
};

/* Keeps those of the n additions that the window in does not contain yet. If the request
 * continues another, whose newest message was sent_seq (-1: it begins the run), nothing
 * is added for a turn whose message was already sent, and additions to the prefix are
 * sent with the message. An item in view is compared by its newest text; counts and times
 * of entities are ignored. */
void ctx_view_make(struct ctx_view *v, const struct ctx_addition *additions, size_t n,
    const struct ctx_stream *in, const struct ctx_enriched *w, int64_t sent_seq);
void ctx_view_release(struct ctx_view *v);

#endif
