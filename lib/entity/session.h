/* The entities that a session mentions. The session must have been tracked up to its last
 * message (ctx_tracker_catch_up). */
#ifndef CTX_ENTITY_SESSION_H
#define CTX_ENTITY_SESSION_H

#include "store/mention.h"
#include "entity/resolve.h"

/* Sets *list to an array of the *n entities that the session mentions, the most relevant
 * entity first. now: the time for which relevance is computed, in ms since the epoch. The
 * caller frees the array. Returns 0, or -1 on error. */
int ctx_entity_uses_ranked(struct ctx_store *st, const struct ctx_session *s, int64_t now,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err);

/* Appends the JSON member "mentions": an array of the session's mentions of one entity.
 * use: the entity, and the messages that mention it; max: the maximum number of mentions
 * (-1: no limit). The members of each mention are "seq", "created_at", "offset", "text"
 * and "context". The context is the text of the mention with up to 60 bytes before it and
 * after it, cut between words. If a message is only in an archive, the text of the
 * message is read from the full-text index. */
int ctx_entity_print_mentions(struct ctx_buf *b, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_entity_use *use, int64_t max,
    struct ctx_err *err);

/* Asks the resolver (the user's command) about entities that the session mentions, and
 * appends a record for each entity that the resolver knows. Asks only about entities of
 * this type (NULL: all types) for which ctx_entity_known returns false. now: the current
 * time in ms since the epoch. If the resolver fails, sets *why to the reason; the
 * records received before the failure are appended. Returns -1 with err set on other
 * errors. */
int ctx_entity_resolve(struct ctx_buf *b, struct ctx_store *st, struct ctx_resolver *r,
    const struct ctx_session *s, const char *type, int64_t now, struct ctx_err *why,
    struct ctx_err *err);

#endif
