/* Links between sessions and known entities: what a session did with an entity and when,
 * as a user stated it. Links are stored in the store itself, while mentions are derived.
 * The table is created with the first link. */
#ifndef CTX_STORE_LINK_H
#define CTX_STORE_LINK_H

#include "store/mention.h"

struct ctx_link {
	int64_t entity; /* number of a known entity */
	int64_t seq;    /* the session's last message at that time */
	int64_t at;     /* ms */
	char action[CTX_ACTION_MAX + 1];
};

/* Stores the session's link to l->entity, or replaces an existing one. Call inside a
 * write transaction. */
int ctx_link_put(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_link *l, struct ctx_err *err);

/* Removes the link. Returns 1 if it existed, 0 if not, -1 on error. Call inside a write
 * transaction. */
int ctx_link_remove(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_err *err);

/* Lists the links of the session, by entity. The caller owns *list. */
int ctx_link_list(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_link **list, size_t *n, struct ctx_err *err);

/* Reads the link to one entity. Returns 1 with *out set, 0 if there is none, -1 on error. */
int ctx_link_get(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_link *out, struct ctx_err *err);

/* Reads the numbers of linked sessions greater than after, ascending, at most max.
 * Returns the count or -1. */
int ctx_link_sessions(struct ctx_store *st, int64_t entity, int64_t after, int64_t out[],
    int max, struct ctx_err *err);

/* Copies the links made up to message seq to a fork. This and the next two must be called
 * inside a write transaction. */
int ctx_link_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    const struct ctx_session *to, struct ctx_err *err);
/* Deletes the links of the sessions with the numbers first_no to last_no. */
int ctx_link_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err);
/* Moves the links of an entity to the entity into, or deletes them if into is 0. If a
 * session then has two links to one entity, the later one is kept. */
int ctx_link_move(struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err);

/* Appends the session's links as records of kind entity, with session_id, type, name, id,
 * action, action_at and seq. */
int ctx_link_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err);

/* Stores the link from such a record, and its entity if that is unknown. Ignores records
 * without an action. */
int ctx_link_restore(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_err *err);
/* Checks that ctx_link_restore would accept the record. CTX_EINPUT if not. */
int ctx_link_check(struct ctx_span record, struct ctx_err *err);

/* Calls fn with each text stored in the table. */
int ctx_link_texts(struct ctx_store *st, void (*fn)(void *arg, struct ctx_span text),
    void *arg, struct ctx_err *err);

/* Appends bytes that change whenever the session's links change. */
int ctx_link_stamp(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err);

#endif
