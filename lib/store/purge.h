/* Taking things out of the store: clean-up behind an archive, and deletion. */
#ifndef CTX_STORE_PURGE_H
#define CTX_STORE_PURGE_H

#include "store/store.h"

/* Rows that were removed, added up. */
struct ctx_removed {
	int64_t messages, requests, events;
	int64_t additions;      /* texts of requests that were not messages of the log */
	int64_t additions_kept; /* of these, what other requests or items use */
	int64_t derived;        /* rows of the derived file */
};

/* The archive member of a session: where it is archived, NULL when it isn't; and whether
 * its messages have been cleaned up, so that they are there alone. */
char *ctx_archive_uri(const struct ctx_session *s);    /* owned */
char *ctx_archive_sha256(const struct ctx_session *s); /* owned: of the file; NULL */
bool ctx_archive_cleaned(const struct ctx_session *s);
bool ctx_archive_forgotten(const struct ctx_session *s); /* and not to be searched */

/* What has left the store since *s was read: 0 nothing, CTX_LEFT_MESSAGES cleaned up behind
 * an archive, CTX_LEFT_ALL erased; -1. Who reads in more than one snapshot meets this. */
enum { CTX_LEFT_MESSAGES = 1, CTX_LEFT_ALL = 2 };
int ctx_session_left(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
/* The error to tell of it: CTX_EMOVED; CTX_EANSWER of what was erased. */
int ctx_session_left_error(const struct ctx_session *s, int left, struct ctx_err *err);
/* After an error: is it CTX_EMOVED? Then it is clear again, and *now (initialised) is the
 * session as it is: archived, or back again already. */
bool ctx_session_moved(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session *now, struct ctx_err *err);

/* Mark the session of that number archived, with the event, in a write transaction, if nothing has
 * changed since stamp was taken: 1; 0: it has moved on; -1. archive is the JSON of its
 * archive member. With clean its messages, pins and hidden ranges go. */
int ctx_store_archive(struct ctx_store *st, int64_t no, const char *stamp,
    const char *archive, struct ctx_span event, int64_t now, bool clean,
    struct ctx_removed *removed, struct ctx_err *err);

/* Remove the messages of a session, or everything of it but a row that says that it is
 * being purged, which goes with ctx_store_forget once the files are scrubbed. In a write
 * transaction. */
int ctx_store_clean(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err);
int ctx_store_erase(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err);

/* The first of a purge: the session is deleted, and being purged. In a write transaction. */
int ctx_store_mark_purging(
    struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);
int ctx_store_forget(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
bool ctx_session_purging(const struct ctx_session *s);

/* What the store knows of a user besides sessions: preferences, shares. In a write
 * transaction; *rows is how many went. */
int ctx_store_erase_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err);

/* Remove the derived rows of n sessions, in one transaction of its own; with keep those stay
 * that serve archived sessions. A store without a derived file has none. */
int ctx_derived_erase(struct ctx_store *st, const struct ctx_session *const s[], size_t n,
    bool keep, struct ctx_removed *removed, struct ctx_err *err);

/* From now on overwrite what is deleted with zeros; both files. */
int ctx_store_secure(struct ctx_store *st, struct ctx_err *err);

/* What removes much from a full disk needs room for its log. So give back that of the logs,
 * as far as nobody reads from them just now, and from now on don't overwrite whole pages
 * that get free, as some builds of SQLite do: they would all go through the log. */
void ctx_store_save_room(struct ctx_store *st);

/* Give free pages back to the file system, a few thousand at a time so that writers get
 * between, and empty the logs. *bytes is by how much the files have shrunk. CTX_EBUSY
 * when a reader keeps a log from being emptied. */
int ctx_store_reclaim(struct ctx_store *st, int64_t *bytes, struct ctx_err *err);

/* Write both files anew, without a byte of what was deleted, and empty the logs. Takes
 * time and room for a copy; other writers wait. */
int ctx_store_rewrite(struct ctx_store *st, struct ctx_err *err);

/* Call fn with every byte of the store's files, logs included, in pieces, borrowed for the
 * call; first: of another file than the piece before. */
typedef void ctx_store_bytes_fn(void *arg, struct ctx_span piece, bool first);
int ctx_store_bytes(
    struct ctx_store *st, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);

/* Overwrite with zeros what no row has: copies of rows stay where these were moved from. found
 * is called with each piece, borrowed for the call, and returns whether it holds what must not
 * stay; left: the piece could not be overwritten. CTX_EBUSY when a reader is in the way. */
typedef bool ctx_store_found_fn(void *arg, struct ctx_span piece, bool left);
int ctx_store_wipe(
    struct ctx_store *st, ctx_store_found_fn *found, void *arg, struct ctx_err *err);

/* Call fn with every text of the store, and with what is kept of texts in the derived file,
 * borrowed for the call, until it is enough. */
struct ctx_store_text_calls {
	void (*fn)(void *arg, struct ctx_span text);
	bool (*enough)(void *arg);
	void *arg;
};
int ctx_store_texts(
    struct ctx_store *st, const struct ctx_store_text_calls *calls, struct ctx_err *err);

/* One instance of a long task at a time: 1 and a descriptor to close when it is done, 0
 * when another has it, -1. wait: as long as for other writers. */
int ctx_store_task(
    struct ctx_store *st, const char *task, bool wait, int *fd, struct ctx_err *err);

#endif
