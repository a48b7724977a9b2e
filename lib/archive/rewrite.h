/* Replaces an archive with a copy in which messages or texts are redacted. */
#ifndef CTX_ARCHIVE_REWRITE_H
#define CTX_ARCHIVE_REWRITE_H

#include "archive/archive.h"
#include "archive/place.h"
#include "record/redaction.h"

/* Verifies an archive, which must be a blob. If the archive contains anything that r
 * redacts, replaces the archive with a redacted one, which is durable and verified too.
 * To also remove quotations of messages that are in the store, pass these messages to
 * ctx_redaction_learn before. Returns 1 if the archive was replaced, 0 if it contained
 * nothing to redact; *info is then filled in, and the caller releases it. Returns -1 on
 * error: CTX_EANSWER if the archive is missing or damaged. */
int ctx_rewrite_archive(struct ctx_source *source, struct ctx_redaction *r,
    struct ctx_archive_info *info, struct ctx_err *err);

typedef int ctx_rewrite_fn(
    void *arg, int64_t seq, struct ctx_span message, struct ctx_err *err);
/* Calls fn for each message in the archive that r selects: each message with a selected
 * sequence number that, if r->match is set, contains this text. Returns 0 or -1. */
int ctx_rewrite_messages(struct ctx_source *source, struct ctx_redaction *r,
    ctx_rewrite_fn *fn, void *arg, struct ctx_err *err);

#endif
