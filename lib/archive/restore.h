/* Archives back into a store. An archive is verified to its last byte before anything of
 * it is stored. Small ones share a transaction; a large one is read twice and stored in
 * batches, its session readable from the archive until the last. */
#ifndef CTX_ARCHIVE_RESTORE_H
#define CTX_ARCHIVE_RESTORE_H

#include "archive/place.h"
#include "archive/save.h"
#include "store/restore.h"

struct ctx_unarchive;

/* What came of one archive; borrowed for the call. */
struct ctx_unarchived {
	const char *uri;
	const struct ctx_session *session;   /* NULL when it failed */
	const struct ctx_archive_info *info; /* NULL when it was not read */
	int64_t left_out;                    /* requests, see ctx_restore_left_out */
	const struct ctx_err *failure;       /* NULL: restored, and durable */
};
/* Return -1 with err set to stop. */
typedef int ctx_unarchive_fn(
    void *arg, const struct ctx_unarchived *u, struct ctx_err *err);

/* dry_run: all the checks, then everything is undone. event: leave one in the session. */
struct ctx_unarchive_options {
	const char *as;
	int64_t now;
	bool dry_run, event;
};

/* Sessions of the tenant that the store shows now are taken in, whichever it shows later. */
struct ctx_unarchive *ctx_unarchive_new(struct ctx_store *st,
    const struct ctx_unarchive_options *o, ctx_unarchive_fn *fn, void *arg);

/* Take an archive: verify it, and restore it now or with the next ones. sha256 is the digest
 * that the file must have, or NULL. -1: the store or the place failed,
 * or fn stopped it; what is wrong with one archive goes to fn. */
int ctx_unarchive_add(struct ctx_unarchive *u, struct ctx_source *source, const char *uri,
    const char *sha256, struct ctx_err *err);

/* A session that is archived and whose messages are all in the store still becomes active
 * again; its archive is not asked. CTX_EANSWER: it is no such session by now. */
int ctx_unarchive_kept(
    struct ctx_unarchive *u, int64_t session_no, const char *uri, struct ctx_err *err);

/* Restore what waits. */
int ctx_unarchive_flush(struct ctx_unarchive *u, struct ctx_err *err);
void ctx_unarchive_free(struct ctx_unarchive *u);

#endif
