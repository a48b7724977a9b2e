/* Removes data from the store: clean-up of archived sessions, and purge. */
#ifndef CTX_STORE_PURGE_H
#define CTX_STORE_PURGE_H

#include "store/store.h"

/* Numbers of removed rows. Functions that remove rows add to these numbers. */
struct ctx_removed {
	int64_t messages, requests, events;
	/* number of removed texts that requests contained in addition to messages of the
	 * session */
	int64_t additions;
	/* number of rows removed from the derived file (caches, indexes) */
	int64_t derived;
	/* number of bytes that ctx_store_commit_erased gave back to the file system */
	int64_t bytes;
};

/* These functions read the session's member "archive". ctx_archive_uri returns the
 * address of the archive, or NULL if the session is not archived. ctx_archive_sha256
 * returns the digest of the archive file. ctx_archive_cleaned returns true if the
 * messages are only in the archive, no longer in the store. ctx_archive_forgotten returns
 * true if searches skip the session. */
char *ctx_archive_uri(const struct ctx_session *s); /* the caller frees it */
/* the caller frees the digest; NULL: the digest is not known */
char *ctx_archive_sha256(const struct ctx_session *s);
bool ctx_archive_cleaned(const struct ctx_session *s);
bool ctx_archive_forgotten(const struct ctx_session *s);

enum { CTX_LEFT_MESSAGES = 1, CTX_LEFT_ALL = 2 };
/* Determines whether the session has left the store since *s was read. Returns 0 if it
 * has not, CTX_LEFT_MESSAGES if its messages were cleaned up after archiving,
 * CTX_LEFT_ALL if it was purged, -1 on error. Call this function after reading a session
 * in more than one snapshot. */
int ctx_session_left(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
/* Sets err for a result of ctx_session_left: CTX_EMOVED for CTX_LEFT_MESSAGES,
 * CTX_EANSWER for CTX_LEFT_ALL. Returns -1. */
int ctx_session_left_error(const struct ctx_session *s, int left, struct ctx_err *err);
/* Call after reading a session has failed. If the code of *err is CTX_EMOVED, the session
 * was moved to its archive meanwhile. If the session still exists, clears *err, reads the
 * session again into *now, and returns true. Otherwise returns false. The caller
 * initializes *now. */
bool ctx_session_moved(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session *now, struct ctx_err *err);

/* no: the session's number; stamp: an earlier digest of the session (ctx_store_stamp);
 * archive: new value of the session's member "archive" (JSON). If the digest is still the
 * same, marks the session as archived and adds the event. If clean is true, also deletes
 * the session's messages, pins, hidden ranges and summaries. Returns 1 on success, 0 if
 * the session has changed, -1 on error. Call inside a write transaction. */
int ctx_store_archive(struct ctx_store *st, int64_t no, const char *stamp,
    const char *archive, struct ctx_span event, int64_t now, bool clean,
    struct ctx_removed *removed, struct ctx_err *err);

/* Deletes the messages of a session. Call inside a write transaction. */
int ctx_store_clean(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err);
/* Deletes n sessions. nos: the numbers of the sessions; the function sorts this array.
 * For each session, one row remains, which marks the session as being purged. Call inside
 * a write transaction. */
int ctx_store_erase(struct ctx_store *st, int64_t *nos, size_t n,
    struct ctx_removed *removed, struct ctx_err *err);
/* Commits the transaction of ctx_store_erase. In the same transaction, gives free pages
 * back to the file system, which needs space in the write-ahead log. */
int ctx_store_commit_erased(
    struct ctx_store *st, struct ctx_removed *removed, struct ctx_err *err);
/* Deletes the rows that ctx_store_erase left for n sessions. nos: the numbers of the
 * sessions; the function sorts this array. Call inside a write transaction, after the
 * purged texts were erased from the store's files. */
int ctx_store_forget(struct ctx_store *st, int64_t *nos, size_t n, struct ctx_err *err);

/* Calls fn with the stored bytes of each message of a session, including damaged
 * messages. fn may use the bytes only during the call. */
int ctx_store_bodies(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span body), void *arg, struct ctx_err *err);

/* The first step of a purge: marks the session as deleted and as being purged. Call
 * inside a write transaction. */
int ctx_store_mark_purging(
    struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);
bool ctx_session_purging(const struct ctx_session *s);

/* Deletes the data of a user outside of the user's own sessions: the user's preferences,
 * and the shares of other sessions with this user. Adds the number of deleted rows to
 * *rows. Call inside a write transaction. */
