/* Additions to a request that continues a run. An addition that earlier requests of the
 * run already contain, unchanged, is "in view" and is not added again. */
#ifndef CTX_ENRICH_VIEW_H
#define CTX_ENRICH_VIEW_H

#include "enrich/arrange.h"

struct ctx_view {
	/* set by the caller: sequence number of the newest message in the request to
	 * continue, or -1 if the request begins a run; the message's mode, or NULL */
	int64_t sent_seq;
	const char *mode;
	/* additions to send; their texts are borrowed, or stored in own */
	struct ctx_addition *list;
	size_t n;
	/* items in view: the elements of the array "in_view" of a request record */
	struct ctx_buf in_view;
	char **own;
	size_t n_own, cap_own;
};

/* Selects those of the n additions that the window in does not contain yet. If the
 * request continues another one, nothing is added for a turn whose message was already
 * sent, and additions to the prefix are sent together with the message. An item in view
 * is compared by its newest text; entities are compared without their counts and times. A
 * mode that returns, and whose text is in view, is announced by one line. */
void ctx_view_make(struct ctx_view *v, const struct ctx_addition *additions, size_t n,
    const struct ctx_stream *in, const struct ctx_enriched *w);
void ctx_view_release(struct ctx_view *v);

#endif
