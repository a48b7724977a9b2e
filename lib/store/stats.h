/* Statistics about the store, computed by SQL. Nothing is written. */
#ifndef CTX_STORE_STATS_H
#define CTX_STORE_STATS_H

#include "store/store.h"

/* Selects the sessions to count. Deleted sessions and sessions of other tenants are
 * always excluded. */
struct ctx_stats_filter {
	const char *user_id; /* only sessions of this user; NULL: all users */
	int64_t session_no;  /* only the session with this number; 0: all sessions */
	/* Token sums of sessions, used in place of the stored sums of these sessions;
	 * sorted by session number. Not used for groups by day, model, tool or
	 * tokenizer. */
	const struct ctx_stats_total {
		int64_t no, tokens;
	} * totals;
	size_t n_totals;
};

struct ctx_stats {
	int64_t active, archived; /* numbers of sessions */
	int64_t users;
	int64_t messages, hidden, tool_calls, tokens;
	int64_t requests, answered;
	/* sizes in bytes of the store and of the derived file, without logs */
	int64_t bytes, derived_bytes;
};
int ctx_stats_read(struct ctx_store *st, const struct ctx_stats_filter *f,
    struct ctx_stats *out, struct ctx_err *err);

/* Figures for operators of a store. */
struct ctx_operations {
	int64_t deleted; /* number of deleted sessions that are not purged yet */
	int64_t expired; /* number of sessions past their time to live and not on hold */
	int64_t held;    /* number of sessions on hold */
	int64_t failed_requests;
	/* total size in bytes of the archives of the sessions, as recorded in the
	 * sessions */
	int64_t archive_bytes;
	/* number of seconds since the last use of the least recently used session whose
	 * status is active; -1: no session is active */
	int64_t oldest_idle;
	/* number of messages that are not in the full-text index yet */
	int64_t index_behind;
	/* times of the last successful check and of the last successful backup, in
	 * seconds since the epoch; -1: unknown */
	int64_t last_check, last_backup;
};
int ctx_stats_operations(struct ctx_store *st, const struct ctx_stats_filter *f,
    int64_t now, struct ctx_operations *out, struct ctx_err *err);

enum ctx_stats_by {
	CTX_STATS_SESSION,
	CTX_STATS_USER,
	CTX_STATS_DAY, /* by the UTC day on which messages were created */
	/* by the model that the metadata of a message names */
	CTX_STATS_MODEL,
	CTX_STATS_TOOL,      /* by the tool that was called */
	CTX_STATS_TOKENIZER, /* by the tokenizer that counted the messages */
};

/* Figures of one group of messages; -1: the figure is not known for this kind of group */
struct ctx_stats_group {
	/* the group's user, day, model or the like; absent: the group has the messages of
	 * sessions without a user */
	struct ctx_span key;
	int64_t sessions, messages, tool_calls, tokens;
	/* numbers of tokens that providers reported; known only for CTX_STATS_MODEL,
	 * otherwise -1 */
	int64_t input_tokens, output_tokens;
};
/* Called for each group; spans are borrowed for the call. To stop, the function sets err
 * and returns -1. */
typedef int ctx_stats_fn(void *arg, const struct ctx_stats_group *g, struct ctx_err *err);

/* Calls fn for each group. The groups are sorted by key; if each group is a session, the
 * groups are sorted by the sessions' times of creation. */
int ctx_stats_group_by(struct ctx_store *st, const struct ctx_stats_filter *f,
    enum ctx_stats_by by, ctx_stats_fn *fn, void *arg, struct ctx_err *err);

/* The token usage of one answer, or of a whole session if the tool that recorded the
 * session reports only sums. Spans are borrowed for the call; a span is absent if the
 * value is unknown. */
struct ctx_stats_usage {
	struct ctx_span session_id, user_id;
	/* program that recorded the session: a format name of ctx-import */
	struct ctx_span tool;
	int64_t created_at;
	struct ctx_span record_id; /* record id of the answer's message */
	struct ctx_span model;
	struct ctx_span usage; /* JSON object, as the provider or the tool reported it */
};
typedef int ctx_stats_usage_fn(
    void *arg, const struct ctx_stats_usage *u, struct ctx_err *err);

/* Calls fn for each token usage in the metadata of messages, session by session. If the
 * metadata of a session itself has a list of usages, the session's messages are skipped;
 * fn is called for the elements of these lists at the end. */
int ctx_stats_usages(struct ctx_store *st, const struct ctx_stats_filter *f,
    ctx_stats_usage_fn *fn, void *arg, struct ctx_err *err);

/* Figures about the cache for one kind of value. entries: number of cached values; bytes:
 * their total size; hits: number of look-ups that found a value; misses: number of
 * look-ups that did not. */
struct ctx_stats_cache {
	const char *kind;
	int64_t entries, bytes, hits, misses;
};
typedef int ctx_stats_cache_fn(
    void *arg, const struct ctx_stats_cache *c, struct ctx_err *err);
int ctx_stats_caches(
    struct ctx_store *st, ctx_stats_cache_fn *fn, void *arg, struct ctx_err *err);

/* Called for each turn of a session, in order. seq: sequence number of the message that
 * begins the turn; tokens: number of the session's tokens up to and including that
 * message. */
typedef int ctx_stats_turn_fn(
    void *arg, int64_t seq, int64_t tokens, struct ctx_err *err);
int ctx_stats_turns(struct ctx_store *st, const struct ctx_session *s,
    ctx_stats_turn_fn *fn, void *arg, struct ctx_err *err);

/* Reads the newest request record of a session, in the form in which it is stored
 * (ctx_store_requests_stored). Returns 1 with *record set, which the caller frees; 0 if
 * the session has no request; -1 on error. */
int ctx_stats_last_request(struct ctx_store *st, const struct ctx_session *s,
    char **record, struct ctx_err *err);

#endif
