/* The parts of requests that are not messages of the log. A session stores each text once,
 * under its SHA-256; no text is shared with other sessions. */
#ifndef CTX_STORE_CONTENT_H
#define CTX_STORE_CONTENT_H

#include "base/hash.h"
#include "store/store.h"

/* Appends the session's text with that digest. Returns 1, or 0 if it is not stored, or -1 on
 * error. */
int ctx_content_get(struct ctx_store *st, int64_t session_no, struct ctx_span sha256,
    struct ctx_buf *out, struct ctx_err *err);

/* Copies a request record without the "message" members of its message entries. Each of
 * these messages is stored as a content of the session under the entry's sha256, which must
 * match (CTX_EINPUT). Call inside a write transaction. */
int ctx_content_pack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

/* Checks that each message in the record has the digest that its entry gives. CTX_EINPUT
 * when one does not. */
int ctx_content_check(struct ctx_span record, struct ctx_err *err);

/* Reverses ctx_content_pack: restores "message" after each sha256, and the messages that
 * a request of a run shares with the request it continues. */
int ctx_content_unpack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err);

/* Deletes the texts of the sessions with the numbers first_no to last_no and adds how many
 * there were to *dropped. Call inside a write transaction. */
int ctx_content_forget(struct ctx_store *st, int64_t first_no, int64_t last_no,
    int64_t *dropped, struct ctx_err *err);

#endif
