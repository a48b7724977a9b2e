/* Removes data from the store: clean-up after archiving, and deletion. */
#ifndef CTX_STORE_PURGE_H
#define CTX_STORE_PURGE_H

#include "store/store.h"

/* Numbers of removed rows, added up. */
struct ctx_removed {
	int64_t messages, requests, events;
	int64_t additions; /* texts in requests that were not messages of the log */
	int64_t derived;   /* rows of the derived file */
	int64_t bytes;     /* that were returned to the file system at once */
};

/* The archive address of a session (NULL if it is not archived), the archive's digest,
 * whether the messages were cleaned up and are only in the archive, and whether it is
 * excluded from searches. */
char *ctx_archive_uri(const struct ctx_session *s); /* owned */
/* owned: digest of the file, or NULL */
char *ctx_archive_sha256(const struct ctx_session *s);
bool ctx_archive_cleaned(const struct ctx_session *s);
bool ctx_archive_forgotten(const struct ctx_session *s); /* excluded from searches */

/* Tells what has left the store since *s was read: 0 nothing, CTX_LEFT_MESSAGES when its
 * messages were cleaned up after archiving, CTX_LEFT_ALL when it was erased; -1 on error.
 * Needed by readers that use more than one snapshot. */
enum { CTX_LEFT_MESSAGES = 1, CTX_LEFT_ALL = 2 };
int ctx_session_left(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
/* Sets the error for that: CTX_EMOVED for cleaned-up messages, CTX_EANSWER for an erased
 * session. Returns -1. */
int ctx_session_left_error(const struct ctx_session *s, int left, struct ctx_err *err);
/* If err is CTX_EMOVED, clears it, reads the session as it is now (archived or restored
 * again) into *now, which the caller initialises, and returns true. */
bool ctx_session_moved(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session *now, struct ctx_err *err);

/* Marks the session with that number as archived and stores the event, if nothing has
 * changed since stamp was computed. archive is the JSON of its archive member. With clean
 * its messages, pins and hidden ranges are deleted. Call inside a write transaction.
 * Returns 1 if done, 0 if the session has changed, -1 on error. */
int ctx_store_archive(struct ctx_store *st, int64_t no, const char *stamp,
    const char *archive, struct ctx_span event, int64_t now, bool clean,
    struct ctx_removed *removed, struct ctx_err *err);

/* Deletes n sessions, given by their numbers, except for a row of each that marks it as being
 * purged, in a transaction of its own. Sorts the numbers. */
int ctx_store_erase(struct ctx_store *st, int64_t *nos, size_t n,
    struct ctx_removed *removed, struct ctx_err *err);
/* Deletes these rows, once the files are scrubbed. Call inside a write transaction. */
int ctx_store_forget(struct ctx_store *st, int64_t *nos, size_t n, struct ctx_err *err);

/* Calls fn with the messages of a session as they are stored, sound or not, borrowed for the
 * call. */
int ctx_store_bodies(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span body), void *arg, struct ctx_err *err);

/* The first step of a purge: marks the session as deleted and being purged. Call inside a
 * write transaction. */
int ctx_store_mark_purging(
    struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);
bool ctx_session_purging(const struct ctx_session *s);

/* Deletes what the store holds of a user outside of sessions: preferences and shares.
 * *rows is the number of deleted rows. Call inside a write transaction. */
int ctx_store_erase_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err);
/* Counts these rows and deletes nothing. */
int ctx_store_count_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err);

/* Deletes the derived rows of n sessions, given by their numbers, which it sorts, in a
 * transaction of its own. With keep, rows that serve archived sessions stay. Does nothing
 * when there is no derived file. */
int ctx_derived_erase(struct ctx_store *st, int64_t *nos, size_t n, bool keep,
    struct ctx_removed *removed, struct ctx_err *err);
/* The same for one session whose messages are about to change: words can be taken out of the
 * index only while the messages have them. Returns 1 inside a transaction of the derived
 * file, which keeps others from indexing the session until ctx_derived_commit; 0 if there is
 * nothing to erase so early; -1. */
int ctx_derived_erase_begin(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err);

/* From this call on, deleted data is overwritten with zeros in both files. */
int ctx_store_secure(struct ctx_store *st, struct ctx_err *err);

/* Prepares a deletion on a full disk, where the log needs room: truncates the logs as far
 * as no reader uses them, and turns off the overwriting of whole free pages that some
 * builds of SQLite do, since all of these would go through the log. */
void ctx_store_save_room(struct ctx_store *st);

/* Returns free pages to the file system, some thousand at a time so that other writers
 * get their turn, and empties the logs. *bytes is the number of bytes that the files
 * shrank by. CTX_EBUSY when a reader prevents a log from being emptied. */
int ctx_store_reclaim(struct ctx_store *st, int64_t *bytes, struct ctx_err *err);

/* Rewrites both files without any byte of deleted data and empties the logs. Needs time
 * and the space of a copy; other writers wait. */
int ctx_store_rewrite(struct ctx_store *st, struct ctx_err *err);

/* Calls fn with all bytes of the store's files, including logs, in pieces borrowed for
 * the call; first is true for the first piece of a file. */
typedef void ctx_store_bytes_fn(void *arg, struct ctx_span piece, bool first);
int ctx_store_bytes(
    struct ctx_store *st, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);

/* Overwrites removed bytes that are left in the files outside of rows, where SQLite moved
 * rows or freed them. Files that this version has made have none, and are read with search
 * alone; another file is from then on as if this version had made it. Calls found with each
 * such piece, borrowed for the call; it returns true if the piece must not stay. left is true
 * for a piece that could not be overwritten. CTX_EBUSY if a reader is in the way. */
typedef bool ctx_store_found_fn(void *arg, struct ctx_span piece, bool left);
int ctx_store_wipe(struct ctx_store *st, bool search, ctx_store_found_fn *found,
    void *arg, struct ctx_err *err);

/* Calls fn with every text in the store and in the derived file, borrowed for the call, until
 * enough returns true. */
struct ctx_store_text_calls {
	void (*fn)(void *arg, struct ctx_span text);
	bool (*enough)(void *arg);
	void *arg;
};
int ctx_store_texts(
    struct ctx_store *st, const struct ctx_store_text_calls *calls, struct ctx_err *err);

/* Takes the lock of a long task, so that one process at a time runs it. Returns 1 and a
 * descriptor to close at the end, 0 if another process holds it, -1 on error. With wait
 * it waits up to busy_ms. */
int ctx_store_task(
    struct ctx_store *st, const char *task, bool wait, int *fd, struct ctx_err *err);

#endif
