/* Whose archives are: the identity of the store, the archives that it knows of, and the
 * places in which runs were cut off. The tables are made when something is archived or
 * restored first; a store without them owns nothing that says whose it is. */
#ifndef CTX_STORE_OWNER_H
#define CTX_STORE_OWNER_H

#include "base/id.h"
#include "store/store.h"

struct ctx_owner {
	char id[CTX_ID_UUID + 1]; /* "": it has none yet */
	bool copied; /* a backup, which owns nothing of what it was copied from */
};
int ctx_owner_get(struct ctx_store *st, struct ctx_owner *owner, struct ctx_err *err);

/* Note durably that a run begins to write archives to the place; gives the store its
 * identity. Must not be called inside a transaction. Returns 1 if an earlier run was cut off
 * there, 0, or -1. */
int ctx_owner_begin_run(struct ctx_store *st, const char *place, int64_t now,
    struct ctx_owner *owner, struct ctx_err *err);
/* All that the run wrote is recorded. Must not be called inside a transaction. */
int ctx_owner_end_run(struct ctx_store *st, const char *place, struct ctx_err *err);

/* Become the store of that identity. Must not be called inside a transaction. */
int ctx_owner_adopt(struct ctx_store *st, const char *id, struct ctx_err *err);

/* An archive of a session. */
struct ctx_owner_file {
	const char *uri;
	const char *sha256; /* digest of the file; NULL: not known */
	enum ctx_owner_state {
		CTX_OWNER_RESTORED, /* the session came from it, whoever wrote it */
		CTX_OWNER_WRITTEN,
		CTX_OWNER_GOING, /* a purge removes it */
	} state;
};

/* Record an archive of the session, or what is known of it now: the greatest state stays.
 * Call inside a write transaction. */
int ctx_owner_add(struct ctx_store *st, int64_t session_no,
    const struct ctx_owner_file *file, struct ctx_err *err);

/* Call fn with each archive that was recorded of the session. -1 from fn stops. */
typedef int ctx_owner_fn(
    void *arg, const struct ctx_owner_file *file, struct ctx_err *err);
int ctx_owner_each(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);
/* The same with each place in which a run is at work or was cut off. */
typedef int ctx_owner_place_fn(void *arg, const char *place, struct ctx_err *err);
int ctx_owner_each_run(
    struct ctx_store *st, ctx_owner_place_fn *fn, void *arg, struct ctx_err *err);

/* Is it recorded of any session that it has this archive? Returns 1, 0 or -1. */
int ctx_owner_knows(struct ctx_store *st, const char *uri, struct ctx_err *err);

/* The archives of a session that is purged. Call inside a write transaction. */
int ctx_owner_forget(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Replace the beginning of addresses, a place without a slash at its end, wherever sessions
 * say that they are archived there, in one transaction. fn is called with both addresses of
 * each before: 0 goes on, 1 leaves this one as it is, -1 stops, and nothing is changed; nor is
 * it with dry_run. *n is how many there are to change; one archive may count twice. Must not
 * be called inside a transaction. */
typedef int ctx_owner_moved_fn(
    void *arg, const char *from, const char *to, struct ctx_err *err);
int ctx_owner_relocate(struct ctx_store *st, const char *from, const char *to,
    ctx_owner_moved_fn *fn, void *arg, bool dry_run, int64_t *n, struct ctx_err *err);

#endif