int ctx_store_erase_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err);
/* Like ctx_store_erase_user, but only counts the rows. */
int ctx_store_count_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err);

/* Deletes what the derived file contains about n sessions, in a transaction of its own.
 * nos: the numbers of the sessions; the function sorts this array. If keep is true, keeps
 * the rows that are needed to search archived sessions. Does nothing if there is no
 * derived file. */
int ctx_derived_erase(struct ctx_store *st, int64_t *nos, size_t n, bool keep,
    struct ctx_removed *removed, struct ctx_err *err);
/* Like ctx_derived_erase, but for one session whose messages are about to change. Call
 * this function before the messages change, because words can be removed from the index
 * only while the store has the old messages.
 *
 * Returns 1 on success. A transaction on the derived file is then open; until the caller
 * ends it with ctx_derived_end, other processes cannot index the session. Returns 0 if
 * there is no derived file, -1 on error. */
int ctx_derived_erase_begin(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err);

/* After this call, SQLite overwrites deleted data with zeros in the store and in the
 * derived file. */
int ctx_store_secure(struct ctx_store *st, struct ctx_err *err);

/* Makes it possible to delete data although the disk is full. A deletion needs space in
 * the write-ahead log; therefore the write-ahead logs are truncated, except the parts
 * that readers still use. Also turns off the overwriting of free pages, which some builds
 * of SQLite do, because that would write all these pages to the log. */
void ctx_store_save_room(struct ctx_store *st);

/* Gives free pages back to the file system, a few thousand at a time so that other
 * writers get their turn, and then empties the write-ahead logs. Sets *bytes to the
 * number of bytes by which the files shrank. Fails with CTX_EBUSY if a reader prevents a
 * log from being emptied. */
int ctx_store_reclaim(struct ctx_store *st, int64_t *bytes, struct ctx_err *err);

/* Rewrites the store and the derived file, so that these files contain no deleted data,
 * and empties the write-ahead logs. This takes time, and needs disk space for a copy;
 * other writers must wait. */
int ctx_store_rewrite(struct ctx_store *st, struct ctx_err *err);

/* Calls fn with all bytes of the store's files, including logs, in pieces that are
 * borrowed for the call. first: true for the first piece of a file. */
typedef void ctx_store_bytes_fn(void *arg, struct ctx_span piece, bool first);
int ctx_store_bytes(
    struct ctx_store *st, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);

typedef bool ctx_store_found_fn(void *arg, struct ctx_span piece, bool left);
/* Overwrites the remains of removed texts: bytes that SQLite left outside of rows when it
 * moved or freed a row. Files that were written only by this version of ctx have no such
 * remains; these files are processed only if the argument "search" is true. In other
 * files, overwrites all bytes outside of rows.
 *
 * Calls the function "found" with each piece of free space that is not all zero (borrowed
 * for the call). "found" returns true if the piece must not remain. Afterwards, calls
 * "found" again, with left = true, for pieces that are still there. Fails with CTX_EBUSY
 * if a reader of the store prevents the overwriting. */
int ctx_store_wipe(struct ctx_store *st, bool search, ctx_store_found_fn *found,
    void *arg, struct ctx_err *err);

/* Sets *blank to true if the store's files cannot contain remains of removed texts: they
 * were written only by this version of ctx, or the store is on a server. Otherwise sets
 * *blank to false. If *blank is true, ctx_store_wipe with search = false does nothing. */
int ctx_store_is_blank(struct ctx_store *st, bool *blank, struct ctx_err *err);

/* Functions that ctx_store_texts calls. fn: receives a text; enough: returns true to
 * stop */
struct ctx_store_text_calls {
	void (*fn)(void *arg, struct ctx_span text);
	bool (*enough)(void *arg);
	void *arg;
};
/* Calls calls->fn with each text in the store and in the derived file, until
 * calls->enough returns true. A text is borrowed for the call. */
int ctx_store_texts(
    struct ctx_store *st, const struct ctx_store_text_calls *calls, struct ctx_err *err);

/* Takes the lock of a long task, which only one process at a time can run. task: name of
 * the task; wait: if true, waits up to ctx_store_options.busy_ms for the lock. Returns 1
 * if the lock was taken, 0 if another process has the lock, -1 on error. Sets *fd to a
 * file descriptor of the lock, which the caller closes at the end of the task; *fd is -1
 * if the lock was not taken, or if the store is on a server. */
int ctx_store_task(
    struct ctx_store *st, const char *task, bool wait, int *fd, struct ctx_err *err);

#endif
