/* Links of sessions to known entities: what a session did with an entity, and when, as
 * somebody said. They live in the store, while mentions are derived. The table is made with the
 * first link; a store without it has none. */
#ifndef CTX_STORE_LINK_H
#define CTX_STORE_LINK_H

#include "store/mention.h"

struct ctx_link {
	int64_t entity; /* a known one's number */
	int64_t seq;    /* the session's last message when the link was made */
	int64_t at;     /* ms */
	char action[CTX_ACTION_MAX + 1];
};

/* Store or replace the session's link to l->entity. Call inside a write transaction. */
int ctx_link_put(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_link *l, struct ctx_err *err);

/* Remove it. Returns 1 if it was there, 0, or -1. Call inside a write transaction. */
int ctx_link_remove(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_err *err);

/* All links of the session, by entity; *list is owned by the caller. */
int ctx_link_list(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_link **list, size_t *n, struct ctx_err *err);

/* The link to one entity. Returns 1 with *out, 0 if there is none, or -1. */
int ctx_link_get(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_link *out, struct ctx_err *err);

/* Numbers of the linked sessions, ascending, greater than after: at most max. Returns the
 * count or -1. */
int ctx_link_sessions(struct ctx_store *st, int64_t entity, int64_t after, int64_t out[],
    int max, struct ctx_err *err);

/* Copy the links that were made up to message seq to a fork. Call inside a write
 * transaction, as the next three. */
int ctx_link_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    const struct ctx_session *to, struct ctx_err *err);
/* The links of a session that is purged. */
int ctx_link_forget(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
/* The links to an entity that is removed (into 0), or merged into another: of two links of
 * one session the later one stays. */
int ctx_link_move(struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err);

/* Append the session's links as records of kind entity: session_id, type, name, id, action,
 * action_at, seq. */
int ctx_link_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err);

/* Store the link of such a record, and the entity where its name is not known yet. Records
 * without an action are passed over. */
int ctx_link_restore(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_err *err);
/* Could it be restored? CTX_EINPUT if not. */
int ctx_link_check(struct ctx_span record, struct ctx_err *err);

/* Call fn with each text of the table. */
int ctx_link_texts(struct ctx_store *st, void (*fn)(void *arg, struct ctx_span text),
    void *arg, struct ctx_err *err);

/* Append what changes whenever the session's links do. */
int ctx_link_stamp(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err);

#endif
