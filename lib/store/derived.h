/* The derived file: caches, the full-text index, mentions of entities, and marks that say
 * how far each kind of data is up to date. The file is created on first use. Its contents
 * can be derived again from the store, except the texts that are stored for searching
 * archived sessions. If the file cannot be used, callers print a warning and continue
 * without it. */
#ifndef CTX_STORE_DERIVED_H
#define CTX_STORE_DERIVED_H

#include "store/store.h"

/* Fails with CTX_EIO if the derived file does not exist and cannot be created, for
 * example because the store's directory is read-only. The process then works with a
 * private derived database in memory. */
int ctx_derived_check_kept(struct ctx_store *st, struct ctx_err *err);
/* Fails with CTX_ESTORE if a derived file exists and this process may not read it, but
 * may read the store. The process then works with a private derived database in
 * memory. */
int ctx_derived_check_read(struct ctx_store *st, struct ctx_err *err);

/* These functions begin, roll back and end a write transaction on the derived file;
 * ctx_derived_end is like ctx_store_end. The transaction never delays an append to the
 * store. */
int ctx_derived_begin(struct ctx_store *st, struct ctx_err *err);
void ctx_derived_rollback(struct ctx_store *st);
int ctx_derived_end(struct ctx_store *st, int rc, struct ctx_err *err);

/* Returns 1 if a session with this number exists and is not deleted, 0 if not, -1 on
 * error. Code that writes derived rows must call this function in the same transaction.
 * Otherwise, rows could be written after the session was purged, because a purge marks
 * the session as deleted in one transaction and erases its derived rows in another. */
int ctx_derived_wanted(struct ctx_store *st, int64_t session_no, struct ctx_err *err);

/* Name of a special kind of mark (see ctx_derived_mark): the value of this mark is not a
 * sequence number, but the generation of entity names (see ctx_entity_generation). */
#define CTX_MARK_NAMES "entity-names"
/* These functions read and write a session's mark for a kind of derived data ("entity",
 * "fulltext"). All messages up to the mark, which is a sequence number, were processed
 * for this kind; 0: no message was processed. */
int ctx_derived_mark(struct ctx_store *st, const char *kind, int64_t session_no,
    int64_t *seq, struct ctx_err *err);
int ctx_derived_set_mark(struct ctx_store *st, const char *kind, int64_t session_no,
    int64_t seq, struct ctx_err *err);

/* Looks up a cached value. kind: the kind of value ("resolve", "embed", "summary",
 * "enrich"); key: a digest of everything on which the value depends; now: the current
 * time in ms since the epoch. If there is a value that has not expired, appends it to
 * *value and returns 1. Otherwise returns 0, or -1 on error. The look-up is counted as a
 * hit or a miss. */
int ctx_cache_get(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err);
/* For many look-ups: ctx_cache_peek is like ctx_cache_get, but does not count the
 * look-up. After the last look-up, ctx_cache_count adds the numbers of hits and
 * misses. */
int ctx_cache_peek(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err);
int ctx_cache_count(struct ctx_store *st, const char *kind, int64_t hits, int64_t misses,
    struct ctx_err *err);
/* Stores a value, which must not be empty. The value expires at now + ttl_ms (both in
 * ms). If the value contains content of a session, session_no is that session's number,
 * so that a purge of the session removes the value; otherwise session_no is 0. Stores
 * nothing for a deleted session. */
int ctx_cache_put(struct ctx_store *st, const char *kind, const char *key,
    int64_t session_no, int64_t now, int64_t ttl_ms, struct ctx_span value,
    struct ctx_err *err);

/* ---- the kinds of derived data ----
 *
 * Each kind has an entry in ctx_derived_kinds (store/derived_kinds.c). Clean-up, purge
 * and ctx-check process all entries. */
struct ctx_derived_kind {
	const char *name; /* name of the kind, also in ctx_derived_mark */
	/* true: rows of this kind are kept when the messages of an archived session are
	 * cleaned up, because searches need them */
	bool serves_archived;
	/* SQL statements that delete the rows of the sessions with the numbers ?1 to ?2;
	 * the last element is NULL. */
	const char *const *erase;
	/* Called if the member "erase" is NULL. Deletes the rows of n sessions, and adds
	 * the number of deleted rows to *rows. session_nos: numbers of the sessions, in
	 * ascending order. Called inside a write transaction on the derived file. */
	int (*erase_all)(struct ctx_store *st, const int64_t *session_nos, size_t n,
	    int64_t *rows, struct ctx_err *err);
	/* Deletes the rows and marks of this kind that can be derived again, and may keep
	 * other rows. Called inside a write transaction on the derived file. */
	int (*clear)(struct ctx_store *st, struct ctx_err *err);
	/* Overwrites the bytes that erased rows have left in the file. If again is true,
	 * also overwrites bytes of rows that another version of ctx erased. NULL if
	 * erased rows of this kind leave no bytes in the file (true for all kinds except
	 * the full-text index). Must not be called inside a transaction. */
	int (*scrub)(struct ctx_store *st, bool again, struct ctx_err *err);
	/* Processes the messages after the session's mark. NULL: the store layer cannot
	 * update this kind; a higher layer does. */
	int (*catch_up)(
	    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
};
/* the last element is NULL */
extern const struct ctx_derived_kind *const ctx_derived_kinds[];

/* Returns 1 if the derived file is sound according to the database engine, or does not
 * exist; 0 if it is damaged; -1 on error. */
int ctx_derived_sound(struct ctx_store *st, struct ctx_err *err);

/* Returns 1 if the derived file has the tables and columns of this version, 0 if not, -1
 * on error. */
int ctx_derived_fits(struct ctx_store *st, struct ctx_err *err);

/* Deletes the derived file; the next use creates a new one. Must not be called inside a
 * transaction on the derived file. */
void ctx_derived_remove(struct ctx_store *st);

/* Returns true if the derived file exists and is not blank. (If the disk is full, a blank
 * file may be left.) */
bool ctx_derived_exists(struct ctx_store *st);

#endif
