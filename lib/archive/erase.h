/* Purging: removes sessions for good, with their archives and derived data. A purge that
 * is interrupted at any point leaves a mark, by which it is found and repeated. */
#ifndef CTX_ARCHIVE_ERASE_H
#define CTX_ARCHIVE_ERASE_H

#include "archive/scrub.h"
#include "store/purge.h"

/* Callbacks of the program. */
struct ctx_erase_calls {
	/* Deletes an archive in object storage; returns 0 even if it did not exist. */
	int (*remove_remote)(const char *uri, struct ctx_err *err);
	/* Opens a cleaned-up session from its archive, as cli_archived_open does. */
	int (*open_archived)(
	    struct ctx_store **out, struct ctx_session *s, struct ctx_err *err);
	/* Downloads an archive from object storage into a private file. Returns 1 with
	 * *fd, which the caller closes, 0 if it does not exist, -1 on error. */
	int (*fetch_remote)(const char *address, int *fd, struct ctx_err *err);
	/* Called when the session is erased except for the row that marks it as being
	 * purged, or when it was skipped; refused gives the reason then. Returns -1 with
	 * err set to stop. */
	int (*erased)(void *arg, const struct ctx_session *s,
	    const struct ctx_err *refused, struct ctx_err *err);
	void *arg; /* passed to erased */
	/* Prints a warning about something that was not done. */
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
};

struct ctx_erase_uris {
	char **v;
	size_t n, cap;
};

struct ctx_erase {
	struct ctx_store *st;
	const struct ctx_erase_calls *calls;
	const char
	    /* a place that may hold archives the store does not know of, because a run
	     * was killed before it recorded them; or NULL */
	    *destination;
	struct ctx_scrub scrub;
	struct ctx_removed total;
	int64_t sessions, archives;  /* that were removed */
	int64_t left;                /* archives that this store may not remove */
	int64_t missing;             /* archives that could not be read */
	bool rewrite;                /* traces may remain that cannot be searched for */
	struct ctx_erase_uris known; /* archives to search */
	int64_t *erased; /* numbers of sessions whose rows are still to be removed */
	size_t n, cap;
	struct ctx_erase_waiting *waiting; /* to share transactions */
	size_t n_waiting, waiting_cap;
	int64_t waiting_messages;
};

/* Starts a purge. From this call on, deleted data is overwritten. */
int ctx_erase_open(struct ctx_erase *e, struct ctx_store *st,
    const struct ctx_erase_calls *calls, struct ctx_err *err);

/* Removes the session, together with others that are added, each once; *s must be current.
 * The caller may hold a snapshot of the store over many calls, which these may end.
 * calls->erased reports when it is removed, or that it was skipped because it has changed
 * or is on hold. Takes over *s and empties it. */
int ctx_erase_add(struct ctx_erase *e, struct ctx_session *s, struct ctx_err *err);
/* Remove those that wait. */
int ctx_erase_flush(struct ctx_erase *e, struct ctx_err *err);

/* Ends the purge: scrubs and searches the files, and removes the rows. */
int ctx_erase_finish(
    struct ctx_erase *e, struct ctx_needle_counts *counts, struct ctx_err *err);

/* Adds to e->known the archives that a remaining session names. Archives of removed
 * sessions that belong to other stores are already in it. */
int ctx_erase_know(struct ctx_erase *e, const struct ctx_session *s, struct ctx_err *err);

/* The number of bytes that were returned to the file system. */
int64_t ctx_erase_bytes(const struct ctx_erase *e);

void ctx_erase_close(struct ctx_erase *e);

#endif
