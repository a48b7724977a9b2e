/* Texts stored once each under their SHA-256: the contents of items, and the parts of
 * requests that are not messages of the log. */
#ifndef CTX_STORE_CONTENT_H
#define CTX_STORE_CONTENT_H

#include "base/hash.h"
#include "store/store.h"

/* Stores a text and writes its digest to sha256. Call inside a write transaction. */
int ctx_content_put(struct ctx_store *st, struct ctx_span body,
    char sha256[CTX_HASH_HEX + 1], struct ctx_err *err);

/* Appends the text with that digest. Returns 1, or 0 if it is not stored, or -1 on error. */
int ctx_content_get(struct ctx_store *st, struct ctx_span sha256, struct ctx_buf *out,
    struct ctx_err *err);

/* Copies a request record without the "message" members of its message entries. Each of
 * these messages is stored as a content under the entry's sha256, which must match
 * (CTX_EINPUT). Calls use(arg, sha256) for each. Call inside a write transaction. */
int ctx_content_pack(struct ctx_store *st, struct ctx_span record, struct ctx_buf *out,
    int (*use)(void *arg, const char *sha256, struct ctx_err *err), void *arg,
    struct ctx_err *err);

/* Checks that each message in the record has the digest that its entry gives. CTX_EINPUT
 * when one does not. */
int ctx_content_check(struct ctx_span record, struct ctx_err *err);

/* Reverses ctx_content_pack: restores "message" after each sha256, and the messages that
 * a request of a run shares with the request it continues. */
int ctx_content_unpack(struct ctx_store *st, struct ctx_span record, struct ctx_buf *out,
    struct ctx_err *err);

/* Forgets which texts the session's requests use, and deletes the texts that no other
 * request or item uses. Adds the numbers of deleted and of kept texts to *dropped and
 * *kept. Used for erasing; call inside a write transaction. */
int ctx_content_forget(struct ctx_store *st, const struct ctx_session *s,
    int64_t *dropped, int64_t *kept, struct ctx_err *err);

/* Deletes a text that one user has given up, unless a request or an item still uses it.
 * Call inside a write transaction. */
int ctx_content_release(struct ctx_store *st, const char *sha256, struct ctx_err *err);

#endif
