/* Rebuilds the window from which an earlier request was rendered. */
#ifndef CTX_WINDOW_REPLAY_H
#define CTX_WINDOW_REPLAY_H

#include "store/store.h"

/* Appends the records of the window: the session record; the messages (including hidden
 * ones) and the added texts that the request record lists; and the request record itself.
 * record: the request record. Rendering these records gives the same bytes as the earlier
 * request. Fails with CTX_EANSWER if one of the messages is no longer in the store. */
int ctx_replay_print(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_span record, struct ctx_err *err);

#endif
