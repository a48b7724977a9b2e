/* Turns lines of input into stored messages, one batch at a time. Lines are checked and
 * their tokens counted before any lock is taken. A batch is then stored in the caller's
 * write transaction. The acknowledgments of the batch may be printed after the commit. */
#ifndef CTX_APPEND_APPEND_H
#define CTX_APPEND_APPEND_H

#include "base/arena.h"
#include "append/orphans.h"
#include "append/refused.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

struct ctx_append_options {
	/* session to which all messages are appended; NULL: each record names its
	 * session */
	const char *session;
	/* true: create missing sessions. A missing session gets the values in its
	 * session record if this record precedes the session's messages */
	bool create;
	const char *user; /* user_id of sessions that are created; may be NULL */
	/* agent of sessions that are created; may be NULL. Such a session gets the
	 * default items of the agent */
	const char *agent;
	/* time to live of sessions that are created, in ms; CTX_TIME_NONE: unlimited */
	int64_t ttl_ms;
	/* true: ttl_ms is a default, used only if the session record has no time to
	 * live */
	bool ttl_default;
	/* the session's last_seq before the first line is stored must be this number;
	 * otherwise appending fails. -1: not checked */
	int64_t if_seq;
	int64_t now;
	bool pinned; /* true: pin every message */
	bool silent; /* true: print no records */
	/* maximum total length in bytes of a message, its metadata and its source; 0: no
	 * limit */
	size_t max_bytes;
};

/* A queued line. */
struct ctx_pending {
	struct ctx_span line; /* verbatim, for the rejects file */
	const char *file;     /* source of the line, for error messages; borrowed */
	long line_no;
	/* true: the line is not a message to store, and is printed unchanged */
	bool pass;
	/* true: the line is a session record; the session is created if it does not
	 * exist */
	bool session;
	/* true: the line is a session record that is invalid, but whose session id could
	 * be read */
	bool refused;
	/* reason passed to ctx_append_refuse; NULL if the line was not refused */
	const char *bad;
	const char *session_id;
	/* tenant that a session or request record names; "": no tenant */
	const char *tenant;
	struct ctx_stored m;
};

struct ctx_appender {
	struct ctx_append_options o;
	struct ctx_tokenizer *tokenizer;
	struct ctx_arena arena;
	struct ctx_pending *pending;
	size_t n, cap;
	struct ctx_session *sessions; /* sessions used in the open transaction */
	uint32_t *marks; /* for each session: checksum of its id, for fast lookup */
	size_t n_sessions, cap_sessions, cap_marks;
	struct ctx_message view;
	/* named: the id in the last session record; tenant: the tenant in that record
	 * ("": no tenant; NULL: not stated) */
	char *named, *tenant;
	/* added: number of messages stored; repeated: number of messages that were
	 * already stored */
	int64_t added, repeated;
	bool if_seq_checked;
	/* sessions whose last session record was refused: it was invalid, or it names a
	 * tenant other than the one to which the store is restricted */
	struct ctx_refused refused;
	struct ctx_orphans orphans; /* the caller may set fn */
};

void ctx_append_init(
    struct ctx_appender *in, const struct ctx_append_options *o, struct ctx_tokenizer *t);
void ctx_append_release(struct ctx_appender *in);

/* Checks one line and queues a copy of it. If the line is not a record, or is a message
 * that cannot be stored, does not queue it and fails with CTX_EINPUT. After an invalid
 * session record, records of that session are rejected by ctx_append_apply until a valid
 * session record follows; otherwise they could be stored in, or create, the wrong
 * session. */
int ctx_append_add(struct ctx_appender *in, struct ctx_span line, const char *file,
    long line_no, struct ctx_err *err);

/* Queues an invalid line, so that ctx_append_apply rejects it at its place among the
 * other lines. If ctx_append_add failed for the line, call this function before any other
 * line is added. why: the reason for which the line is invalid. */
void ctx_append_refuse(struct ctx_appender *in, struct ctx_span line, const char *file,
    long line_no, const char *why);

/* Returns true if the batch is full. */
bool ctx_append_full(const struct ctx_appender *in);

/* Called for an invalid line, and for a record that cannot be stored (for example
 * because its session does not exist or another message has its id). Must return 0 to
 * skip the line and continue, or -1 to stop before this line. */
typedef int ctx_append_reject_fn(
    void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* Stores the queued records and empties the queue. Call inside a write transaction.
 * Appends records to out: stored messages, messages that were already stored under the
 * same id, and records that pass through. Returns 0 if all lines were processed; 1 if
 * reject returned -1, in which case the records before the rejected line are stored; -1
 * if the store failed, in which case the caller must roll back. */
int ctx_append_apply(struct ctx_appender *in, struct ctx_store *st, struct ctx_buf *out,
    ctx_append_reject_fn *reject, void *arg, struct ctx_err *err);

/* Calls fn, in order, for the session of each queued message and of each queued record
 * that can create a session. Skips records that will be rejected because the record of
 * their session was invalid. Returns -1 if fn failed. */
typedef int ctx_append_session_fn(void *arg, const char *session_id, struct ctx_err *err);
int ctx_append_sessions(struct ctx_appender *in, const struct ctx_store *st,
    ctx_append_session_fn *fn, void *arg, struct ctx_err *err);

/* Stores the message counts of the sessions that were used in the transaction. Call
 * before the commit. Returns 0, or -1 with err set. */
int ctx_append_finish(struct ctx_appender *in, struct ctx_store *st, struct ctx_err *err);

/* Returns the session in which the last record was stored, or NULL if no record was
 * stored in this transaction. */
struct ctx_session *ctx_append_session(struct ctx_appender *in);

#endif
