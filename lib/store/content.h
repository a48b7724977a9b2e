/* Texts in request records that are not messages of the session. Each session stores such
 * a text once, under its SHA-256; texts are not shared between sessions. */
#ifndef CTX_STORE_CONTENT_H
#define CTX_STORE_CONTENT_H

#include "base/hash.h"
#include "store/store.h"

/* Appends the session's text with this digest to out. Returns 1 if found, 0 if no such
 * text is stored, -1 on error. */
int ctx_content_get(struct ctx_store *st, int64_t session_no, struct ctx_span sha256,
    struct ctx_buf *out, struct ctx_err *err);

/* Appends a request record, but without the members "message" in its list of messages.
 * Each removed message is stored as a text of the session, under the digest in the member
 * "sha256" beside it. Fails with CTX_EINPUT if that digest is not the digest of the
 * message. Call inside a write transaction. */
int ctx_content_pack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

/* Checks that each "message" in a request record has the digest in the member "sha256" of
 * the same object. Fails with CTX_EINPUT if the digest of one of the messages is
 * different. */
int ctx_content_check(struct ctx_span record, struct ctx_err *err);

/* Reverses ctx_content_pack: appends the record with its "message" members. If the record
 * refers to the request that it continues, the messages of that request are inserted as
 * well. */
int ctx_content_unpack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

#endif
