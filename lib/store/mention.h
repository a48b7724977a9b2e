/* Mentions of entities in messages. They are derived from the messages and the known
 * names, and stored in the derived file. An entity is given by a number: positive for a
 * known entity (store/entity.h), negative for a thing that was only recognized in
 * messages. */
#ifndef CTX_STORE_MENTION_H
#define CTX_STORE_MENTION_H

#include "store/store.h"

#define CTX_ACTION_MAX 64 /* maximum length of an action in bytes */

/* How a session refers to an entity: sequence numbers and times (ms) of the first and the
 * last mention. A link (store/link.h) that is later counts as the last mention. If there
 * is no mention, these members describe the link. */
struct ctx_entity_use {
	int64_t entity;
	int64_t first_seq, last_seq, first_at, last_at;
	/* number of mentions; 0: the entity is linked to the session but not mentioned */
	int64_t mentions;
	/* time of the action in ms since the epoch; valid only if action is not "" */
	int64_t action_at;
	char action[CTX_ACTION_MAX + 1]; /* action of the link; "": no link */
};

/* Finds the number of a recognized thing by its type and folded name. If the thing
 * has no number yet, assigns a new one, and stores the argument spelling, the name as
 * written, with it. *no is always negative. Call inside a write transaction on the
 * derived file. */
int ctx_seen_number(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    struct ctx_span spelling, int64_t *no, struct ctx_err *err);

/* Like ctx_seen_number, but never assigns a new number. Returns 1 if the number was
 * found, 0 if not, -1 on error. */
int ctx_seen_find(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    int64_t *no, struct ctx_err *err);

/* Finds the numbers of all recognized things, of any type, that have the folded name. If
 * names of the type are not folded, the name must equal the argument exact. The caller
 * frees *nos. */
int ctx_seen_called(struct ctx_store *st, struct ctx_span name, struct ctx_span exact,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Reads the type of a recognized thing and its name as written; the caller frees both.
 * Returns 1 if found, 0 if there is no such thing, -1 on error. */
int ctx_seen_get(
    struct ctx_store *st, int64_t no, char **type, char **name, struct ctx_err *err);

/* Frees the recognized things that ctx_seen_get has read ahead. */
void ctx_seen_forget_near(struct ctx_store *st);

/* A mention in the text of a message: the number of the entity, the offset in the text
 * and the length, both in bytes. */
struct ctx_mention_at {
	int64_t entity;
	int64_t offset, len;
};
/* Stores the n mentions in message seq of the session. ctx_mention_put,
 * ctx_mention_count, ctx_mention_forget and ctx_mention_clear must be called inside a
 * write transaction on the derived file. */
int ctx_mention_put(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    const struct ctx_mention_at *list, size_t n, struct ctx_err *err);

/* Adds the number of mentions in *u to the stored number for the session and the entity
 * u->entity. */
int ctx_mention_count(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_entity_use *u, struct ctx_err *err);

/* Deletes all mentions, counts and marks of the sessions with the numbers first_no to
 * last_no. Used when sessions are erased, and before a session is searched for entities
 * again. */
int ctx_mention_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err);

/* Deletes the mentions, counts and marks of all sessions, except of sessions for which
 * they could not be derived again, because the messages were cleaned up and their texts
 * are not stored (ctx_fulltext_keep). */
int ctx_mention_clear(struct ctx_store *st, struct ctx_err *err);

/* largest accepted byte offset at which a mention in a text ends */
#define CTX_MENTION_END_MAX INT64_C(0x7fffffff)
/* Unpacks mentions from their stored form. The caller frees *list, also after a failure.
 * Returns false if the bytes are not what ctx_mention_put stores, or if a mention ends
 * after byte CTX_MENTION_END_MAX of the text. */
bool ctx_mention_unpack(
    const void *bytes, size_t size, struct ctx_mention_at **list, size_t *n);

/* Reads the mentions in a message. The caller frees *list. */
int ctx_mention_get(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_mention_at **list, size_t *n, struct ctx_err *err);

/* Lists the entities of a session. If the argument max is negative, lists all entities;
 * otherwise lists at most max of the most recent entities and at most max of the most
 * frequent entities. Linked entities are always included. *list is sorted by entity; the
 * caller frees it. */
int ctx_mention_uses(struct ctx_store *st, const struct ctx_session *s, int64_t max,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err);

/* Reads how the session refers to one entity (struct ctx_entity_use). Returns 1 with *out
 * set, 0 if the session does not refer to the entity, -1 on error. */
int ctx_mention_use(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_entity_use *out, struct ctx_err *err);

/* Lists the sessions that mention the entity or are linked to it, in order of creation:
 * at most max numbers. Starts after the session whose number is the argument after; with
 * after = 0, starts at the first. Returns their count, or -1 on error. */
int ctx_mention_sessions(struct ctx_store *st, int64_t entity, int64_t after,
    int64_t out[], int max, struct ctx_err *err);

/* Finds the first message from *seq on in which any entity is mentioned, and sets *seq to
 * its sequence number. Messages that mention a given entity are between first_seq and
 * last_seq of its struct ctx_entity_use. Returns 1 if found, 0 if there is no such
 * message, -1 on error. */
int ctx_mention_next(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err);

#endif
