/* Stored summaries. A summary replaces a range of messages in windows; the messages
 * remain stored. Summaries are never changed. The session's row selects one of its
 * summaries, the summary in use. Each summary names the summary that it replaced, so that
 * undo can select the replaced summary again. */
#ifndef CTX_STORE_SUMMARY_H
#define CTX_STORE_SUMMARY_H

#include "store/store.h"

struct ctx_store_summary {
	int64_t n; /* number of the summary within the session, from 1 */
	/* number of the older summary that this summary replaced; 0: this summary
	 * replaced none */
	int64_t previous;
	/* sequence numbers of the first and last message that the summary covers */
	int64_t first, last;
	/* 0: the summary was made from messages only; otherwise, it was also made from an
	 * older summary, and this is the generation of the older summary plus 1 */
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

/* Inserts a summary with the next free number, sets m->n to this number, and puts the
 * summary into use. The caller sets m->previous. Call inside a write transaction. */
int ctx_store_summary_add(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Sets *n to the number of the newest summary; 0: the session has no summaries. */
int ctx_store_summary_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err);

/* Puts summary number n into use; if n is 0, no summary is in use afterwards. Call inside
 * a write transaction. */
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

/* Copies the summaries of session *from that cover no message after seq into session *to,
 * which must not have summaries. If the summary in use was copied, its copy is put into
 * use in *to; otherwise, the copy of its newest predecessor that was copied is put into
 * use. Call inside a write transaction. */
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

/* Stores a summary under the number m->n, unless the session already has a summary with
 * that number. If m->current is set, puts the summary into use. Call inside a write
 * transaction. */
int ctx_store_summary_restore(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_store_summary *m, struct ctx_err *err);

#endif
