/* Redaction in the store: replaces messages, or a text in them, in the rows of a session. */
#ifndef CTX_STORE_REDACTION_H
#define CTX_STORE_REDACTION_H

#include "record/redaction.h"
#include "store/store.h"

struct ctx_store_redaction {
	struct ctx_redaction *what; /* its seqs name the messages */
	/* called with each text before it is removed, and with what replaces it, or nothing */
	void (*removed)(void *arg, struct ctx_span before, struct ctx_span after);
	void *arg;
	int64_t now; /* ms */

	/* results, added up */
	int64_t messages, requests, summaries;
	int64_t additions; /* texts in requests that were replaced and removed */
};

/* Counts the tokens of a message that replaces another, with the default tokenizer. */
int ctx_store_redaction_count(
    struct ctx_span message, int64_t *tokens, struct ctx_err *err);

/* Replaces the messages, and copies of them in the session's requests, summaries, events and
 * title; a summary of a message that is redacted whole is not used any more. Adds an event
 * that is marked as unfinished. *s is updated. Call inside a write transaction. */
int ctx_store_redact(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err);

/* Records that nothing of what ctx_store_redact replaced is left in any file. Call inside a
 * write transaction. */
int ctx_store_redact_finish(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_redaction *what, struct ctx_err *err);

/* Returns 1 if a redaction of these messages was interrupted, 0 if not, -1 on error. */
int ctx_store_redact_pending(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_redaction *what, struct ctx_err *err);

#endif
