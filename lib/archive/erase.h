/* Purging: sessions removed for good, with their archives and what is derived from them.
 * Cut off at any moment, a purge is found by what it left and can be repeated. */
#ifndef CTX_ARCHIVE_ERASE_H
#define CTX_ARCHIVE_ERASE_H

#include "archive/scrub.h"
#include "store/purge.h"

/* What the program has to lend. */
struct ctx_erase_calls {
	/* Remove an archive in object storage; 0 also when there was none. */
	int (*remove_remote)(const char *uri, struct ctx_err *err);
	/* A cleaned-up session from its archive, as cli_archived_open. */
	int (*open_archived)(
	    struct ctx_store **out, struct ctx_session *s, struct ctx_err *err);
	/* An archive in object storage as a file of ours, which the caller closes: 1 and *fd; 0:
	 * there is none; -1. */
	int (*fetch_remote)(const char *address, int *fd, struct ctx_err *err);
	/* The session is erased up to a row that says that it is being purged; refused: it was
	 * left alone, and why. -1 with err set stops. */
	int (*erased)(const struct ctx_session *s, const struct ctx_removed *removed,
	    const struct ctx_err *refused, struct ctx_err *err);
	/* Something was left undone, and why. */
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
	    *destination; /* where archives may be that the store does not know of: a
				  * run was killed before it could say so; or NULL */
	struct ctx_scrub scrub;
	struct ctx_removed total;
	int64_t sessions, archives;  /* that were removed */
	int64_t left;                /* archives that are not this store's to remove */
	int64_t missing;             /* archives that could not be looked at */
	bool rewrite;                /* bytes may be left that there is no looking for */
	struct ctx_erase_uris known; /* archives that are to be searched */
	struct ctx_session *erased;  /* rows that are left to go */
	size_t n, cap;
	struct ctx_erase_waiting *waiting; /* to share transactions */
	size_t n_waiting, waiting_cap;
	int64_t waiting_messages;
};

/* From here on what is deleted is overwritten. */
int ctx_erase_open(struct ctx_erase *e, struct ctx_store *st,
    const struct ctx_erase_calls *calls, struct ctx_err *err);

/* Remove the session, which is as *s says, with others that are added: calls->erased tells
 * when, and whether it was left alone because it has moved on or is on hold. *s is taken
 * over, and empty afterwards. A session is added once. */
int ctx_erase_add(struct ctx_erase *e, struct ctx_session *s, struct ctx_err *err);
/* Remove those that wait. */
int ctx_erase_flush(struct ctx_erase *e, struct ctx_err *err);

/* The end: the files are scrubbed and searched, and the rows go. */
int ctx_erase_finish(
    struct ctx_erase *e, struct ctx_needle_counts *counts, struct ctx_err *err);

/* Add the archives that a session which stays tells of to e->known; those that sessions
 * told of which were removed, and that are another's, are there already. */
int ctx_erase_know(struct ctx_erase *e, const struct ctx_session *s, struct ctx_err *err);

void ctx_erase_close(struct ctx_erase *e);

#endif
