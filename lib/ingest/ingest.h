/* Ingest: from lines of input to stored messages, a batch at a time. Lines are checked
 * and counted before any lock is taken; a batch is then applied in the caller's write
 * transaction, and its acknowledgements are ready to print once that is committed. */
#ifndef CTX_INGEST_INGEST_H
#define CTX_INGEST_INGEST_H

#include "base/arena.h"
#include "ingest/refused.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

struct ctx_ingest_options {
	const char
	    *session; /* append all to this session; NULL: each record names its own */
	bool create;  /* make sessions that are missing, as a session record before
				 * their messages describes them */
	const char *user;  /* of sessions that are made; may be NULL */
	const char *agent; /* the same; they get what it begins with */
	int64_t ttl_ms;    /* of sessions that are made; CTX_TIME_NONE: none */
	bool ttl_default;  /* only of those whose record tells of none */
	int64_t if_seq;    /* the session's last seq must be this; -1: any */
	int64_t now;
	bool pinned;      /* pin every message */
	bool silent;      /* print no records */
	size_t max_bytes; /* that a message takes with what is stored with it; 0: any */
};

/* A line that waits. */
struct ctx_pending {
	struct ctx_span line; /* as it was read, for rejects */
	const char *file;     /* where from, for messages; borrowed */
	long line_no;
	bool pass;    /* no history message: printed as it is */
	bool session; /* a session record: makes the session if it is missing */
	bool refused; /* a session record that was no good, known by its session's id */
	const char *bad; /* what ctx_ingest_refuse was told; NULL: it wasn't called */
	const char *session_id;
	const char *tenant; /* told by a session or request record; "": of none */
	struct ctx_stored m;
};

struct ctx_ingest {
	struct ctx_ingest_options o;
	struct ctx_tokenizer *tokenizer;
	struct ctx_arena arena;
	struct ctx_pending *pending;
	size_t n, cap;
	struct ctx_session *sessions; /* touched in the transaction that is open */
	uint32_t *marks;              /* checksums of their ids, to look through */
	size_t n_sessions, cap_sessions, cap_marks;
	struct ctx_message view;
	char *named,
	    *tenant; /* the last session record: its id and whose it is, "": nobody's;
		      * NULL: it does not tell */
	bool if_seq_checked;
	struct ctx_refused refused; /* sessions whose last record was no good, or of
				     * another tenant than the store shows */
};

void ctx_ingest_init(
    struct ctx_ingest *in, const struct ctx_ingest_options *o, struct ctx_tokenizer *t);
void ctx_ingest_release(struct ctx_ingest *in);

/* Check one line and let it wait. CTX_EINPUT: it is no record or no message that can be
 * stored; it does not wait then. The line is copied. What names the session of a session
 * record that was no good is refused when it is applied, until a good one comes: without
 * its record it would go to another session of that id, or make one. */
int ctx_ingest_add(struct ctx_ingest *in, struct ctx_span line, const char *file,
    long line_no, struct ctx_err *err);

/* Let a line that is no good wait as well, so that it is refused in its place among the
 * others. One that ctx_ingest_add was given must have been the last. */
void ctx_ingest_refuse(struct ctx_ingest *in, struct ctx_span line, const char *file,
    long line_no, const char *why);

/* Is the batch full? */
bool ctx_ingest_full(const struct ctx_ingest *in);

/* Called for a line that was no good, and for a record that the store's state refuses (no
 * such session, an id taken by other bytes, …). Return 0 to leave it out and go on, -1 to stop before it. */
typedef int ctx_ingest_reject_fn(
    void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* Store what waits, inside a write transaction, and append its records to out: stored
 * ones, ones that were there already under the same id, and what passes through. After
 * it nothing waits. -1: the store failed (roll back); 1: reject stopped it, what stands
 * before the rejected record is stored. */
int ctx_ingest_apply(struct ctx_ingest *in, struct ctx_store *st, struct ctx_buf *out,
    ctx_ingest_reject_fn *reject, void *arg, struct ctx_err *err);

/* Call fn for the session of each message that waits, and of each record that may make one,
 * in order, those aside that will be refused because the record of their session is. -1 when
 * fn failed. */
typedef int ctx_ingest_session_fn(void *arg, const char *session_id, struct ctx_err *err);
int ctx_ingest_sessions(struct ctx_ingest *in, const struct ctx_store *st,
    ctx_ingest_session_fn *fn, void *arg, struct ctx_err *err);

/* Write back the counters of the sessions touched; call before the commit. */
int ctx_ingest_finish(struct ctx_ingest *in, struct ctx_store *st, struct ctx_err *err);

/* The session that the last record went to; NULL: none yet in this transaction. */
struct ctx_session *ctx_ingest_session(struct ctx_ingest *in);

#endif
