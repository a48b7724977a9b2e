/* Redaction in the store: replaces messages of a session, or one text wherever messages
 * contain it. */
#ifndef CTX_STORE_REDACTION_H
#define CTX_STORE_REDACTION_H

#include "record/redaction.h"
#include "store/store.h"

struct ctx_store_redaction {
	/* what to redact; what->seqs contains the sequence numbers of the messages */
	struct ctx_redaction *what;
	/* Called before a text is removed. before: the text that is removed; after: the
	 * text that replaces it, or an absent span if no text replaces it. */
	void (*removed)(void *arg, struct ctx_span before, struct ctx_span after);
	void *arg;
	int64_t now; /* time of the event, in ms since the epoch */

	/* Results: numbers of changed rows, added to the values that these members
	 * already have. */
	int64_t messages, requests, summaries;
	/* number of removed additions (texts that only requests contained) */
	int64_t additions;
};

/* Sets *tokens to the token count of a message that replaces a redacted message. Counts
 * with the default tokenizer. */
int ctx_store_redaction_count(
    struct ctx_span message, int64_t *tokens, struct ctx_err *err);

/* Redacts the messages in job->what, and copies of these messages in the session's
 * requests, summaries, events, title, topic, metadata and preferences. If a whole message
 * is redacted, summaries that cover the message are no longer used. Adds an event, marked
 * as unfinished, and updates *s. Call inside a write transaction. */
int ctx_store_redact(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err);

/* Records that a redaction is finished, in the event record that ctx_store_redact stored.
 * Call inside a write transaction, when no file contains a redacted text anymore. */
int ctx_store_redact_finish(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_redaction *what, struct ctx_err *err);

/* Returns 1 if an unfinished redaction of these messages is recorded, 0 if not, -1 on
 * error. */
int ctx_store_redact_pending(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_redaction *what, struct ctx_err *err);

#endif
