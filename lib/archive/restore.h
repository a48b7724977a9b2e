/* Restores archives into a store. Each archive is verified to its last byte before any of
 * it is stored. Small archives share a transaction; a large one is read twice and stored
 * in batches, and its session stays readable from the archive until the last batch. */
#ifndef CTX_ARCHIVE_RESTORE_H
#define CTX_ARCHIVE_RESTORE_H

#include "archive/place.h"
#include "archive/save.h"
#include "store/restore.h"

struct ctx_unarchive;

/* The result for one archive; borrowed for the call. */
struct ctx_unarchived {
	const char *uri;
	const struct ctx_session *session;   /* NULL when it failed */
	const struct ctx_archive_info *info; /* NULL if it was not read */
	/* number of requests left out, see ctx_restore_left_out */
	int64_t left_out;
	const struct ctx_err *failure; /* NULL: restored, and durable */
};
/* Returns -1 with err set to stop. */
typedef int ctx_unarchive_fn(
    void *arg, const struct ctx_unarchived *u, struct ctx_err *err);

/* dry_run: do all checks, then roll back. event: add an event to the session. */
struct ctx_unarchive_options {
	const char *as;
	int64_t now;
	bool dry_run, event;
};

/* Restores into the tenant that the store shows at this moment, whichever it shows later. */
struct ctx_unarchive *ctx_unarchive_new(struct ctx_store *st,
    const struct ctx_unarchive_options *o, ctx_unarchive_fn *fn, void *arg);

/* Verifies an archive and restores it now or together with the next ones. sha256 is the
 * expected digest of the file, or NULL. Problems of one archive are passed to fn. Returns
 * -1 when the store or the place failed, or fn stopped it. */
int ctx_unarchive_add(struct ctx_unarchive *u, struct ctx_source *source, const char *uri,
    const char *sha256, struct ctx_err *err);

/* Makes an archived session whose messages are all in the store active again, without
 * reading its archive. CTX_EANSWER when it is no longer such a session. */
int ctx_unarchive_kept(
    struct ctx_unarchive *u, int64_t session_no, const char *uri, struct ctx_err *err);

/* Restore what waits. */
int ctx_unarchive_flush(struct ctx_unarchive *u, struct ctx_err *err);
void ctx_unarchive_free(struct ctx_unarchive *u);

#endif
