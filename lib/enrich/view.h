/* Additions of a request that continues a run: what earlier requests already contain,
 * unchanged, is in view and is not added again. */
#ifndef CTX_ENRICH_VIEW_H
#define CTX_ENRICH_VIEW_H

#include "enrich/arrange.h"

struct ctx_view {
	/* given: the newest message of the request that is continued, -1 if the request
	 * begins a run; the mode of the message, or NULL */
	int64_t sent_seq;
	const char *mode;
	/* additions to send; texts are borrowed, or held in own */
	struct ctx_addition *list;
	size_t n;
	/* items in view: elements of the JSON array in_view of a request record */
	struct ctx_buf in_view;
	char **own;
	size_t n_own, cap_own;
};

/* Keeps those of the n additions that the window in does not contain yet. If the request
 * continues another, nothing is added for a turn whose message was already sent, and
 * additions to the prefix are sent with the message. An item in view is compared by its
 * newest text; counts and times of entities are ignored. A mode that comes back, whose text
 * is in view, is named in one line. */
void ctx_view_make(struct ctx_view *v, const struct ctx_addition *additions, size_t n,
    const struct ctx_stream *in, const struct ctx_enriched *w);
void ctx_view_release(struct ctx_view *v);

#endif
