/* Private to lib/window: where a stable window begins. */
#ifndef CTX_WINDOW_STABLE_H
#define CTX_WINDOW_STABLE_H

#include "store/store.h"

struct ctx_stable_options {
	int64_t avail;    /* tokens that a window may hold */
	int64_t low;      /* tokens that a cut leaves, at most */
	int64_t cut_base; /* as in struct ctx_policy */
	int64_t until;    /* seq of the newest message */
	int64_t covered;  /* seq up to which a summary stands for all; 0 */
	const struct ctx_seq_range *hidden;
	size_t n_hidden;
};

/* What stands before the window, in tokens of the session (token_sum); 0: nothing need
 * have been cut yet. It is found by going through the messages again as if a request had
 * been made behind each that may have one: where the window does not fit any more, it is cut down to the
 * first group that leaves at most `low`, and stays there until it does not fit again. So
 * whoever asks finds the same cut, and knows of no other request. To read no more than
 * some windows of messages, of their envelopes alone, that begins anew at every fourth. */
int ctx_stable_base(int64_t *base, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_stable_options *o, struct ctx_err *err);

#endif
