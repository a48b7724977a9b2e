/* Private to the store: the compact form in which request records are stored. If a
 * request continues an earlier request, the compact form contains only the new messages.
 * The list of messages in the compact form then begins with {"of":ID}, where ID is the
 * row id of the earlier request. */
#ifndef CTX_STORE_REQUEST_CHAIN_H
#define CTX_STORE_REQUEST_CHAIN_H

#include "store/store.h"

/* Appends the compact form of a request record of session *s. If the request continues an
 * earlier request in the store, and the record's list of messages begins with all
 * messages of the earlier request, replaces these messages with the reference {"of":ID}.
 * Otherwise appends the record unchanged. */
int ctx_chain_shorten(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_buf *out, struct ctx_err *err);

/* Appends a stored request record of the session in full: replaces the reference
 * {"of":ID} with the messages of the earlier request. Does not fill in texts that are
 * stored separately (store/content.h). */
int ctx_chain_expand(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

#endif
