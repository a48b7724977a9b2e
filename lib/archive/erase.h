/* Purges sessions: removes them for good, with their archives and derived data. The first
 * step marks the session in the store, so that a purge that was interrupted at any later
 * point is found and can be repeated. */
#ifndef CTX_ARCHIVE_ERASE_H
#define CTX_ARCHIVE_ERASE_H

#include "archive/scrub.h"
#include "store/purge.h"

/* Functions that the calling program must provide. */
struct ctx_erase_calls {
	/* Deletes an archive in object storage. Returns 0 on success, also if the archive
	 * did not exist, and -1 on error. */
	int (*remove_remote)(const char *uri, struct ctx_err *err);
	/* Opens a session whose messages are only in its archive. Sets *out to a private
	 * store that contains these messages; the caller closes it. The programs pass
	 * cli_archived_open. */
	int (*open_archived)(
	    struct ctx_store **out, struct ctx_session *s, struct ctx_err *err);
	/* Downloads an archive from object storage into a private file. Returns 1 with
	 * the file descriptor in *fd, which the caller closes; 0 if the archive does not
	 * exist; -1 on error. */
	int (*fetch_remote)(const char *address, int *fd, struct ctx_err *err);
	/* Reports the result for one session. If refused is NULL, the session was erased,
	 * except for the row that marks the session as being purged. Otherwise the
	 * session was skipped, and *refused is the reason. To stop the purge, this
	 * function sets err and returns -1. */
	int (*erased)(void *arg, const struct ctx_session *s,
	    const struct ctx_err *refused, struct ctx_err *err);
	void *arg; /* first argument of the callback erased() */
	/* Prints a warning, such as about an archive that could not be removed. */
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
};

struct ctx_erase_uris {
	char **v;
	size_t n, cap;
};

struct ctx_erase {
	struct ctx_store *st;
	const struct ctx_erase_calls *calls;
	/* directory or s3:// prefix that may contain archives which the store has not
	 * recorded, because ctx-archive was killed; may be NULL */
	const char *destination;
	struct ctx_scrub scrub;
	struct ctx_removed total;
	/* number of removed sessions, and number of removed archives */
	int64_t sessions, archives;
	/* number of archives that were not removed, because they belong to another store
	 * or session or because their owner is unknown */
	int64_t left;
	/* number of archives that should exist but were missing, unreadable or replaced
	 * by another file, and of archive directories that do not exist */
	int64_t missing;
	/* true: rewrite the store's files, because some removed texts are unknown and
	 * cannot be searched for */
	bool rewrite;
	/* true: the store's files are searched for the removed texts at the end. This is
	 * necessary if deleted rows can leave bytes in the files, or if scrub.everywhere
	 * is true. */
	bool search;
	bool decided; /* true: the member "search" has its final value */
	/* addresses of remaining archives, to be searched for removed texts */
	struct ctx_erase_uris known;
	/* numbers of the erased sessions. The store still has a row for each of them,
	 * which marks the session as being purged; ctx_erase_finish deletes these rows */
	int64_t *erased;
	size_t n, cap;
	/* sessions added with ctx_erase_add that are not erased yet; they share
	 * transactions */
	struct ctx_erase_waiting *waiting;
	size_t n_waiting, waiting_cap;
	int64_t waiting_messages;
};

/* Starts a purge, and turns on the overwriting of deleted data in the store. The caller
 * ends the purge with ctx_erase_close, even after an error. */
int ctx_erase_open(struct ctx_erase *e, struct ctx_store *st,
    const struct ctx_erase_calls *calls, struct ctx_err *err);

/* Adds a session to the purge. *s must have been read just before, and no session may be
 * added twice. Sessions are erased in groups: when a group is full, this function erases
 * the group. A session that has changed or is on hold is skipped. calls->erased gets the
 * result for each session. Takes ownership of what *s owns, and initializes *s again. May
 * end the read snapshot that the caller has open in the store. */
int ctx_erase_add(struct ctx_erase *e, struct ctx_session *s, struct ctx_err *err);
/* Erases the added sessions that are still waiting for their group to be full. */
int ctx_erase_flush(struct ctx_erase *e, struct ctx_err *err);

/* Completes the purge. Overwrites the remaining bytes of the erased texts in the store's
 * files, searches the files to verify this, and then deletes the rows that mark the
 * sessions as being purged. Sets *counts to the result of the search. */
int ctx_erase_finish(
    struct ctx_erase *e, struct ctx_needle_counts *counts, struct ctx_err *err);

/* Adds the addresses of the archives of session s to e->known. Call this for sessions
 * that are not purged. For purged sessions, ctx_erase_plan_collect and
 * ctx_erase_plan_remove add the archives that remain. */
int ctx_erase_know(struct ctx_erase *e, const struct ctx_session *s, struct ctx_err *err);

/* Returns the number of bytes that the purge has returned to the file system. */
int64_t ctx_erase_bytes(const struct ctx_erase *e);

void ctx_erase_close(struct ctx_erase *e);

#endif
