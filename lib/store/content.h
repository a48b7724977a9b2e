/* Texts kept once each, by their SHA-256: what items hold, and what requests sent that is
 * no message of the log as it stands there. */
#ifndef CTX_STORE_CONTENT_H
#define CTX_STORE_CONTENT_H

#include "base/hash.h"
#include "store/store.h"

/* Keep a text and write its digest to sha256. In a write transaction. */
int ctx_content_put(struct ctx_store *st, struct ctx_span body,
    char sha256[CTX_HASH_HEX + 1], struct ctx_err *err);

/* Append the text: 1; 0 when there is none with that digest; -1. */
int ctx_content_get(struct ctx_store *st, struct ctx_span sha256, struct ctx_buf *out,
    struct ctx_err *err);

/* Copy a request record without the member "message" of the entries of its messages. Each
 * such message is kept by content, under the entry's sha256, which must be its digest
 * (CTX_EINPUT). use(arg, sha256) is told of each. In a write transaction. */
int ctx_content_pack(struct ctx_store *st, struct ctx_span record, struct ctx_buf *out,
    int (*use)(void *arg, const char *sha256, struct ctx_err *err), void *arg,
    struct ctx_err *err);

/* Does each such message have the digest that its entry says? CTX_EINPUT when one has not. */
int ctx_content_check(struct ctx_span record, struct ctx_err *err);

/* The reverse: puts "message" back after each sha256, and the messages that a request of a
 * run has in common with the one that it continues. */
int ctx_content_unpack(struct ctx_store *st, struct ctx_span record, struct ctx_buf *out,
    struct ctx_err *err);

/* Forget which texts the requests of a session use, and drop the texts that neither
 * another request nor an item uses. How many went and how many stay is added to *dropped
 * and *kept. For erasing; in a write transaction. */
int ctx_content_forget(struct ctx_store *st, const struct ctx_session *s,
    int64_t *dropped, int64_t *kept, struct ctx_err *err);

/* Something that used the text does so no longer: drop it, unless a request or an item uses
 * it. In a write transaction. */
int ctx_content_release(struct ctx_store *st, const char *sha256, struct ctx_err *err);

#endif
