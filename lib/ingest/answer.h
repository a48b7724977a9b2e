/* A provider's answer and the request that it answers, stored together. */
#ifndef CTX_INGEST_ANSWER_H
#define CTX_INGEST_ANSWER_H

#include "answer/answer.h"
#include "ingest/ingest.h"
#include "record/request.h"

/* Store the answer in in's session and, when it has an id, the request with what the
 * answer adds to it (response_seq, usage), in one transaction of its own. The message's
 * record has the request's id: an answer that comes twice is acknowledged, not stored
 * twice. Its record is appended to out. provider (NULL: unknown) and metadata (a checked JSON
 * object on one line, or absent) go into the record's metadata. */
int ctx_ingest_answer(struct ctx_ingest *in, struct ctx_store *st,
    const struct ctx_answer *a, const char *provider, struct ctx_span metadata,
    struct ctx_request *r, struct ctx_buf *out, struct ctx_err *err);

/* No whole answer came: store the request as failed, with why and the answer's text as far
 * as it had come, in a transaction of its own. CTX_EANSWER when its session is not there. */
int ctx_ingest_failure(struct ctx_store *st, struct ctx_request *r, const char *why,
    struct ctx_span text, struct ctx_err *err);

#endif
