/* Private to the store: request records of a run hold only what is new in them. Their list of
 * messages begins with {"of":ID}, the row of the request that they continue. */
#ifndef CTX_STORE_REQUEST_CHAIN_H
#define CTX_STORE_REQUEST_CHAIN_H

#include "store/store.h"

/* Appends a request record of session s with the beginning of its messages replaced by a
 * reference, if it continues a stored request and begins with all messages of that one; else
 * as it is. */
int ctx_chain_shorten(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_buf *out, struct ctx_err *err);

/* The reverse, for a stored record. The texts of additions stay out, as they are stored. */
int ctx_chain_expand(struct ctx_store *st, struct ctx_span record, struct ctx_buf *out,
    struct ctx_err *err);

#endif
