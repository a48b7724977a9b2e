/* Links between sessions and known entities. With a link, a user records what a session
 * did with an entity (the action), and when. Links are stored in the store; mentions
 * (store/mention.h) can be derived from messages. */
#ifndef CTX_STORE_LINK_H
#define CTX_STORE_LINK_H

#include "store/mention.h"

struct ctx_link {
	int64_t entity; /* number of the known entity */
	/* sequence number of the session's newest message when the link was made */
	int64_t seq;
	int64_t at; /* time of the action, in ms since the epoch */
	char action[CTX_ACTION_MAX + 1];
};

/* Stores the session's link to the entity l->entity. Replaces an existing link of the
 * session to this entity. Call inside a write transaction. */
int ctx_link_put(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_link *l, struct ctx_err *err);

/* Removes the session's link to an entity. Returns 1 if the link was removed, 0 if there
 * is no such link, -1 on error. Call inside a write transaction. */
int ctx_link_remove(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_err *err);

/* Lists the links of the session, ordered by the entity's number. The caller frees
 * *list. */
int ctx_link_list(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_link **list, size_t *n, struct ctx_err *err);

/* Reads the session's link to one entity. Returns 1 with *out set, 0 if there is no such
 * link, -1 on error. */
int ctx_link_get(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_link *out, struct ctx_err *err);

/* Copies the links of session *from to session *to, which is a fork of *from and begins
 * with the messages 1 to seq of *from. Leaves out links that were made when *from already
 * had later messages. Call inside a write transaction. */
int ctx_link_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    const struct ctx_session *to, struct ctx_err *err);
/* from, into: numbers of two entities. Changes all links to the entity "from" into links
 * to the entity "into" or, if into is 0, deletes these links. If a session then has two
 * links to the same entity, deletes the earlier link. Call inside a write transaction. */
int ctx_link_move(struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err);

/* Appends a record of kind "entity" for each link of the session. The members are
 * session_id, type, name, id, action, action_at and seq. */
int ctx_link_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err);

/* Reads a link from a record that ctx_link_print wrote, and stores the link in the store.
 * Creates the entity if the store does not have it. Records without an action are
 * ignored. Call inside a write transaction. */
int ctx_link_restore(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_err *err);
/* Checks that ctx_link_restore would accept the record. Fails with CTX_EINPUT if the
 * record is invalid. */
int ctx_link_check(struct ctx_span record, struct ctx_err *err);

/* Appends a text for ctx_store_stamp. The text changes whenever the session's links
 * change. */
int ctx_link_stamp(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err);

#endif
