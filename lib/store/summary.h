/* Stored summaries. In windows, a summary replaces a range of messages; the messages
 * remain stored. At most one summary of a session is in use; the row of the session says
 * which one. Summaries are never changed. Each summary contains the number of the summary
 * that it replaced, so that an undo can put that summary back in use. */
#ifndef CTX_STORE_SUMMARY_H
#define CTX_STORE_SUMMARY_H

#include "store/store.h"

struct ctx_store_summary {
	int64_t n; /* number of the summary within the session, from 1 */
	/* number of the older summary that this summary replaced; 0: none */
	int64_t previous;
	/* sequence numbers of the first and last message that the summary covers */
	int64_t first, last;
	/* number of summaries in a row, up to this one, that were each made from the
	 * previous summary; 0: this summary was made from messages only */
	int64_t generation;
	/* number of the summary's event within the session; 0: unknown */
	int64_t event;
	int64_t created_at; /* time of creation in ms since the epoch */
	char *source;       /* JSON, owned */
	char *message;      /* JSON, owned */
	bool current;       /* true: the summary is in use */
};

/* Frees the strings of *m and zero-fills *m. */
void ctx_store_summary_release(struct ctx_store_summary *m);

/* Reads the summary in use into *out, which the caller has zero-filled. Returns 1 on
 * success, 0 if no summary is in use, -1 on error. */
int ctx_store_summary_current(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_summary *out, struct ctx_err *err);

/* Reads summary number n into *out, which the caller has zero-filled. Returns 1 on
 * success, 0 if there is no such summary, -1 on error. */
int ctx_store_summary_get(struct ctx_store *st, const struct ctx_session *s, int64_t n,
    struct ctx_store_summary *out, struct ctx_err *err);

/* Inserts a summary with the next free number, sets m->n to this number, and makes the
 * new summary the summary in use. The caller sets m->previous. Call inside a write
 * transaction. */
int ctx_store_summary_add(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Sets *n to the number of the newest summary; 0: the session has no summaries. */
int ctx_store_summary_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err);

/* Makes summary number n the summary in use. If n is 0, no summary is in use afterwards.
 * Call inside a write transaction. */
int ctx_store_summary_use(
    struct ctx_store *st, struct ctx_session *s, int64_t n, struct ctx_err *err);

/* Called for each summary; *m is valid only during the call. To stop, the function sets
 * *err and returns -1. */
typedef int ctx_store_summary_fn(
    void *arg, const struct ctx_store_summary *m, struct ctx_err *err);

/* Calls fn for all summaries of the session in the order of their numbers, including
 * undone and replaced summaries. */
int ctx_store_summaries(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_summary_fn *fn, void *arg, struct ctx_err *err);

/* Copies summaries of session *from into session *to, which must not have summaries. Does
 * not copy summaries that cover messages after message seq. If the summary in use was
 * copied, its copy is in use in *to. Otherwise, the summary in use in *to is the newest
 * copied predecessor (ctx_store_summary.previous) of the summary in use in *from. Call
 * inside a write transaction. */
int ctx_store_summary_copy(struct ctx_store *st, const struct ctx_session *from,
    int64_t seq, struct ctx_session *to, struct ctx_err *err);

/* Appends the id of the message record that represents the summary in windows. */
void ctx_store_summary_id(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);

/* ctx_store_summary_print appends the record of kind "summary" and a newline.
 * ctx_store_summary_parse reads such a record into *m, which the caller has zero-filled;
 * it fails with CTX_EINPUT if the record is invalid. */
void ctx_store_summary_print(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m);
int ctx_store_summary_parse(
    struct ctx_store_summary *m, struct ctx_span record, struct ctx_err *err);

/* Stores a summary with the number m->n, unless the session already has a summary with
 * that number. Then, if m->current is true, makes summary m->n the summary in use. Call
 * inside a write transaction. */
int ctx_store_summary_restore(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_store_summary *m, struct ctx_err *err);

#endif
