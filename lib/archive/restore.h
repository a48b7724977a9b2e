/* Restores archives into a store. An archive is verified completely before any of it
 * is stored. Small archives share a transaction. A large one is read twice and stored
 * in batches; its session stays readable from the archive until the last batch. */
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

/* dry_run: check all and write nothing. event: add an event to the session. open: opens the
 * store, if ctx_unarchive_new got none, once an archive is sound; arg as there. */
struct ctx_unarchive_options {
	const char *as;
	int64_t now;
	bool dry_run, event;
	int (*open)(void *arg, struct ctx_store **st, struct ctx_err *err);
};

/* The tenant that the store is restricted to when it is given or opened is used for all
 * archives, even if the store is restricted to another one later. */
struct ctx_unarchive *ctx_unarchive_new(struct ctx_store *st,
    const struct ctx_unarchive_options *o, ctx_unarchive_fn *fn, void *arg);

/* Verifies an archive and restores it, at once or together with the following ones.
 * sha256 is the expected digest of the file, or NULL. Problems with this archive alone
 * are passed to fn. Returns -1 if the store or the storage fails or fn returns -1. */
int ctx_unarchive_add(struct ctx_unarchive *u, struct ctx_source *source, const char *uri,
    const char *sha256, struct ctx_err *err);

/* Makes an archived session active again without reading its archive; all its messages
 * must still be in the store. CTX_EANSWER if it is no longer such a session. */
int ctx_unarchive_kept(
    struct ctx_unarchive *u, int64_t session_no, const char *uri, struct ctx_err *err);

/* Restores the archives that were added but not restored yet. */
int ctx_unarchive_flush(struct ctx_unarchive *u, struct ctx_err *err);
void ctx_unarchive_free(struct ctx_unarchive *u);

#endif
