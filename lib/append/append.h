/* Turns lines of input into stored messages, one batch at a time. Lines are
 * checked and counted before any lock is taken. A batch is then applied in the caller's
 * write transaction; its acknowledgements can be printed once that is committed. */
#ifndef CTX_APPEND_APPEND_H
#define CTX_APPEND_APPEND_H

#include "base/arena.h"
#include "append/orphans.h"
#include "append/refused.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

struct ctx_append_options {
	const char
	    /* append everything to this session; NULL: each record names its own */
	    *session;
	/* create missing sessions, as described by a session record before their
	 * messages */
	bool create;
	const char *user; /* user of created sessions; may be NULL */
	/* agent of created sessions, whose default items they get; may be NULL */
	const char *agent;
	int64_t ttl_ms;   /* time to live of created sessions; CTX_TIME_NONE: none */
	bool ttl_default; /* use ttl_ms only for sessions whose record has none */
	int64_t if_seq;   /* required last sequence number of the session; -1: any */
	int64_t now;
	bool pinned;      /* pin every message */
	bool silent;      /* print no records */
	size_t max_bytes; /* limit for a message and what is stored with it; 0: none */
};

/* A line that waits. */
struct ctx_pending {
	struct ctx_span line; /* as it was read, for the rejects file */
	const char *file;     /* source of the line, for error messages; borrowed */
	long line_no;
	bool pass;    /* not a message of the history: printed unchanged */
	bool session; /* a session record: creates the session if it is missing */
	bool refused; /* an invalid session record; its session's id is known */
	/* the reason given to ctx_append_refuse; NULL if that was not called */
	const char *bad;
	const char *session_id;
	const char *tenant; /* from a session or request record; "": no tenant */
	struct ctx_stored m;
};

struct ctx_appender {
	struct ctx_append_options o;
	struct ctx_tokenizer *tokenizer;
	struct ctx_arena arena;
	struct ctx_pending *pending;
	size_t n, cap;
	struct ctx_session *sessions; /* sessions touched in the open transaction */
	uint32_t *marks;              /* checksums of their ids, for a quick search */
	size_t n_sessions, cap_sessions, cap_marks;
	struct ctx_message view;
	char *named,
	    /* the last session record's id, and its tenant ("": none; NULL: not
	     * stated) */
	    *tenant;
	int64_t added, repeated; /* messages stored, and those that were there already */
	bool if_seq_checked;
	/* sessions whose last record was invalid or of a tenant that the store does
	 * not show */
	struct ctx_refused refused;
	struct ctx_orphans orphans; /* the caller may set fn */
};

void ctx_append_init(
    struct ctx_appender *in, const struct ctx_append_options *o, struct ctx_tokenizer *t);
void ctx_append_release(struct ctx_appender *in);

/* Checks one line and queues a copy of it. CTX_EINPUT when it is not a record, or not a
 * message that can be stored; then it is not queued. After an invalid session record,
 * records of its session are refused when they are applied, until a valid one follows:
 * otherwise they would be stored in another session of that id or create one. */
int ctx_append_add(struct ctx_appender *in, struct ctx_span line, const char *file,
    long line_no, struct ctx_err *err);

/* Queues an invalid line too, so that it is rejected in its place among the others. A
 * line that was passed to ctx_append_add must be the last one passed. */
void ctx_append_refuse(struct ctx_appender *in, struct ctx_span line, const char *file,
    long line_no, const char *why);

/* Is the batch full? */
bool ctx_append_full(const struct ctx_appender *in);

/* Called for an invalid line, and for a record that the store refuses (no such session,
 * an id used by another message, …). Returns 0 to skip it and continue, -1 to stop before
 * it. */
typedef int ctx_append_reject_fn(
    void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* Stores the queued records inside a write transaction and appends their records to out:
 * stored messages, messages that were already stored under the same id, and records that
 * pass through. The queue is empty afterwards. Returns 0; 1 if reject asked to stop, with
 * the records before the rejected one stored; -1 if the store failed, and then the caller
 * must roll back. */
int ctx_append_apply(struct ctx_appender *in, struct ctx_store *st, struct ctx_buf *out,
    ctx_append_reject_fn *reject, void *arg, struct ctx_err *err);

/* Calls fn, in order, for the session of each queued message and of each queued record
 * that can create a session, except those that will be refused because their session
 * record was. Returns -1 when fn failed. */
typedef int ctx_append_session_fn(void *arg, const char *session_id, struct ctx_err *err);
int ctx_append_sessions(struct ctx_appender *in, const struct ctx_store *st,
    ctx_append_session_fn *fn, void *arg, struct ctx_err *err);

/* Stores the counters of the touched sessions; call before the commit. */
int ctx_append_finish(struct ctx_appender *in, struct ctx_store *st, struct ctx_err *err);

/* Returns the session of the last record, or NULL if the transaction has none yet. */
struct ctx_session *ctx_append_session(struct ctx_appender *in);

#endif
