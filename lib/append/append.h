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
	/* true: create missing sessions. A new session gets the values of its session
	 * record if that record precedes the session's messages */
	bool create;
	const char *user; /* user_id for new sessions; may be NULL */
	/* agent for new sessions; may be NULL. A new session gets the items that are
	 * defined for its agent */
	const char *agent;
	/* time to live for new sessions, in ms; CTX_TIME_NONE: unlimited */
	int64_t ttl_ms;
	/* true: "ttl_ms" is used only if the session record has no time to live */
	bool ttl_default;
	/* expected number of the session's last message (last_seq) before the first
	 * message is stored; if the number is another, appending fails with CTX_EANSWER.
	 * -1: any number */
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
	/* name of the file from which the line was read, for error messages; borrowed */
	const char *file;
	long line_no;
	/* true: the line is not a message, and is printed unchanged */
	bool pass;
	/* true: the line is a session record, and the session is created if it is
	 * missing */
	bool session;
	/* true: the line is an invalid session record, but the session id in it is
	 * known */
	bool refused;
	/* why the line is invalid, as passed to ctx_append_refuse; NULL: this function
	 * was not called for the line */
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
	/* sessions whose last session record was refused, because the record is invalid
	 * or names another tenant than that of the store */
	struct ctx_refused refused;
	struct ctx_orphans orphans; /* the caller may set orphans.fn */
};

void ctx_append_init(
    struct ctx_appender *in, const struct ctx_append_options *o, struct ctx_tokenizer *t);
void ctx_append_release(struct ctx_appender *in);

/* Checks one line and queues a copy of it. Fails with CTX_EINPUT if the line is not a
 * record or is a message that cannot be stored; such a line is not queued. After an
 * invalid session record, ctx_append_apply rejects all records of that session until a
 * valid session record follows, because they might be stored in the wrong session. */
int ctx_append_add(struct ctx_appender *in, struct ctx_span line, const char *file,
    long line_no, struct ctx_err *err);

/* Queues an invalid line, so that ctx_append_apply rejects it in the order of the input.
 * If ctx_append_add fails for a line, call this function before the next line is added.
 * why: the reason, for the error message. */
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
 * Appends to *out: the records of stored messages, the records of messages that were
 * already stored under the same id, and the lines that are printed unchanged. Returns 0
 * if all lines were processed. Returns 1 if the callback reject() returned -1; the
 * records before the rejected line are then stored. Returns -1 if the store failed; the
 * caller must then roll back. */
int ctx_append_apply(struct ctx_appender *in, struct ctx_store *st, struct ctx_buf *out,
    ctx_append_reject_fn *reject, void *arg, struct ctx_err *err);

/* Calls fn for each session that ctx_append_apply will need, in the order of the queued
 * lines: the session of each message, and of each session record that can create its
 * session. Omits records that will be rejected because their session record is invalid.
 * Returns -1 if fn fails. */
typedef int ctx_append_session_fn(void *arg, const char *session_id, struct ctx_err *err);
int ctx_append_sessions(struct ctx_appender *in, const struct ctx_store *st,
    ctx_append_session_fn *fn, void *arg, struct ctx_err *err);

/* Updates the stored message counts of the sessions that were used in this transaction.
 * Call before the commit. Returns 0, or -1 with err set. */
int ctx_append_finish(struct ctx_appender *in, struct ctx_store *st, struct ctx_err *err);

/* Returns the session in which the last record was stored, or NULL if no record was
 * stored in this transaction. */
struct ctx_session *ctx_append_session(struct ctx_appender *in);

#endif
