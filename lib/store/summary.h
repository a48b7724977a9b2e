/* Stored summaries. Each replaces a range of messages in windows; the messages stay
 * stored. Rows never change: a pointer selects the summary in use, and each row names its
 * predecessor, so that undo moves the pointer back. */
#ifndef CTX_STORE_SUMMARY_H
#define CTX_STORE_SUMMARY_H

#include "store/store.h"

struct ctx_store_summary {
	int64_t n;           /* its number within the session, from 1 */
	int64_t previous;    /* number of the summary it replaced; 0: none */
	int64_t first, last; /* the first and the last message that it covers */
	/* 0: made from messages; else one more than the generation of the summary it
	 * was made from */
	int64_t generation;
	int64_t event;      /* number of its event within the session; 0: unknown */
	int64_t created_at; /* ms */
	char *source;       /* JSON, owned */
	char *message;      /* JSON, owned */
	bool current;       /* is it in use? */
};

void ctx_store_summary_release(struct ctx_store_summary *m); /* and zero-fill */

/* Reads the summary in use. Returns 1 with *out filled in (zero-filled by the caller), 0
 * if there is none, -1 on error. */
int ctx_store_summary_current(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_summary *out, struct ctx_err *err);

/* Reads the summary with this number; otherwise the same. */
int ctx_store_summary_get(struct ctx_store *st, const struct ctx_session *s, int64_t n,
    struct ctx_store_summary *out, struct ctx_err *err);

/* Inserts a summary under the next number, stored in m->n, and selects it; the caller
 * sets m->previous. Call inside a write transaction. */
int ctx_store_summary_add(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Sets *n to the number of the newest summary, 0 if there is none. */
int ctx_store_summary_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err);

/* Selects the summary with this number; 0: none. Call inside a write transaction. */
int ctx_store_summary_use(
    struct ctx_store *st, struct ctx_session *s, int64_t n, struct ctx_err *err);

/* Called for each row, borrowed for the call. Returns -1 with err set to stop. */
typedef int ctx_store_summary_fn(
    void *arg, const struct ctx_store_summary *m, struct ctx_err *err);

/* Calls fn for all summaries of a session by number, including undone and replaced ones. */
int ctx_store_summaries(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_summary_fn *fn, void *arg, struct ctx_err *err);

/* Copies the summaries that cover nothing after seq into a session without summaries, and
 * selects the newest one that was in use. Call inside a write transaction. */
int ctx_store_summary_copy(struct ctx_store *st, const struct ctx_session *from,
    int64_t seq, struct ctx_session *to, struct ctx_err *err);

/* Deletes all summaries of the sessions with the numbers first_no to last_no: no summary may
 * outlive its messages. Call inside a write transaction. */
int ctx_store_summary_purge(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err);

/* Appends the id of the message record that represents the summary in windows. */
void ctx_store_summary_id(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);

/* ctx_store_summary_print appends the record of kind summary and a newline;
 * ctx_store_summary_parse reads one (CTX_EINPUT if invalid; *m zero-filled by the
 * caller). */
void ctx_store_summary_print(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);
int ctx_store_summary_parse(
    struct ctx_store_summary *m, struct ctx_span record, struct ctx_err *err);

/* Stores a summary under its own number unless that exists, and selects it if its record
 * says that it was in use. Call inside a write transaction. */
int ctx_store_summary_restore(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_store_summary *m, struct ctx_err *err);

#endif
