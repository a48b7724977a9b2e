/* Private to lib/window: finds where a stable window begins. */
#ifndef CTX_WINDOW_STABLE_H
#define CTX_WINDOW_STABLE_H

#include "store/store.h"

struct ctx_stable_options {
	int64_t avail;    /* tokens that a window can hold */
	int64_t low;      /* most tokens that a cut leaves */
	int64_t cut_base; /* as in struct ctx_policy */
	int64_t until;    /* sequence number of the newest message */
	int64_t covered;  /* a summary covers all messages up to this one; 0: none */
	const struct ctx_seq_range *hidden;
	size_t n_hidden;
};

/* Computes the session's tokens before the window (token_sum); 0: nothing had to be cut
 * yet. Goes through the messages as if a request had been made after each message that
 * allows one: whenever the window no longer fits, it is cut to the first group that
 * leaves at most `low`, and stays there until it is full again. So every caller finds the
 * same cut without knowing other requests. To read no more than a few windows of
 * messages, and only their heads, the computation restarts at every fourth cut. */
int ctx_stable_base(int64_t *base, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_stable_options *o, struct ctx_err *err);

#endif
