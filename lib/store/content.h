/* Texts in request records that are not messages of the session. Each session stores such
 * a text once, under its SHA-256; texts are not shared between sessions. */
#ifndef CTX_STORE_CONTENT_H
#define CTX_STORE_CONTENT_H

#include "base/hash.h"
#include "store/store.h"

/* Appends the session's text with this digest to *out. Returns 1 if the text was found, 0
 * if no such text is stored, -1 on error. */
int ctx_content_get(struct ctx_store *st, int64_t session_no, struct ctx_span sha256,
    struct ctx_buf *out, struct ctx_err *err);

/* Appends a request record, in which the members "message" are removed from the list of
 * messages. Each removed message is stored as a text of the session, under its digest,
 * which is in the member "sha256" of the same object. Fails with CTX_EINPUT if that is
 * not the digest of the message. Call inside a write transaction. */
int ctx_content_pack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

/* Checks that each "message" in a request record has the digest that is in the member
 * "sha256" of the same object. Otherwise fails with CTX_EINPUT. */
int ctx_content_check(struct ctx_span record, struct ctx_err *err);

/* Reverses ctx_content_pack: appends the record with its "message" members. If the record
 * has a reference to the request that it continues, the messages of that request are
 * inserted too. */
int ctx_content_unpack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

#endif
