/* Ownership of archives: the identity of the store, the archives it has recorded, and
 * the places where an archiving run was interrupted. The tables are created by the
 * first archive or restore; a store without them owns only archives that do not name
 * an owner. */
#ifndef CTX_STORE_OWNER_H
#define CTX_STORE_OWNER_H

#include "base/id.h"
#include "store/store.h"

struct ctx_owner {
	char id[CTX_ID_UUID + 1]; /* "": no identity assigned yet */
	/* a backup: it does not own the archives of the store it was copied from */
	bool copied;
};
int ctx_owner_get(struct ctx_store *st, struct ctx_owner *owner, struct ctx_err *err);

/* Records durably that a run starts to write archives to the place, and assigns the
 * store's identity if it has none. Must not be called inside a transaction. Returns 1 if
 * an earlier run was interrupted there, 0 if not, -1 on error. */
int ctx_owner_begin_run(struct ctx_store *st, const char *place, int64_t now,
    struct ctx_owner *owner, struct ctx_err *err);
/* Ends the run: all archives that it wrote are recorded. Must not be called inside a
 * transaction. */
int ctx_owner_end_run(struct ctx_store *st, const char *place, struct ctx_err *err);

/* Takes over the identity id. Must not be called inside a transaction. */
int ctx_owner_adopt(struct ctx_store *st, const char *id, struct ctx_err *err);

/* An archive of a session. */
struct ctx_owner_file {
	const char *uri;
	const char *sha256; /* digest of the file; NULL: unknown */
	enum ctx_owner_state {
		/* the session was restored from it, whoever wrote it */
		CTX_OWNER_RESTORED,
		CTX_OWNER_WRITTEN,
		CTX_OWNER_GOING, /* a purge removes it */
	} state;
};

/* Records an archive of the session, or updates its record; the highest state is kept.
 * Call inside a write transaction. */
int ctx_owner_add(struct ctx_store *st, int64_t session_no,
    const struct ctx_owner_file *file, struct ctx_err *err);

/* Calls fn with each recorded archive of the session. fn returns -1 to stop. */
typedef int ctx_owner_fn(
    void *arg, const struct ctx_owner_file *file, struct ctx_err *err);
int ctx_owner_each(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);
/* Calls fn with each place where a run is active or was interrupted. */
typedef int ctx_owner_place_fn(void *arg, const char *place, struct ctx_err *err);
int ctx_owner_each_run(
    struct ctx_store *st, ctx_owner_place_fn *fn, void *arg, struct ctx_err *err);

/* Returns 1 if any session is recorded to have this archive, 0 if none is, -1 on
 * error. */
int ctx_owner_knows(struct ctx_store *st, const char *uri, struct ctx_err *err);

/* Deletes the records of the archives of the sessions with the numbers first_no to last_no.
 * Call inside a write transaction. */
int ctx_owner_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err);

/* Replaces the prefix from of archive addresses by to wherever the store records an
 * archive, in one transaction. from is a place without a trailing slash. Before each
 * change fn is called with the old and the new address: it returns 0 to make the
 * change, 1 to skip it, or -1 to stop without any change. With dry_run nothing is
 * changed. *n is the number of changes; an archive can count twice. Must not be called
 * inside a transaction. */
typedef int ctx_owner_moved_fn(
    void *arg, const char *from, const char *to, struct ctx_err *err);
int ctx_owner_relocate(struct ctx_store *st, const char *from, const char *to,
    ctx_owner_moved_fn *fn, void *arg, bool dry_run, int64_t *n, struct ctx_err *err);

#endif
