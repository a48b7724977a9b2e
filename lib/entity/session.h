/* What a session says about entities. The session must have been tracked up to its last
 * message (ctx_tracker_catch_up). */
#ifndef CTX_ENTITY_SESSION_H
#define CTX_ENTITY_SESSION_H

#include "store/mention.h"
#include "entity/resolve.h"

/* Lists all entities that the session mentions, the most relevant at the time now (ms
 * since the epoch) first. The caller frees *list. */
int ctx_entity_uses_ranked(struct ctx_store *st, const struct ctx_session *s, int64_t now,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err);

/* Appends the member "mentions" with at most max mentions (-1: all). Each has seq,
 * created_at, offset and text, and as context up to 60 bytes of whole words before and
 * after it. For messages that are only in an archive, the texts kept by the full-text
 * index are read. */
int ctx_entity_print_mentions(struct ctx_buf *b, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_entity_use *use, int64_t max,
    struct ctx_err *err);

/* Asks the resolver about the entities that the session mentions and about which nothing
 * is known at the time now (ms since the epoch). A NULL type means entities of all types.
 * Appends a record for each answer. A failure of the resolver is reported in *why, and
 * the answers received are appended all the same. Returns -1 with err set on other
 * errors. */
int ctx_entity_resolve(struct ctx_buf *b, struct ctx_store *st, struct ctx_resolver *r,
    const struct ctx_session *s, const char *type, int64_t now, struct ctx_err *why,
    struct ctx_err *err);

#endif
