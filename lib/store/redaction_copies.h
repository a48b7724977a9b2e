/* Private to the store: redacts copies of redacted messages in the other rows of their
 * session. */
#ifndef CTX_STORE_REDACTION_COPIES_H
#define CTX_STORE_REDACTION_COPIES_H

#include "store/redaction.h"

/* Redacts copies of the redacted messages in the session's requests, summaries and
 * events, and in the members of *s, which the caller then stores. Call inside a write
 * transaction. */
int ctx_store_redact_copies(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err);

typedef int ctx_redaction_event_fn(
    void *arg, struct ctx_span record, struct ctx_buf *out);
/* Calls fn with the record of each event of the session. To replace the record, fn writes
 * the new record to *out and returns 1. Call inside a write transaction. */
int ctx_store_change_events(struct ctx_store *st, const struct ctx_session *s,
    ctx_redaction_event_fn *fn, void *arg, struct ctx_err *err);

#endif
