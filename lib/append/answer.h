/* Stores a provider's answer together with its request. */
#ifndef CTX_APPEND_ANSWER_H
#define CTX_APPEND_ANSWER_H

#include "answer/answer.h"
#include "append/append.h"
#include "record/request.h"

/* Stores an answer in a write transaction of its own, and appends the stored record to
 * *out. provider (NULL: unknown) and metadata (a JSON object on one line, or absent) are
 * added to the record's metadata.
 *
 * The message is stored in the session of the appender. If the request has an id, the
 * request is stored too, with the members "response_seq" and "usage", and the message
 * gets the request's id. An answer that is passed twice is therefore stored once. An
 * answer that consists only of a provider's compaction is not stored as a message but as
 * a summary (append/compaction.h). */
int ctx_append_answer(struct ctx_appender *in, struct ctx_store *st,
    const struct ctx_answer *a, const char *provider, struct ctx_span metadata,
    struct ctx_request *r, struct ctx_buf *out, struct ctx_err *err);

/* Stores a request whose answer did not arrive completely. The request gets the status
 * "failed". why: the reason; text: the part of the answer that was received (may be
 * empty). Uses a write transaction of its own. Fails with CTX_EANSWER if the session does
 * not exist or is deleted. */
int ctx_append_failure(struct ctx_store *st, struct ctx_request *r, const char *why,
    struct ctx_span text, struct ctx_err *err);

#endif
