/* Rebuilds the window that an earlier request was rendered from. */
#ifndef CTX_WINDOW_REPLAY_H
#define CTX_WINDOW_REPLAY_H

#include "store/store.h"

/* Appends the session record, the messages and added texts that the request record lists
 * (hidden messages too), and the request record. Rendering these records again gives the
 * same bytes. Fails with CTX_EANSWER if one of the messages is no longer in the store. */
int ctx_replay_print(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_span record, struct ctx_err *err);

#endif
