/* Mentions of entities in messages, derived from messages and known names, in the derived
 * file. An entity is a number: positive for a known entity (store/entity.h), negative for
 * a thing that was only recognised in messages. */
#ifndef CTX_STORE_MENTION_H
#define CTX_STORE_MENTION_H

#include "store/store.h"

#define CTX_ACTION_MAX 64 /* bytes */

/* What a session holds of an entity: sequence numbers and times (ms) of the first and the
 * last mention, or of its link (store/link.h) if that is earlier or later. */
struct ctx_entity_use {
	int64_t entity;
	int64_t first_seq, last_seq, first_at, last_at;
	int64_t mentions;                /* 0: linked but not mentioned */
	int64_t action_at;               /* set when there is an action */
	char action[CTX_ACTION_MAX + 1]; /* action of the link; "": none */
};

/* Finds the number of a recognised thing by its type and name, or assigns one; *no is always
 * negative. When a number is assigned, spelling is stored for display. Call inside a write
 * transaction on the derived file. */
int ctx_seen_number(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    struct ctx_span spelling, int64_t *no, struct ctx_err *err);

/* Finds its number without assigning one. Returns 1, or 0 if there is none, or -1 on
 * error. */
int ctx_seen_find(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    int64_t *no, struct ctx_err *err);

/* Finds the numbers of all things of any type that have the folded name or, for types
 * whose names are not folded, exactly the name exact. The caller frees *nos. */
int ctx_seen_called(struct ctx_store *st, struct ctx_span name, struct ctx_span exact,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Reads its type and its name as written; the caller owns both. Returns 1, or 0 if there
 * is none, or -1 on error. */
int ctx_seen_get(
    struct ctx_store *st, int64_t no, char **type, char **name, struct ctx_err *err);

/* Stores the mentions of one message, packed. offset is the distance from the start of
 * the previous mention (for the first, from the start of the text), len the length, both
 * in bytes. This and the next three must be called inside a write transaction on the
 * derived file. */
struct ctx_mention_at {
	int64_t entity;
	int64_t offset, len;
};
int ctx_mention_put(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    const struct ctx_mention_at *list, size_t n, struct ctx_err *err);

/* Adds the counts of *u to what the session holds of the entity. */
int ctx_mention_count(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_entity_use *u, struct ctx_err *err);

/* Deletes everything derived for the sessions with the numbers first_no to last_no: marks,
 * mentions, counts. Used for erasing and before tracking a session again. */
int ctx_mention_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err);

/* Deletes the mentions of all sessions, except cleaned-up sessions without kept texts
 * (store/fulltext.h), whose mentions could not be derived again. */
int ctx_mention_clear(struct ctx_store *st, struct ctx_err *err);

/* Unpacks mentions as they are stored. The caller owns *list. Returns false if they are not
 * what ctx_mention_put packs; offsets and lengths add up to CTX_MENTION_END_MAX at most. */
#define CTX_MENTION_END_MAX INT64_C(0x7fffffff)
bool ctx_mention_unpack(
    const void *bytes, size_t size, struct ctx_mention_at **list, size_t *n);

/* Reads the mentions of a message. The caller owns *list. */
int ctx_mention_get(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_mention_at **list, size_t *n, struct ctx_err *err);

/* Lists the entities of a session: all of them (max < 0), or the max most recent and the
 * max most frequent ones; linked entities are always included. *list is sorted by entity;
 * the caller frees it. */
int ctx_mention_uses(struct ctx_store *st, const struct ctx_session *s, int64_t max,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err);

/* Reads what the session holds of one entity. Returns 1, or 0 if there is nothing, or -1
 * on error. */
int ctx_mention_use(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_entity_use *out, struct ctx_err *err);

/* Reads the numbers of the sessions that mention the entity or are linked to it, greater
 * than after, ascending, at most max. Returns the count or -1. */
int ctx_mention_sessions(struct ctx_store *st, int64_t entity, int64_t after,
    int64_t out[], int max, struct ctx_err *err);

/* Finds the next message from *seq on that has any mention. Messages that mention an
 * entity lie between first_seq and last_seq of its use. Returns 1, or 0 if there is none,
 * or -1 on error. */
int ctx_mention_next(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err);

#endif
