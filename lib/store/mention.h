/* Mentions of entities in messages, stored in the derived file. These mentions can be
 * derived again from the messages and the names of known entities. A known entity is one
 * that users loaded into the store (store/entity.h); its number is positive. A recognized
 * entity was only found in messages, by its form, such as an e-mail address; its number
 * is negative. */
#ifndef CTX_STORE_MENTION_H
#define CTX_STORE_MENTION_H

#include "store/store.h"

#define CTX_ACTION_MAX 64 /* maximum length of an action in bytes */

/* How a session refers to an entity: the sequence numbers and times (ms since the epoch)
 * of the first and the last mention. If a link (store/link.h) is later than the last
 * mention, last_seq and last_at are the sequence number and time of the link. If there is
 * no mention, all four values are those of the link. */
struct ctx_entity_use {
	int64_t entity;
	int64_t first_seq, last_seq, first_at, last_at;
	/* number of mentions; 0: the entity is linked to the session but not mentioned */
	int64_t mentions;
	/* if the session is linked to the entity: when ctx-entity track --action recorded
	 * the link (ms since the epoch) */
	int64_t action_at;
	/* the action given to ctx-entity track --action, such as "created"; "": the
	 * session is not linked to the entity */
	char action[CTX_ACTION_MAX + 1];
};

/* Sets *no to the number of a recognized entity, which is always negative. If the entity
 * has no number yet, assigns one and stores the entity. type: the type of the entity;
 * name: the folded name (words/fold.h); spelling: the name as written. Call inside a
 * write transaction on the derived file. */
int ctx_seen_number(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    struct ctx_span spelling, int64_t *no, struct ctx_err *err);

/* Like ctx_seen_number, but never assigns a new number. Returns 1 if the number was
 * found, 0 if not, -1 on error. */
int ctx_seen_find(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    int64_t *no, struct ctx_err *err);

/* Finds the numbers of all recognized entities, of any type, that have this name. name:
 * the folded name (words/fold.h); exact: the name as written, for types of entities whose
 * names are not folded. The caller frees *nos. */
int ctx_seen_called(struct ctx_store *st, struct ctx_span name, struct ctx_span exact,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Reads the type and the name (as written) of a recognized entity; the caller frees both
 * strings. no: the entity's number. Returns 1 on success, 0 if there is no such entity,
 * -1 on error. */
int ctx_seen_get(
    struct ctx_store *st, int64_t no, char **type, char **name, struct ctx_err *err);

/* Frees the recognized entities that ctx_seen_get has cached. (On each miss, ctx_seen_get
 * reads several entities.) */
void ctx_seen_forget_near(struct ctx_store *st);

/* A mention in the text of a message: the number of the entity, the offset in the text
 * and the length, both in bytes. */
struct ctx_mention_at {
	int64_t entity;
	int64_t offset, len;
};
/* Stores the n mentions in the array "list", which were found in message seq of the
 * session. ctx_mention_put, ctx_mention_count, ctx_mention_forget and ctx_mention_clear
 * must be called inside a write transaction on the derived file. */
int ctx_mention_put(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    const struct ctx_mention_at *list, size_t n, struct ctx_err *err);

/* Adds u->mentions to the number of mentions of the entity u->entity in the session. Also
 * stores u->last_seq, and stores u->last_at if this time is later than the stored time.
 * Stores u->first_seq and u->first_at only if there was no mention before. */
int ctx_mention_count(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_entity_use *u, struct ctx_err *err);

/* Deletes what is stored about mentions in the sessions with the numbers first_no to
 * last_no. Used when sessions are erased, and before a session is searched for entities
 * again. */
int ctx_mention_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err);

/* Deletes what is stored about mentions in all sessions, and then the recognized entities
 * that no session mentions. Keeps the data of sessions that cannot be searched again,
 * because their messages were cleaned up and their texts are not stored
 * (ctx_fulltext_keep). */
int ctx_mention_clear(struct ctx_store *st, struct ctx_err *err);

/* largest accepted end of a mention, as a byte offset in the text */
#define CTX_MENTION_END_MAX INT64_C(0x7fffffff)
/* Unpacks mentions from their stored form. The caller frees *list, even after a failure.
 * Returns false if the bytes do not have the form that ctx_mention_put stores, or if a
 * mention ends after byte CTX_MENTION_END_MAX of the text. */
bool ctx_mention_unpack(
    const void *bytes, size_t size, struct ctx_mention_at **list, size_t *n);

/* Reads the mentions in a message. The caller frees *list. */
int ctx_mention_get(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_mention_at **list, size_t *n, struct ctx_err *err);

/* Lists entities of a session. If max is negative, lists all entities. Otherwise lists
 * the entities that were mentioned last (at most max of them), the entities that were
 * mentioned most often (at most max of them), and all linked entities. The caller frees
 * *list, which is sorted by the numbers of the entities. */
int ctx_mention_uses(struct ctx_store *st, const struct ctx_session *s, int64_t max,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err);

/* Reads how the session refers to one entity (struct ctx_entity_use). Returns 1 with *out
 * set, 0 if the session does not refer to the entity, -1 on error. */
int ctx_mention_use(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_entity_use *out, struct ctx_err *err);

/* Finds sessions that mention an entity or are linked to the entity, in order of
 * creation, and writes the numbers of these sessions to the array "out". entity: the
 * entity's number; max: maximum number of sessions; after: the number of the session
 * after which the list starts; 0: the list starts with the first session. Returns how
 * many numbers were written, or -1 on error. */
int ctx_mention_sessions(struct ctx_store *st, int64_t entity, int64_t after,
    int64_t out[], int max, struct ctx_err *err);

/* Finds the first message with a sequence number of at least *seq that mentions any
 * entity. If there is one, sets *seq to the sequence number of this message. Returns 1 if
 * there is such a message, 0 if not, -1 on error. */
int ctx_mention_next(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err);

#endif
