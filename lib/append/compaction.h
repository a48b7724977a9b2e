/* Stores a provider's compaction: a summary, made by the provider, of the first messages
 * of a session. Windows contain the summary in place of these messages. */
#ifndef CTX_APPEND_COMPACTION_H
#define CTX_APPEND_COMPACTION_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

struct ctx_compaction {
	/* JSON message that contains the provider's compaction blocks */
	struct ctx_span message;
	/* sequence number of the message that the provider was asked to answer; the
	 * compaction covers the messages up to the last answer before that message */
	int64_t for_seq;
	const char *request_id; /* NULL: unknown */
	const char *model;      /* NULL: unknown */
	/* token usage, verbatim from the provider; may be absent */
	struct ctx_span usage;
	int64_t now; /* ms since the epoch */
};

/* Stores the compaction as a summary, with an event, and makes it the summary that
 * windows use. Call inside a write transaction. Appends the summary record and the event
 * record to *out (out may be NULL). Fails with CTX_EANSWER if the message has no
 * compaction block, if no answer precedes the message number c->for_seq, or if the
 * session's current summary already covers the same messages. */
int ctx_append_compaction(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_compaction *c, struct ctx_buf *out, struct ctx_err *err);

#endif
