/* Rewrites an archive in place without redacted messages or texts. */
#ifndef CTX_ARCHIVE_REWRITE_H
#define CTX_ARCHIVE_REWRITE_H

#include "archive/archive.h"
#include "archive/place.h"
#include "record/redaction.h"

/* Verifies the archive and replaces it if it holds something that is redacted; the new one
 * is verified too, and durable. source is a blob. Returns 1 if replaced and 0 if it was
 * clean, both with info filled in (the caller releases it), -1 on error: CTX_EANSWER if it
 * is damaged. What r learned from the store is used as well. */
int ctx_rewrite_archive(struct ctx_source *source, struct ctx_redaction *r,
    struct ctx_archive_info *info, struct ctx_err *err);

/* Reads the messages of an archive that r names, or with match those that contain the text:
 * fn is called with each of them. Returns 0 or -1. */
typedef int ctx_rewrite_fn(
    void *arg, int64_t seq, struct ctx_span message, struct ctx_err *err);
int ctx_rewrite_messages(struct ctx_source *source, struct ctx_redaction *r,
    ctx_rewrite_fn *fn, void *arg, struct ctx_err *err);

#endif
