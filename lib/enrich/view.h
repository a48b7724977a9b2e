/* Chooses the additions (texts from ctx-enrich) that must be sent with a request of a
 * run. If an earlier request of the run already contains an addition, unchanged, this
 * addition is "in view" and is not sent again. */
#ifndef CTX_ENRICH_VIEW_H
#define CTX_ENRICH_VIEW_H

#include "enrich/arrange.h"

struct ctx_view {
	/* Set by the caller. sent_seq: sequence number of the newest message in the
	 * request that is continued, or -1 if the request begins a run. mode: the mode of
	 * the message, or NULL. */
	int64_t sent_seq;
	const char *mode;
	/* additions to send; their texts are borrowed, or stored in the member own */
	struct ctx_addition *list;
	size_t n;
	/* the additions in view: the elements of the array "in_view" of a request
	 * record */
	struct ctx_buf in_view;
	char **own;
	size_t n_own, cap_own;
};

/* Selects from the n additions those that the window *in does not contain yet, and stores
 * them in v->list. Two rules apply if the request continues another request: for a turn
 * whose message was already sent, nothing is added; and additions to the prefix are
 * placed beside the message. An item is in view unchanged if the newest text of this item
 * in view equals the item's text now; entities are compared without their counts and
 * times. If an earlier mode returns while its text is in view, only a line with the name
 * of the mode is added. */
void ctx_view_make(struct ctx_view *v, const struct ctx_addition *additions, size_t n,
    const struct ctx_stream *in, const struct ctx_enriched *w);
void ctx_view_release(struct ctx_view *v);

#endif
