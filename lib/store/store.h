/* The store: sessions and their messages in one SQLite file (ctx-store(5)). The only
 * layer that knows SQL. */
#ifndef CTX_STORE_STORE_H
#define CTX_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/session.h"

#define CTX_SEQ_MAX INT64_C(0xffffffff) /* messages that one session can hold */

struct ctx_store;

enum ctx_sync { CTX_SYNC_FULL, CTX_SYNC_NORMAL, CTX_SYNC_OFF };

/* What writing took, added up over transactions, microseconds. */
struct ctx_store_times {
	int64_t wait_us, commit_us;
	int64_t begun, committed; /* how many */
	int64_t recounted;        /* messages that ctx_recount_tokens had to count */
};

struct ctx_store_options {
	const char *path;
	const char *tenant; /* see and make only this tenant's sessions; NULL: all */
	int64_t busy_ms;    /* how long to wait for other writers */
	enum ctx_sync sync; /* FULL: a commit that returned survives a power cut */
	bool create;        /* make a store (and its directory) where there is none */
	bool bulk;          /* many writes are to come: a larger cache */
	bool
	    scratch; /* a new store that nobody else sees: in memory and, what is too much for
	               * it, in a file without a name; path is what messages call it */
	/* Open as if ctx_store_begin_read had been called, which then does nothing: the
	 * fastest way for who reads once. Only what is read until ctx_store_end_read is sure
	 * to be readable, and nothing else in the process may have the store open. */
	bool snapshot;
	struct ctx_store_times *times; /* borrowed while the store is open; NULL: none */
	/* Called during long work, each time more is durable; what: "messages indexed". */
	void (*progress)(int64_t more, const char *what);
};

/* CTX_ESTORE when the store is missing, no store of ours, damaged or too new. */
int ctx_store_open(
    struct ctx_store **out, const struct ctx_store_options *o, struct ctx_err *err);
void ctx_store_close(struct ctx_store *st);
const char *ctx_store_path(const struct ctx_store *st);

/* From now on see and make only this tenant's sessions; "": those of none; NULL: all. */
void ctx_store_set_tenant(struct ctx_store *st, const char *tenant);
const char *ctx_store_tenant(const struct ctx_store *st); /* as set, borrowed */

/* A write transaction: waits its turn among the writers, at most busy_ms (CTX_EBUSY).
 * Changes are durable when commit returns 0; after a failed commit they are undone. */
int ctx_store_begin(struct ctx_store *st, struct ctx_err *err);
int ctx_store_commit(struct ctx_store *st, struct ctx_err *err);
void ctx_store_rollback(struct ctx_store *st); /* no transaction open: does nothing */

/* A snapshot: all reads until its end see one state. Keep it short. */
int ctx_store_begin_read(struct ctx_store *st, struct ctx_err *err);
void ctx_store_end_read(struct ctx_store *st);

/* ---- sessions ---- */

/* Insert in a write transaction; sets s->no, and the tenant when the store has one.
 * CTX_EANSWER when the id is taken. */
int ctx_store_session_create(
    struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);

/* 1 and *out (initialised by the caller), 0 when there is none, -1. Deleted sessions are
 * found too: who asks looks at the status. */
int ctx_store_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);

/* The same by its number, whatever its tenant is: what was found once is found again, also
 * where several tenants have sessions of one id. */
int ctx_store_session_get(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err);

/* The same, the one of this tenant ("": of none), whichever tenant's sessions are shown. */
int ctx_store_session_of(struct ctx_store *st, const char *tenant, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);

