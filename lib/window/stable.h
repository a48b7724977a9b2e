/* Private to lib/window: computes where a stable window begins. A stable window keeps its
 * first message for many requests, and is then cut in one large step. */
#ifndef CTX_WINDOW_STABLE_H
#define CTX_WINDOW_STABLE_H

#include "store/store.h"

struct ctx_stable_options {
	int64_t avail;    /* maximum number of tokens of a window */
	int64_t low;      /* maximum number of tokens of a window directly after a cut */
	int64_t cut_base; /* as in struct ctx_policy */
	/* factor, in thousandths, by which stored token counts are multiplied to convert
	 * them to counts of the window's tokenizer */
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
 * When the messages no longer fit into o->avail, cut the window: remove the oldest groups
 * of messages until at most o->low tokens remain. Then keep the first message until the
 * window is full again. The computation starts at fixed places, about four windows apart;
 * therefore it reads only a few windows, and only the metadata of their messages. */
int ctx_stable_base(int64_t *base, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_stable_options *o, struct ctx_err *err);

#endif
