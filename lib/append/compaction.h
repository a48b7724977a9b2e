/* Stores a provider's compaction. A compaction is a summary that the provider made.
 * Windows show it in place of the messages that it covers. */
#ifndef CTX_APPEND_COMPACTION_H
#define CTX_APPEND_COMPACTION_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

struct ctx_compaction {
	struct ctx_span message; /* JSON message with the provider's compaction blocks */
	/* sequence number of the message that the request asked the provider to answer;
	 * the compaction covers the messages up to the last answer before that message */
	int64_t for_seq;
	const char *request_id; /* NULL: unknown */
	const char *model;      /* NULL: unknown */
	/* token usage, verbatim from the provider; may be absent */
	struct ctx_span usage;
	int64_t now; /* ms since the epoch */
};

/* Stores the summary and its event, and puts the summary in use. Call inside a write
 * transaction. Appends the summary record and the event record to out (may be NULL).
 * Fails with CTX_EANSWER if the message has no compaction block, if there is no answer
 * before for_seq, or if the summary in use already covers all messages that the
 * compaction covers. */
int ctx_append_compaction(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_compaction *c, struct ctx_buf *out, struct ctx_err *err);

#endif
