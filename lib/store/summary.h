/* Stored summaries. A summary replaces a range of messages in windows; the messages stay
 * stored. Summaries are never changed. The session's row selects the summary in use. Each
 * summary names the summary that it replaced, so that undo can select that one again. */
#ifndef CTX_STORE_SUMMARY_H
#define CTX_STORE_SUMMARY_H

#include "store/store.h"

struct ctx_store_summary {
	int64_t n; /* number of the summary within the session, from 1 */
	/* number of the older summary that this summary replaced; 0 if it replaced no
	 * summary */
	int64_t previous;
	/* sequence numbers of the first and last message that the summary covers */
	int64_t first, last;
	/* 0 if the summary was made from messages only; otherwise the generation of the
	 * older summary from which it was made, plus 1 */
	int64_t generation;
	/* number of the summary's event within the session; 0: unknown */
	int64_t event;
	int64_t created_at; /* time of creation in ms since the epoch */
	char *source;       /* JSON, owned */
	char *message;      /* JSON, owned */
	bool current;       /* true: the summary is in use */
};

/* frees the strings of *m and zero-fills *m */
void ctx_store_summary_release(struct ctx_store_summary *m);

/* Reads the summary in use. Returns 1 with *out filled in (zero-filled by the caller), 0
 * if no summary is in use, -1 on error. */
int ctx_store_summary_current(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_summary *out, struct ctx_err *err);

/* Reads the summary with this number. Returns 1 with *out filled in (zero-filled by the
 * caller), 0 if there is no such summary, -1 on error. */
int ctx_store_summary_get(struct ctx_store *st, const struct ctx_session *s, int64_t n,
    struct ctx_store_summary *out, struct ctx_err *err);

/* Inserts a summary under the next number, which is stored in m->n, and puts it into use.
 * The caller sets m->previous. Call inside a write transaction. */
int ctx_store_summary_add(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Sets *n to the number of the newest summary; 0: the session has none. */
int ctx_store_summary_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err);

/* Puts the summary with number n into use. With n == 0, no summary is in use any more.
 * Call inside a write transaction. */
int ctx_store_summary_use(
    struct ctx_store *st, struct ctx_session *s, int64_t n, struct ctx_err *err);

/* Called for each summary; *m is valid only during the call. To stop, the function sets
 * *err and returns -1. */
typedef int ctx_store_summary_fn(
    void *arg, const struct ctx_store_summary *m, struct ctx_err *err);

/* Calls fn for all summaries of the session in the order of their numbers, including
 * undone and replaced ones. */
int ctx_store_summaries(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_summary_fn *fn, void *arg, struct ctx_err *err);

/* Copies the summaries of one session that cover no message after seq into the session
 * *to, which must have no summaries. *to then uses the copy of the summary in use. If
 * that summary was not copied, *to uses the newest of its predecessors that was copied.
 * Call inside a write transaction. */
int ctx_store_summary_copy(struct ctx_store *st, const struct ctx_session *from,
    int64_t seq, struct ctx_session *to, struct ctx_err *err);

/* Appends the id of the message record that represents the summary in windows. */
void ctx_store_summary_id(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);

/* ctx_store_summary_print appends the record of kind "summary" and a newline.
 * ctx_store_summary_parse reads such a record into *m (zero-filled by the caller), and
 * fails with CTX_EINPUT if the record is invalid. */
void ctx_store_summary_print(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);
int ctx_store_summary_parse(
    struct ctx_store_summary *m, struct ctx_span record, struct ctx_err *err);

/* Stores a summary under the number m->n, unless the session has a summary with that
 * number, and puts it into use if m->current is set. Call inside a write transaction. */
int ctx_store_summary_restore(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_store_summary *m, struct ctx_err *err);

#endif
