/* Ownership of archives: the identity of the store, the archives that it has recorded,
 * and the places where an archiving run is active or was interrupted. The store gets its
 * identity with its first archive. Without an identity, it owns only archives that name
 * no store, which older versions wrote. */
#ifndef CTX_STORE_OWNER_H
#define CTX_STORE_OWNER_H

#include "base/id.h"
#include "store/store.h"

struct ctx_owner {
	char id[CTX_ID_UUID + 1]; /* "": the store has no identity yet */
	/* the store is a backup: it does not own the archives of the store it was copied
	 * from */
	bool copied;
};
int ctx_owner_get(struct ctx_store *st, struct ctx_owner *owner, struct ctx_err *err);

/* Records durably that a run starts to write archives to the place, assigns an identity
 * to the store if it has none, and fills in *owner. now is in ms. Returns 1 if an earlier
 * run was interrupted there, 0 if not, -1 on error. Must not be called inside a
 * transaction. */
int ctx_owner_begin_run(struct ctx_store *st, const char *place, int64_t now,
    struct ctx_owner *owner, struct ctx_err *err);
/* Records that the run has ended, after all archives that it wrote were recorded. Must
 * not be called inside a transaction. */
int ctx_owner_end_run(struct ctx_store *st, const char *place, struct ctx_err *err);

/* Replaces the store's identity by id, that of another store. Must not be called inside a
 * transaction. */
int ctx_owner_adopt(struct ctx_store *st, const char *id, struct ctx_err *err);

/* A recorded archive of a session. */
struct ctx_owner_file {
	const char *uri;
	const char *sha256; /* digest of the file; NULL: unknown */
	enum ctx_owner_state {
		/* the session was restored from this archive, whichever store wrote it */
		CTX_OWNER_RESTORED,
		CTX_OWNER_WRITTEN,
		CTX_OWNER_GOING, /* a purge is removing it */
	} state;
};

/* Records an archive of the session, or updates its record. Of the old and the new state,
 * the higher one is stored. Call inside a write transaction. */
int ctx_owner_add(struct ctx_store *st, int64_t session_no,
    const struct ctx_owner_file *file, struct ctx_err *err);

/* Calls fn for each recorded archive of the session. fn returns -1 with err set to
 * stop. */
typedef int ctx_owner_fn(
    void *arg, const struct ctx_owner_file *file, struct ctx_err *err);
int ctx_owner_each(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);
/* Calls fn for each place where a run is active or was interrupted. */
typedef int ctx_owner_place_fn(void *arg, const char *place, struct ctx_err *err);
int ctx_owner_each_run(
    struct ctx_store *st, ctx_owner_place_fn *fn, void *arg, struct ctx_err *err);

/* Returns 1 if this archive is recorded for any session, 0 if not, -1 on error. */
int ctx_owner_knows(struct ctx_store *st, const char *uri, struct ctx_err *err);

/* Deletes the records of the archives of the sessions with the numbers first_no to last_no.
 * Call inside a write transaction. */
int ctx_owner_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err);

/* Changes the addresses of archives in the place from to the place to, wherever the
 * store has recorded them, in one transaction. from has no trailing slash. Before that,
 * fn is called with each old and new address: it returns 0 to make the change, 1 to skip
 * it, or -1 to stop without any change. With dry_run, nothing is changed. *n is set to
 * the number of changes; an archive can count twice. Must not be called inside a
 * transaction. */
typedef int ctx_owner_moved_fn(
    void *arg, const char *from, const char *to, struct ctx_err *err);
int ctx_owner_relocate(struct ctx_store *st, const char *from, const char *to,
    ctx_owner_moved_fn *fn, void *arg, bool dry_run, int64_t *n, struct ctx_err *err);

#endif
