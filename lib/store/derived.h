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

/* The seq up to which the kind ("entity", "fulltext") has taken in the session; 0 none. */
int ctx_derived_mark(struct ctx_store *st, const char *kind, const struct ctx_session *s,
    int64_t *seq, struct ctx_err *err);
int ctx_derived_set_mark(struct ctx_store *st, const char *kind, const struct ctx_session *s,
    int64_t seq, struct ctx_err *err);

/* Cached values by kind ("resolve", "embed", "summary", "enrich") and key (a digest of
 * everything the value depends on). get: 1 and the value appended, 0 missing or expired,
 * -1; each look-up is counted as hit or miss. session_no: whose content the value holds
 * (0 nobody's), so that purging the session finds it. */
int ctx_cache_get(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err);
int ctx_cache_put(struct ctx_store *st, const char *kind, const char *key, int64_t session_no,
    int64_t now, int64_t ttl_ms, struct ctx_span value, struct ctx_err *err);

#endif
