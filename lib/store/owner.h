/* Ownership of archives: the identity of the store, the archives that are recorded in the
 * store, and the places (directories or buckets) to which archives are being written. The
 * store gets its identity with its first archive. A store without an identity owns only
 * archives that do not name a store; older versions of ctx wrote such archives. */
#ifndef CTX_STORE_OWNER_H
#define CTX_STORE_OWNER_H

#include "base/id.h"
#include "store/store.h"

struct ctx_owner {
	/* identity of the store, a UUID; "": the store has no identity yet */
	char id[CTX_ID_UUID + 1];
	/* true: the store is a backup, which does not own the archives of the original
	 * store */
	bool copied;
};
int ctx_owner_get(struct ctx_store *st, struct ctx_owner *owner, struct ctx_err *err);

/* Starts an archiving run: records durably that this process writes archives to the place
 * (a directory or a prefix in a bucket). Gives the store an identity if it has none, and
 * fills in *owner. now: the time in ms since the epoch. Returns 1 if an earlier run to
 * this place was interrupted, 0 if not, -1 on error. Must not be called inside a
 * transaction. */
int ctx_owner_begin_run(struct ctx_store *st, const char *place, int64_t now,
    struct ctx_owner *owner, struct ctx_err *err);
/* Records that the archiving run has ended. Call this function after all archives that
 * the run wrote were recorded. Must not be called inside a transaction. */
int ctx_owner_end_run(struct ctx_store *st, const char *place, struct ctx_err *err);

/* Replaces the store's identity. id: the new identity, which is that of another store.
 * Must not be called inside a transaction. */
int ctx_owner_adopt(struct ctx_store *st, const char *id, struct ctx_err *err);

/* A recorded archive of a session. */
struct ctx_owner_file {
	const char *uri;
	const char *sha256; /* digest of the file; NULL: unknown */
	enum ctx_owner_state {
		/* the session was restored from this archive; another store may have
		 * written the archive */
		CTX_OWNER_RESTORED,
		CTX_OWNER_WRITTEN,
		CTX_OWNER_GOING, /* a purge is removing this archive */
	} state;
};

/* Records an archive of the session. If the archive is already recorded, updates its
 * record, but never changes the state to a lower value of enum ctx_owner_state. Call
 * inside a write transaction. */
int ctx_owner_add(struct ctx_store *st, int64_t session_no,
    const struct ctx_owner_file *file, struct ctx_err *err);

typedef int ctx_owner_fn(
    void *arg, const struct ctx_owner_file *file, struct ctx_err *err);
/* Calls fn for each recorded archive of the session. To stop, fn sets err and returns
 * -1. */
int ctx_owner_each(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);
typedef int ctx_owner_place_fn(void *arg, const char *place, struct ctx_err *err);
/* Calls fn for each place (a directory or a prefix in a bucket) where an archiving run is
 * active or was interrupted. */
int ctx_owner_each_run(
    struct ctx_store *st, ctx_owner_place_fn *fn, void *arg, struct ctx_err *err);

/* Returns 1 if any session has this archive on record, 0 if not, -1 on error. uri: the
 * address of the archive. */
int ctx_owner_knows(struct ctx_store *st, const char *uri, struct ctx_err *err);

typedef int ctx_owner_moved_fn(
    void *arg, const char *from, const char *to, struct ctx_err *err);
/* Changes the recorded addresses of archives that were moved, in one transaction. from:
 * the old place (directory or prefix in a bucket), without a trailing slash; to: the new
 * place. Before the changes, calls fn with each old and new address; fn returns 0 to make
 * the change, 1 to skip it, -1 to stop without any change. If dry_run is true, nothing is
 * changed. Sets *n to the number of changes; an archive whose address is recorded twice
 * counts twice. Must not be called inside a transaction. */
int ctx_owner_relocate(struct ctx_store *st, const char *from, const char *to,
    ctx_owner_moved_fn *fn, void *arg, bool dry_run, int64_t *n, struct ctx_err *err);

#endif