/* Write back every member but the ids and the number. In a write transaction. */
int ctx_store_session_update(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Let another user see it, or no longer. In a write transaction. */
int ctx_store_session_share(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err);
int ctx_store_session_unshare(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err);

/* Unset members do not restrict. Times in ms, CTX_TIME_NONE unset. */
struct ctx_session_filter {
	const char *user_id; /* owner, or one that it is shared with */
	const char *caller_id;
	const char *agent;
	bool status[3];      /* which of enum ctx_status; none set: active */
	int64_t idle_before; /* last message and creation before */
	int64_t created_before, created_after;
	int64_t expired_at;     /* expires_at at or before */
	int64_t deleted_before; /* and deleted */
	int64_t min_tokens;     /* -1 unset */
	int64_t after_no;       /* page: only sessions with a greater number */
};
void ctx_session_filter_init(struct ctx_session_filter *f);

/* The next page, in the order of creation: up to max sessions into out (initialised).
 * Their count, or -1. */
int ctx_store_session_list(struct ctx_store *st, const struct ctx_session_filter *f,
    struct ctx_session out[], int max, struct ctx_err *err);

/* The session with that number, unless it is deleted: 1 and *out (initialised), 0, -1. */
int ctx_store_session_numbered(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err);

/* Ids of sessions, deleted ones too, that begin or end with part, of four characters at least:
 * up to max of them, sorted, into ids, each owned by the caller. Their count, or -1. */
int ctx_store_session_part(
    struct ctx_store *st, const char *part, char *ids[], int max, struct ctx_err *err);

/* Calls fn with the id of each session that can be seen, deleted ones too; the id is borrowed
 * for the call. */
int ctx_store_session_ids(struct ctx_store *st,
    void (*fn)(void *arg, const char *session_id), void *arg, struct ctx_err *err);

/* Preferences of a user (JSON). find: 1 and an owned string, 0, -1. */
int ctx_store_preferences_set(
    struct ctx_store *st, const char *user_id, const char *json, struct ctx_err *err);
int ctx_store_preferences_find(
    struct ctx_store *st, const char *user_id, char **json, struct ctx_err *err);

/* ---- messages ---- */

/* A row of the log. Spans read from the store are borrowed until the cursor moves. */
struct ctx_stored {
	int64_t seq;
	int64_t turn; /* seq of the message that began its turn; 0: none yet */
	int role;     /* enum ctx_role */
	int type;     /* enum ctx_message_type */
	int64_t created_at;
	int64_t token_count;
	int64_t token_sum;     /* of the session's messages before it; set by append */
	const char *tokenizer; /* that counted; lives as long as the store */
	int64_t tool_calls;
	struct ctx_span message;  /* verbatim JSON */
	struct ctx_span id;       /* plain text; absent when none was given */
	struct ctx_span metadata; /* JSON or absent */
	bool starts_turn;         /* in: this message begins a turn */
	bool pinned;              /* in; of a read row: see ctx_store_pins */
	bool sent;                /* printed with the record; the store does not set it */
};

/* Append the record of a stored message and a newline. A message without id has its
 * place, "SID/SEQ", as one. slot and source (JSON) of an addition may be absent. */
void ctx_stored_print(struct ctx_buf *out, const char *session_id,
    const struct ctx_stored *m, const char *slot, struct ctx_span source);

/* Append behind the session's last message, in a write transaction: sets m->seq and
 * m->turn, and the counters of *s, which ctx_store_session_count writes back. */
int ctx_store_append(struct ctx_store *st, struct ctx_session *s, struct ctx_stored *m,
    struct ctx_err *err);

/* Write back the counters, last_* and expires_at of a session that was appended to. */
int ctx_store_session_count(
    struct ctx_store *st, struct ctx_session *s, int64_t now, struct ctx_err *err);

/* The message with the record id that was given when it was stored: 1 and *out (spans
 * borrowed until the next call), 0, -1. */
int ctx_store_message_find(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record_id, struct ctx_stored *out, struct ctx_err *err);

/* Is this message (verbatim JSON) the session's message seq? 1 yes, with its tokens as they
 * are counted there; 0 there is none of that number; -1, with CTX_EANSWER when another is. */
int ctx_store_holds(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_span message, int64_t *tokens, struct ctx_err *err);

/* Messages of one session from seq first to last, both included, upwards or downwards.
 * Each is checked against its checksum: a damaged one is CTX_ESTORE. *s is borrowed until
 * the cursor is closed. When none is there though *s tells of some, since the session was
 * archived or deleted after *s was read (ctx_session_left), next is CTX_EMOVED or CTX_EANSWER. */
struct ctx_cursor;
int ctx_cursor_open(struct ctx_cursor **out, struct ctx_store *st,
    const struct ctx_session *s, int64_t first, int64_t last, bool down,
    struct ctx_err *err);
int ctx_cursor_next(struct ctx_cursor *c, struct ctx_stored *out, struct ctx_err *err);
void ctx_cursor_close(struct ctx_cursor *c);

/* Call fn for each message from seq first to last, upwards, in one snapshot: keep the
 * range short. Spans are borrowed for the call; -1 from fn stops. */
typedef int ctx_store_message_fn(
    void *arg, const struct ctx_stored *m, struct ctx_err *err);
int ctx_store_messages(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, ctx_store_message_fn *fn, void *arg, struct ctx_err *err);

/* What a row says of a message without its body. */
struct ctx_stored_head {
	int64_t seq, turn, token_sum, token_count, tool_calls;
	int role, type; /* enum ctx_role, enum ctx_message_type */
};
/* Call fn for the envelope of each message from seq last downwards until it returns 0;
 * -1 from it stops with its error. */
typedef int ctx_store_head_fn(
    void *arg, const struct ctx_stored_head *e, struct ctx_err *err);
int ctx_store_heads(struct ctx_store *st, const struct ctx_session *s, int64_t last,
    ctx_store_head_fn *fn, void *arg, struct ctx_err *err);

/* Ascending sequence numbers of pinned messages from first to last. *seqs is owned by the
 * caller. */
int ctx_store_pins(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, int64_t **seqs, size_t *n, struct ctx_err *err);

/* Ranges of hidden messages, ascending, not overlapping. *ranges is owned by the caller. */
struct ctx_seq_range {
	int64_t first, last;
};
int ctx_store_hidden(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_seq_range **ranges, size_t *n, struct ctx_err *err);

/* In n ranges as ctx_store_hidden gives them: the first that ends at seq or behind it, n for
 * none; and the one that seq is in, or NULL. */
size_t ctx_seq_range_from(const struct ctx_seq_range *ranges, size_t n, int64_t seq);
const struct ctx_seq_range *ctx_seq_range_at(
    const struct ctx_seq_range *ranges, size_t n, int64_t seq);

/* Is seq one of n that ascend? */
bool ctx_seq_among(const int64_t *seqs, size_t n, int64_t seq);

/* Hide ranges (ascending, none hidden yet) on account of an event. In a write
 * transaction; counts in s->hidden_count, which ctx_store_session_count writes back. */
int ctx_store_hide(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_seq_range *ranges, size_t n, int64_t event, struct ctx_err *err);

/* Show again what the newest event that still hides something hid: 1 and its id and the
 * number of messages, 0 when nothing is hidden, -1. As above. */
int ctx_store_unhide(struct ctx_store *st, struct ctx_session *s, int64_t *event,
    int64_t *messages, struct ctx_err *err);

/* Copy the messages up to seq of one session into another, which is new and empty, with
 * their pins, hidden ranges and counters. In a write transaction. */
int ctx_store_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    struct ctx_session *to, struct ctx_err *err);

