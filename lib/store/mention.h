/* Who is named where: derived from messages and known names, in the derived file. An
 * entity is a number: a known one's (store/entity.h), or the negative number of a thing
 * that was only seen in messages. */
#ifndef CTX_STORE_MENTION_H
#define CTX_STORE_MENTION_H

#include "store/store.h"

#define CTX_ACTION_MAX 64 /* bytes */

/* What a session knows of an entity. Sequence numbers and times (ms) of its first and its
 * last mention, or of its link (store/link.h) where that is earlier or later. */
struct ctx_entity_use {
	int64_t entity;
	int64_t first_seq, last_seq, first_at, last_at;
	int64_t mentions;                /* 0: it is only linked */
	int64_t action_at;               /* where there is an action */
	char action[CTX_ACTION_MAX + 1]; /* of the link; "": none */
};

/* The number of a thing that was seen, made when it is new. *no is negative. name is
 * what it is found by, spelling what it is printed as when it is new. In a write
 * transaction of the derived file. */
int ctx_seen_number(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    struct ctx_span spelling, int64_t *no, struct ctx_err *err);

/* Its number, without making one: 1, 0, -1. */
int ctx_seen_find(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    int64_t *no, struct ctx_err *err);

/* The numbers of all things of any type with this name, or, where names of the type are not
 * folded, exactly that one. *nos is owned by the caller. */
int ctx_seen_called(struct ctx_store *st, struct ctx_span name, struct ctx_span exact,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Its type and name as written, owned by the caller: 1, 0, -1. */
int ctx_seen_get(
    struct ctx_store *st, int64_t no, char **type, char **name, struct ctx_err *err);

/* Keep the mentions of one message, packed: for each the entity, how far it begins behind
 * the one before (the first: in the text), and its length, all in bytes of the text. In a
 * write transaction of the derived file, as the next three. */
struct ctx_mention_at {
	int64_t entity;
	int64_t offset, len;
};
int ctx_mention_put(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    const struct ctx_mention_at *list, size_t n, struct ctx_err *err);

/* Add to what the session knows: the counts of *u are added. */
int ctx_mention_count(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_entity_use *u, struct ctx_err *err);

/* Forget everything about the session: marks, mentions, counts. For erasing, and before
 * tracking it anew. */
int ctx_mention_forget(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Forget all sessions, but for those that were cleaned up without their texts being kept
 * (store/fulltext.h): nobody could tell again what they mention. */
int ctx_mention_clear(struct ctx_store *st, struct ctx_err *err);

/* The mentions of a message. *list is owned by the caller. */
int ctx_mention_get(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_mention_at **list, size_t *n, struct ctx_err *err);

/* The entities of a session: all of them (max < 0), or the max most recently and the max
 * most often mentioned; and in any case those that the session is linked to. *list is sorted
 * by entity; the caller frees it. */
int ctx_mention_uses(struct ctx_store *st, const struct ctx_session *s, int64_t max,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err);

/* What the session knows of one entity: 1, 0, -1. */
int ctx_mention_use(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_entity_use *out, struct ctx_err *err);

/* Numbers of the sessions that mention the entity or are linked to it, ascending, greater than after: at most
 * max; count or -1. */
int ctx_mention_sessions(struct ctx_store *st, int64_t entity, int64_t after,
    int64_t out[], int max, struct ctx_err *err);

/* Sequence numbers of messages that may mention the entity lie between first_seq and
 * last_seq of its use; the next one from seq up that has any mention: 1, 0, -1. */
int ctx_mention_next(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err);

#endif
