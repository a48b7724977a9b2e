/* Replaces an archive with a copy in which messages or texts are redacted. */
#ifndef CTX_ARCHIVE_REWRITE_H
#define CTX_ARCHIVE_REWRITE_H

#include "archive/archive.h"
#include "archive/place.h"
#include "record/redaction.h"

/* Verifies the archive of a blob source. If the archive contains anything that r redacts,
 * replaces it with a new archive, which is durable and verified too. If the messages to
 * redact are in the store, pass them to ctx_redaction_learn before this call, so that
 * copies of their texts are found. Returns 1 if the archive was replaced, 0 if it
 * contained nothing to redact, -1 on error. The error is CTX_EANSWER if the archive is
 * damaged. If the result is 1 or 0, *info is filled in; the caller releases it. */
int ctx_rewrite_archive(struct ctx_source *source, struct ctx_redaction *r,
    struct ctx_archive_info *info, struct ctx_err *err);

typedef int ctx_rewrite_fn(
    void *arg, int64_t seq, struct ctx_span message, struct ctx_err *err);
/* Calls fn for each message in the archive that r selects. If r->match is set, only
 * messages that contain that text are passed. Returns 0 or -1. */
int ctx_rewrite_messages(struct ctx_source *source, struct ctx_redaction *r,
    ctx_rewrite_fn *fn, void *arg, struct ctx_err *err);

#endif