/* ---- requests and events ---- */

/* Store a request record (JSON text) with the seq of its answer (0: none). A request_id
 * that is there already is replaced only while it has no answer. Texts in the record (the
 * member "message" of entries of its messages) are kept by content, and are back in the
 * record when it is read. */
int ctx_store_request_put(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span request_id, int64_t for_seq, int64_t response_seq, int64_t created_at,
    struct ctx_span record, struct ctx_err *err);

/* Called per row; spans are borrowed for the call. Return -1 with err set to stop. */
typedef int ctx_store_record_fn(
    void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err);

/* Add an event record (JSON text); *id names it. In a write transaction. */
int ctx_store_event_add(struct ctx_store *st, const struct ctx_session *s,
    int64_t created_at, struct ctx_span record, int64_t *id, struct ctx_err *err);

/* The number of the session's newest event, 0: none. It grows with whatever is done to what
 * is there (hiding, summaries, archiving), not with appending: who reads, thinks and then
 * writes sees by it whether another came between. */
int ctx_store_event_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err);

/* Requests or events of a session in the order of their making. */
int ctx_store_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* The same requests as they are stored: of a request that continues another, the member
 * "messages" holds what is new in it. */
int ctx_store_requests_stored(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* The requests of a session that were answered, newest first. fn returns 1 to stop. */
int ctx_store_answered(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);
/* Did a request for message seq fail, or is it without an answer? Looks at the newest few of
 * the session. 1, 0, -1. */
int ctx_store_request_failed(
    struct ctx_store *st, const struct ctx_session *s, int64_t seq, struct ctx_err *err);
int ctx_store_events(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* Copies the requests that were answered up to message seq into another session, so that it
 * can continue them. Call inside a write transaction. */
int ctx_store_requests_copy(struct ctx_store *st, const struct ctx_session *from,
    int64_t seq, const struct ctx_session *to, struct ctx_err *err);

/* One request of whichever session: 1 and session number, record (owned); 0; -1. */
int ctx_store_request_find(struct ctx_store *st, const char *request_id,
    struct ctx_session *session, char **record, struct ctx_err *err);

#endif
