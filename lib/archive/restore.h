/* Restores archives into a store. An archive is verified completely before any of it is
 * stored. Small archives share a transaction. A large archive is read twice and stored in
 * several transactions; until the last transaction, readers of the session read the
 * archive. */
#ifndef CTX_ARCHIVE_RESTORE_H
#define CTX_ARCHIVE_RESTORE_H

#include "archive/place.h"
#include "archive/save.h"
#include "store/restore.h"

struct ctx_unarchive;

/* The result for one archive, borrowed for the call. */
struct ctx_unarchived {
	const char *uri;
	/* the restored session; NULL if the restore failed */
	const struct ctx_session *session;
	/* NULL if the archive was not read to its end */
	const struct ctx_archive_info *info;
	/* number of requests that were not restored (ctx_restore_left_out) */
	int64_t left_out;
	/* why the restore failed; NULL: the session is restored and durable */
	const struct ctx_err *failure;
};
/* Called with the result for each archive. To stop, the function sets err and returns
 * -1. */
typedef int ctx_unarchive_fn(
    void *arg, const struct ctx_unarchived *u, struct ctx_err *err);

/* as: id for the restored session; NULL: the id in the archive. now: time of the restore,
 * in ms since the epoch. dry_run: check the archives and write nothing. event: add an
 * event to the session. open: opens the store if ctx_unarchive_new was called without
 * one; called after the first archive was verified, with the arg of ctx_unarchive_new. */
struct ctx_unarchive_options {
	const char *as;
	int64_t now;
	bool dry_run, event;
	int (*open)(void *arg, struct ctx_store **st, struct ctx_err *err);
};

/* Creates a restore job; st may be NULL if o->open is set. All archives are restored for
 * the tenant to which the store is restricted when this function is called or when
 * o->open opens the store, even if ctx_store_set_tenant changes the restriction later. */
struct ctx_unarchive *ctx_unarchive_new(struct ctx_store *st,
    const struct ctx_unarchive_options *o, ctx_unarchive_fn *fn, void *arg);

/* Verifies an archive, and restores it now or later, together with archives that are
 * added after it. uri is the archive's address; sha256 is the expected digest of the
 * archive's file, or NULL. A problem with this archive alone is passed to fn. Returns -1
 * if the store or the storage fails, or if fn returns -1. */
int ctx_unarchive_add(struct ctx_unarchive *u, struct ctx_source *source, const char *uri,
    const char *sha256, struct ctx_err *err);

/* Makes an archived session active again without reading its archive. All its messages
 * must still be in the store. Fails with CTX_EANSWER if the session no longer exists, is
 * not archived, or was cleaned up. */
int ctx_unarchive_kept(
    struct ctx_unarchive *u, int64_t session_no, const char *uri, struct ctx_err *err);

/* Restores the archives that were added and not restored yet. */
int ctx_unarchive_flush(struct ctx_unarchive *u, struct ctx_err *err);
void ctx_unarchive_free(struct ctx_unarchive *u);

#endif
