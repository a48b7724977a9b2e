/* Stores the texts of messages that were sent in a request but are not messages of the
 * session, such as additions. The request record refers to each text by its SHA-256. A
 * session stores a text once; sessions do not share texts. */
#ifndef CTX_STORE_CONTENT_H
#define CTX_STORE_CONTENT_H

#include "base/hash.h"
#include "store/store.h"

/* Appends the session's text with this digest to *out. Returns 1 if the text was found, 0
 * if no such text is stored, -1 on error. */
int ctx_content_get(struct ctx_store *st, int64_t session_no, struct ctx_span sha256,
    struct ctx_buf *out, struct ctx_err *err);

/* Appends a request record without the messages themselves: in the record's list of
 * messages, the member "message" is removed from each object. The removed message is
 * stored as a text of the session, under the SHA-256 of the message. Fails with
 * CTX_EINPUT if the object's member "sha256" is not the SHA-256 of the message. Call
 * inside a write transaction. */
int ctx_content_pack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

/* Checks the list of messages of a request record. Fails with CTX_EINPUT if an object in
 * this list has a message whose SHA-256 is not the value of the object's member
 * "sha256". */
int ctx_content_check(struct ctx_span record, struct ctx_err *err);

/* Reverses ctx_content_pack: appends the record with its "message" members. If the record
 * refers to an earlier request of the run, the messages of that request are inserted
 * too. */
int ctx_content_unpack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

#endif
