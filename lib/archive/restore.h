/* Restores archives into a store. An archive is verified completely before any of it is
 * stored. Small archives share a transaction. A large archive is read twice, and stored
 * in several transactions; until the last of these, readers of the session read the
 * archive. */
#ifndef CTX_ARCHIVE_RESTORE_H
#define CTX_ARCHIVE_RESTORE_H

#include "archive/place.h"
#include "archive/save.h"
#include "store/restore.h"

struct ctx_unarchive;

/* The result for one archive. The pointers are valid only during the call of the
 * ctx_unarchive_fn. */
struct ctx_unarchived {
	const char *uri;
	/* the restored session; NULL if the restore failed */
	const struct ctx_session *session;
	/* facts about the archive; NULL: the archive could not be read to its end */
	const struct ctx_archive_info *info;
	/* number of requests in the archive that were not restored (see
	 * ctx_restore_left_out) */
	int64_t left_out;
	/* why the restore failed; NULL: the session is restored and durable */
	const struct ctx_err *failure;
};
/* Called with the result for each archive. To stop, the function sets err and returns
 * -1. */
typedef int ctx_unarchive_fn(
    void *arg, const struct ctx_unarchived *u, struct ctx_err *err);

/* Options of a restore job:
 * - as: id for the restored session; NULL: the id in the archive.
 * - now: time of the restore, in ms since the epoch.
 * - dry_run: check the archives, but write nothing.
 * - event: add an event to each restored session.
 * - open: opens the store if ctx_unarchive_new was called with st == NULL. This function
 * is called after the first archive was verified, with the arg of ctx_unarchive_new. */
struct ctx_unarchive_options {
	const char *as;
	int64_t now;
	bool dry_run, event;
	int (*open)(void *arg, struct ctx_store **st, struct ctx_err *err);
};

/* Creates a restore job; st may be NULL if o->open is set. Sessions are restored for the
 * tenant to which the store is restricted during this call or, if o->open opens the
 * store, after that. Later calls of ctx_store_set_tenant do not change this. */
struct ctx_unarchive *ctx_unarchive_new(struct ctx_store *st,
    const struct ctx_unarchive_options *o, ctx_unarchive_fn *fn, void *arg);

/* Verifies an archive. Restores a large archive at once; keeps a small one in memory, to
 * restore it together with others. uri: the archive's address; sha256: the expected
 * digest of the file, or NULL. If this archive cannot be restored, the callback fn of
 * ctx_unarchive_new gets the reason. Returns -1 if the store or the storage fails, or if
 * fn returns -1. */
int ctx_unarchive_add(struct ctx_unarchive *u, struct ctx_source *source, const char *uri,
    const char *sha256, struct ctx_err *err);

/* Restores an archived session whose messages are still in the store, without reading its
 * archive. Fails with CTX_EANSWER if the session no longer exists, is not archived, or
 * was cleaned up (its messages were deleted from the store). */
int ctx_unarchive_kept(
    struct ctx_unarchive *u, int64_t session_no, const char *uri, struct ctx_err *err);

/* Restores the added archives that are still kept in memory. */
int ctx_unarchive_flush(struct ctx_unarchive *u, struct ctx_err *err);
void ctx_unarchive_free(struct ctx_unarchive *u);

#endif
