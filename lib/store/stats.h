/* Statistics about the store: read-only, counted by SQL. */
#ifndef CTX_STORE_STATS_H
#define CTX_STORE_STATS_H

#include "store/store.h"

/* Selects sessions; deleted sessions and those of other tenants are always excluded. */
struct ctx_stats_filter {
	const char *user_id; /* NULL: all */
	int64_t session_no;  /* 0: all */
	/* token sums by session number that replace the stored ones, ordered by number;
	 * not used when grouping messages */
	const struct ctx_stats_total {
		int64_t no, tokens;
	} * totals;
	size_t n_totals;
};

struct ctx_stats {
	int64_t active, archived; /* sessions */
	int64_t users;
	int64_t messages, hidden, tool_calls, tokens;
	int64_t requests, answered;
	int64_t bytes, derived_bytes; /* size of the files without their logs */
};
int ctx_stats_read(struct ctx_store *st, const struct ctx_stats_filter *f,
    struct ctx_stats *out, struct ctx_err *err);

/* What the people who run a store watch. Times and spans in seconds; -1 if unknown. */
struct ctx_operations {
	int64_t deleted; /* sessions, waiting for a purge */
	int64_t expired; /* sessions past their time to live, not on hold */
	int64_t held;    /* sessions on hold */
	int64_t failed_requests;
	int64_t archive_bytes; /* of the archives that sessions name */
	int64_t oldest_idle;   /* seconds since an active session was used */
	int64_t index_behind;  /* messages that are not in the full-text index */
	int64_t last_check, last_backup; /* since the epoch */
};
int ctx_stats_operations(struct ctx_store *st, const struct ctx_stats_filter *f,
    int64_t now, struct ctx_operations *out, struct ctx_err *err);

enum ctx_stats_by {
	CTX_STATS_SESSION,
	CTX_STATS_USER,
	CTX_STATS_DAY,       /* of the messages, UTC */
	CTX_STATS_MODEL,     /* that the answers name */
	CTX_STATS_TOOL,      /* called */
	CTX_STATS_TOKENIZER, /* that counted the messages */
};

/* Members that do not apply to the grouping are -1. */
struct ctx_stats_group {
	struct ctx_span key; /* absent: sessions without a user */
	int64_t sessions, messages, tool_calls, tokens;
	/* as reported by providers; only when grouping by model */
	int64_t input_tokens, output_tokens;
};
/* Spans are borrowed for the call. Returns -1 with err set to stop. */
typedef int ctx_stats_fn(void *arg, const struct ctx_stats_group *g, struct ctx_err *err);

/* Calls fn for each group, ordered by key; sessions are ordered by creation. */
int ctx_stats_group_by(struct ctx_store *st, const struct ctx_stats_filter *f,
    enum ctx_stats_by by, ctx_stats_fn *fn, void *arg, struct ctx_err *err);

/* What an answer used, or all of a session whose tool tells its sum alone. Spans are borrowed
 * for the call; absent where nothing is known. */
struct ctx_stats_usage {
	struct ctx_span session_id, user_id;
	struct ctx_span tool; /* whose session it was, as ctx-import names formats */
	int64_t created_at;
	struct ctx_span record_id; /* of the answer's message */
	struct ctx_span model;
	struct ctx_span usage; /* JSON object */
};
typedef int ctx_stats_usage_fn(
    void *arg, const struct ctx_stats_usage *u, struct ctx_err *err);

/* Calls fn for each usage in the metadata of messages, ordered by session; of a session whose
 * metadata has a list of usages, for each of these instead. */
int ctx_stats_usages(struct ctx_store *st, const struct ctx_stats_filter *f,
    ctx_stats_usage_fn *fn, void *arg, struct ctx_err *err);

/* Caches of derived results, by kind. */
struct ctx_stats_cache {
	const char *kind;
	int64_t entries, bytes, hits, misses;
};
typedef int ctx_stats_cache_fn(
    void *arg, const struct ctx_stats_cache *c, struct ctx_err *err);
int ctx_stats_caches(
    struct ctx_store *st, ctx_stats_cache_fn *fn, void *arg, struct ctx_err *err);

/* Called for each turn of a session, in order, with the session's tokens up to and
 * including the message that begins the turn. */
typedef int ctx_stats_turn_fn(
    void *arg, int64_t seq, int64_t tokens, struct ctx_err *err);
int ctx_stats_turns(struct ctx_store *st, const struct ctx_session *s,
    ctx_stats_turn_fn *fn, void *arg, struct ctx_err *err);

/* Reads the newest request record of a session. Returns 1 with *record (owned by the
 * caller), 0 if there is none, -1 on error. */
int ctx_stats_last_request(struct ctx_store *st, const struct ctx_session *s,
    char **record, struct ctx_err *err);

#endif
