/* Stored summaries: each stands for a range of messages, which stay. Rows never change;
 * a pointer says which one is in use, and each knows the one that it took over, so that
 * undoing is moving the pointer back. */
#ifndef CTX_STORE_SUMMARY_H
#define CTX_STORE_SUMMARY_H

#include "store/store.h"

struct ctx_store_summary {
	int64_t n;           /* its number in the session, from 1 */
	int64_t previous;    /* number of the one that it took over; 0 none */
	int64_t first, last; /* seq of the messages that it covers, both included */
	int64_t generation;  /* 0: made from the messages; else one more than that of the
	                      * summary that it was made from */
	int64_t event;       /* number of its event in the session; 0: unknown */
	int64_t created_at;  /* ms */
	char *source;        /* JSON, owned */
	char *message;       /* JSON, owned */
	bool current;        /* is it in use? */
};

void ctx_store_summary_release(struct ctx_store_summary *m); /* and zero-fill */

/* The one in use: 1 and *out (zero-filled by the caller), 0 when there is none, -1. */
int ctx_store_summary_current(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_summary *out, struct ctx_err *err);

/* Add a row as the next number, m->n, and use it; m->previous is the caller's. In a write
 * transaction. */
int ctx_store_summary_add(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Use the summary with this number; 0: none. In a write transaction. */
int ctx_store_summary_use(
    struct ctx_store *st, struct ctx_session *s, int64_t n, struct ctx_err *err);

/* Called per row, which is borrowed for the call. Return -1 with err set to stop. */
typedef int ctx_store_summary_fn(
    void *arg, const struct ctx_store_summary *m, struct ctx_err *err);

/* All summaries of a session by number, those undone or taken over too. */
int ctx_store_summaries(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_summary_fn *fn, void *arg, struct ctx_err *err);

/* Copy those that cover nothing behind seq into another session without any, and use the
 * newest of them that was in use. In a write transaction. */
int ctx_store_summary_copy(struct ctx_store *st, const struct ctx_session *from,
    int64_t seq, struct ctx_session *to, struct ctx_err *err);

/* Remove all of them: a summary never outlives the messages. In a write transaction. */
int ctx_store_summary_purge(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Append the id of the message record that windows hold. */
void ctx_store_summary_id(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);

/* Append its record, of kind summary, and a newline; ctx_store_summary_parse reads it back
 * (CTX_EINPUT when it is none; *m zero-filled by the caller). */
void ctx_store_summary_print(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);
int ctx_store_summary_parse(
    struct ctx_store_summary *m, struct ctx_span record, struct ctx_err *err);

/* Put a row under its own number, unless there is one, and use it where it says so. In a
 * write transaction. */
int ctx_store_summary_restore(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_store_summary *m, struct ctx_err *err);

#endif
