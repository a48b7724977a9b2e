/* The derived file: caches, full-text index, mentions, and marks that say how far each
 * has been brought up to date. It is created on first use and never holds the only copy
 * of anything. A failure to use it is not fatal: callers warn and continue without it. */
#ifndef CTX_STORE_DERIVED_H
#define CTX_STORE_DERIVED_H

#include "store/store.h"

/* CTX_EIO where no derived file can be made beside a store that may only be read. Readers
 * then use a private one, which ends with the process. */
int ctx_derived_check_kept(struct ctx_store *st, struct ctx_err *err);
/* CTX_ESTORE if there is a derived file, and this process may read only the store. Readers
 * then use a private one, too. */
int ctx_derived_check_read(struct ctx_store *st, struct ctx_err *err);

/* A write transaction on the derived file alone. It never delays an append. */
int ctx_derived_begin(struct ctx_store *st, struct ctx_err *err);
int ctx_derived_commit(struct ctx_store *st, struct ctx_err *err);
void ctx_derived_rollback(struct ctx_store *st);

/* Returns 1 if a session with that number exists and is not deleted, 0 if not, -1 on
 * error. Writers of derived rows must ask this in the transaction that writes them,
 * because a purge first marks the session as deleted and then erases its derived rows in
 * a transaction of its own. */
int ctx_derived_wanted(struct ctx_store *st, int64_t session_no, struct ctx_err *err);

/* The sequence number up to which the kind ("entity", "fulltext") has processed the
 * session; 0: nothing yet. */
#define CTX_MARK_NAMES "entity-names" /* its mark is the generation of names, not a seq */
int ctx_derived_mark(struct ctx_store *st, const char *kind, const struct ctx_session *s,
    int64_t *seq, struct ctx_err *err);
int ctx_derived_set_mark(struct ctx_store *st, const char *kind,
    const struct ctx_session *s, int64_t seq, struct ctx_err *err);

/* Cached values, found by kind ("resolve", "embed", "summary", "enrich") and key, a
 * digest of everything the value depends on. ctx_cache_get returns 1 with the value
 * appended, 0 if it is missing or expired, -1 on error, and counts the look-up as a hit
 * or a miss. session_no is the session whose content the value holds (0: none), so that a
 * purge of the session finds it. */
int ctx_cache_get(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err);
/* For many look-ups at once: ctx_cache_peek looks up without counting; the caller then
 * adds its hits and misses with one call of ctx_cache_count. */
int ctx_cache_peek(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err);
int ctx_cache_count(struct ctx_store *st, const char *kind, int64_t hits, int64_t misses,
    struct ctx_err *err);
/* value: one byte or more. Nothing is stored for a deleted session. */
int ctx_cache_put(struct ctx_store *st, const char *kind, const char *key,
    int64_t session_no, int64_t now, int64_t ttl_ms, struct ctx_span value,
    struct ctx_err *err);

/* ---- the kinds of derived data ---- Each kind has an entry in ctx_derived_kinds
 * (store/derived_kinds.c), which clean-up, purge and ctx-check go through. */
struct ctx_derived_kind {
	const char *name; /* the kind of its marks */
	/* its rows are kept when the session's messages are cleaned up */
	bool serves_archived;
	/* Deletes the rows of the sessions with the numbers first_no to last_no and adds
	 * their number to *rows. Called, as clear is, inside a write transaction on the
	 * derived file. */
	int (*erase)(struct ctx_store *st, int64_t first_no, int64_t last_no,
	    int64_t *rows, struct ctx_err *err);
	/* Does the same for n sessions, whose numbers ascend, where erase is NULL. */
	int (*erase_all)(struct ctx_store *st, const int64_t *session_nos, size_t n,
	    int64_t *rows, struct ctx_err *err);
	/* Deletes all rows and marks that can be derived again; others may stay. */
	int (*clear)(struct ctx_store *st, struct ctx_err *err);
	/* Overwrites what erase left in the file, for data that deleting rows does not
	 * remove (full text). again: another version may have erased rows before. Must
	 * not be called inside a transaction. NULL: not needed. */
	int (*scrub)(struct ctx_store *st, bool again, struct ctx_err *err);
	/* Processes the messages after the session's mark, as far as the store can do
	 * that alone. NULL: users of the data, or a higher layer, do it. */
	int (*catch_up)(
	    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
};
extern const struct ctx_derived_kind *const ctx_derived_kinds[]; /* ends with NULL */

/* Returns 1 if the engine finds the file sound or if there is no file, 0 if damaged, -1 on
 * error. */
int ctx_derived_sound(struct ctx_store *st, struct ctx_err *err);

/* Returns 1 if the file has the tables and columns of this version, 0 if not, -1 on
 * error. */
int ctx_derived_fits(struct ctx_store *st, struct ctx_err *err);

/* Deletes the derived file; the next use creates a new one. Must not be called inside a
 * transaction on it. */
void ctx_derived_remove(struct ctx_store *st);

/* True if the derived file exists and is not blank. A full disk can leave a blank file. */
bool ctx_derived_exists(struct ctx_store *st);

#endif
