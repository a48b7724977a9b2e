/* Stores a provider's answer together with its request. */
#ifndef CTX_APPEND_ANSWER_H
#define CTX_APPEND_ANSWER_H

#include "answer/answer.h"
#include "append/append.h"
#include "record/request.h"

/* Stores the answer, a summary if it is a compaction and nothing else
 * (append/compaction.h). Otherwise stores the message in in's session and, if the request
 * has an id, the request with response_seq and usage, in one transaction of its own. The
 * message record has the request's id, so that an answer that arrives twice is acknowledged
 * but stored once. Appends its record to out. provider (NULL: unknown) and metadata (a
 * valid JSON object on one line, or absent) are added to the record's metadata. */
int ctx_append_answer(struct ctx_appender *in, struct ctx_store *st,
    const struct ctx_answer *a, const char *provider, struct ctx_span metadata,
    struct ctx_request *r, struct ctx_buf *out, struct ctx_err *err);

/* Stores a request whose answer did not arrive completely: as failed, with the reason why
 * and the text received so far, in a transaction of its own. CTX_EANSWER when its session
 * does not exist. */
int ctx_append_failure(struct ctx_store *st, struct ctx_request *r, const char *why,
    struct ctx_span text, struct ctx_err *err);

#endif
