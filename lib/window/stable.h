/* Private to lib/window: computes where a stable window begins. */
#ifndef CTX_WINDOW_STABLE_H
#define CTX_WINDOW_STABLE_H

#include "store/store.h"

struct ctx_stable_options {
	int64_t avail;    /* maximum number of tokens of a window */
	int64_t low;      /* maximum number of tokens in a window directly after a cut */
	int64_t cut_base; /* as in struct ctx_policy */
	/* factor, in thousandths, that converts stored token counts to the tokenizer's
	 * counts; avail and low are the tokenizer's counts */
	int64_t factor;
	int64_t until; /* sequence number of the newest message */
	/* sequence number of the last message that a summary covers; 0: no summary */
	int64_t covered;
	const struct ctx_seq_range *hidden;
	size_t n_hidden;
};

/* Sets *base to the number of tokens of the session's messages before the window (the
 * token_sum of the window's first message), or to 0 if nothing was cut yet. The result
 * depends only on the messages; therefore every caller finds the same cut without knowing
 * the earlier requests.
 *
 * The rule: assume that a request follows each message after which a request is possible.
 * When the messages no longer fit into o->avail, the window is cut: it then begins with
 * the first group from which on the messages have at most o->low tokens. The window keeps
 * this beginning until it is full again. The computation restarts at every fourth cut;
 * therefore it reads the messages of only a few windows, and only their metadata. */
int ctx_stable_base(int64_t *base, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_stable_options *o, struct ctx_err *err);

#endif
