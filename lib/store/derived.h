/* The derived file: marks that say how far derived data has got, and caches. It is made
 * on first use, is never the only copy of anything, and failing to use it is never fatal
 * to a tool: callers warn and go on without. */
#ifndef CTX_STORE_DERIVED_H
#define CTX_STORE_DERIVED_H

#include "store/store.h"

/* A write transaction on the derived file alone: it never holds up an append. */
int ctx_derived_begin(struct ctx_store *st, struct ctx_err *err);
int ctx_derived_commit(struct ctx_store *st, struct ctx_err *err);
void ctx_derived_rollback(struct ctx_store *st);

/* Is there a session of that number that is not deleted? 1; 0; -1. Who writes derived rows
 * of a session asks in the transaction that does it: a purge marks the session first and
 * erases its derived rows then, in a transaction that comes before this one or behind it. */
int ctx_derived_wanted(struct ctx_store *st, int64_t session_no, struct ctx_err *err);

/* The seq up to which the kind ("entity", "fulltext") has taken in the session; 0 none. */
int ctx_derived_mark(struct ctx_store *st, const char *kind, const struct ctx_session *s,
    int64_t *seq, struct ctx_err *err);
int ctx_derived_set_mark(struct ctx_store *st, const char *kind,
    const struct ctx_session *s, int64_t seq, struct ctx_err *err);

/* Cached values by kind ("resolve", "embed", "summary", "enrich") and key (a digest of
 * everything the value depends on). get: 1 and the value appended, 0 missing or expired,
 * -1; each look-up is counted as hit or miss. session_no: whose content the value holds
 * (0 nobody's), so that purging the session finds it. */
int ctx_cache_get(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err);
/* The same for many look-ups: peek does not count, count counts for it. */
int ctx_cache_peek(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err);
int ctx_cache_count(struct ctx_store *st, const char *kind, int64_t hits, int64_t misses,
    struct ctx_err *err);
/* value: any bytes, one at least; not stored for a session that is deleted */
int ctx_cache_put(struct ctx_store *st, const char *kind, const char *key,
    int64_t session_no, int64_t now, int64_t ttl_ms, struct ctx_span value,
    struct ctx_err *err);

/* ---- the kinds of derived data ----
 * Each has an entry in ctx_derived_kinds (store/derived_kinds.c), so that clean-up, purge
 * and ctx-check reach it. */
struct ctx_derived_kind {
	const char *name;     /* that its marks carry */
	bool serves_archived; /* its rows stay when the messages are cleaned up */
	/* Remove the rows of a session and add their number. In a write transaction on the
	 * derived file, as clear. */
	int (*erase)(
	    struct ctx_store *st, int64_t session_no, int64_t *rows, struct ctx_err *err);
	/* Remove all rows and marks, to be derived again; what cannot be may stay. */
	int (*clear)(struct ctx_store *st, struct ctx_err *err);
	/* Overwrite what erase left in the file, where deleting rows doesn't (full text). No
	 * transaction is open. NULL: nothing to do. */
	int (*scrub)(struct ctx_store *st, struct ctx_err *err);
	/* Take in what stands behind the session's mark, by the store's own means. NULL: filled
	 * by its users, or by a layer above. */
	int (*catch_up)(
	    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);
};
extern const struct ctx_derived_kind *const ctx_derived_kinds[]; /* ends with NULL */

/* Is the file sound, as far as SQLite can tell? 1; 0; -1. One that is not there is. */
int ctx_derived_sound(struct ctx_store *st, struct ctx_err *err);

/* Has it the tables, with their columns, that this version makes? 1; 0; -1. */
int ctx_derived_fits(struct ctx_store *st, struct ctx_err *err);

/* Throw the file away, with all that is in it; the next use makes it anew. No transaction is
 * open on it. */
void ctx_derived_remove(struct ctx_store *st);

/* Has the derived file been made? One that is blank, as a full disk may leave it, has not. */
bool ctx_derived_exists(struct ctx_store *st);

#endif
