/* Private to the store: compact request records. A record of a run stores only what is
 * new in it; its list of messages begins with {"of":ID}, the row of the request that it
 * continues. */
#ifndef CTX_STORE_REQUEST_CHAIN_H
#define CTX_STORE_REQUEST_CHAIN_H

#include "store/store.h"

/* Appends a request record of session s. If it continues a stored request and starts with
 * all messages of that one, they are replaced by a reference. */
int ctx_chain_shorten(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_buf *out, struct ctx_err *err);

/* Appends a stored record of the session with references replaced by the messages. Texts of
 * additions are not filled in. */
int ctx_chain_expand(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

#endif
