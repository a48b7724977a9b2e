/* What a session knows of entities, once it is caught up. */
#ifndef CTX_ENTITY_SESSION_H
#define CTX_ENTITY_SESSION_H

#include "store/mention.h"
#include "entity/resolve.h"

/* All entities that it names, the most relevant at now (ms) first; *list is owned by the
 * caller. */
int ctx_entity_uses_ranked(struct ctx_store *st, const struct ctx_session *s, int64_t now,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err);

/* Append the member "mentions": at most max of them (-1: all), each with seq, created_at,
 * offset, text, and as context the words in up to 60 bytes on either side. Of messages that
 * are in an archive alone their kept texts are read. */
int ctx_entity_print_mentions(struct ctx_buf *b, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_entity_use *use, int64_t max,
    struct ctx_err *err);

/* Ask for the entities of a type (NULL: of any) that it names and of which nothing is
 * known at now, and append a record for each answer. What goes wrong in asking is in
 * *why: what came all the same is there. */
int ctx_entity_resolve(struct ctx_buf *b, struct ctx_store *st, struct ctx_resolver *r,
    const struct ctx_session *s, const char *type, int64_t now, struct ctx_err *why,
    struct ctx_err *err);

#endif
