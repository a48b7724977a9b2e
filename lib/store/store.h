/* The store: sessions and their messages in one SQLite file (ctx-store(5)). This is the
 * only layer that uses SQL. */
#ifndef CTX_STORE_STORE_H
#define CTX_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/session.h"

#define CTX_SEQ_MAX INT64_C(0xffffffff) /* the largest number of messages in a session */

struct ctx_store;

enum ctx_sync { CTX_SYNC_FULL, CTX_SYNC_NORMAL, CTX_SYNC_OFF };

/* Times and counts of writing, added up over transactions; times in microseconds. */
struct ctx_store_times {
	int64_t wait_us, commit_us;
	int64_t begun, committed; /* how many */
	int64_t recounted;        /* messages that ctx_recount_tokens had to count */
};

struct ctx_store_options {
	const char *path;
	/* show and create only this tenant's sessions; NULL: all tenants */
	const char *tenant;
	int64_t busy_ms; /* how long to wait for other writers, in ms */
	/* CTX_SYNC_FULL: a commit that returned survives a power failure */
	enum ctx_sync sync;
	bool create; /* create the store and its directory if missing */
	bool bulk;   /* many writes will follow: use a larger cache */
	bool
	    /* a new private store, in memory and, if large, in an unnamed file; path
	     * is only used in messages */
	    scratch;
	/* Open with a read snapshot, as if ctx_store_begin_read had been called; the
	 * fastest way to read once. Reads after ctx_store_end_read may fail, and nothing
	 * else in the process may have the store open. */
	bool snapshot;
	bool *absent; /* if not NULL, set when a server has no store there */
	struct ctx_store_times *times; /* borrowed while the store is open; NULL: none */
	/* Called during long work whenever more is done; what: "messages indexed", "pages
	 * copied"; part: how much of the work is done, 0 to 1. NULL: none. */
	void (*progress)(int64_t more, const char *what, double part);
};

/* CTX_ESTORE when the store is missing, is not a ctx store, is damaged, or is of a newer
 * version. */
int ctx_store_open(
    struct ctx_store **out, const struct ctx_store_options *o, struct ctx_err *err);
void ctx_store_close(struct ctx_store *st);
/* Is it the address of a store on a server, and not a path? */
bool ctx_store_is_remote(const char *path);
/* Does this program have the engine of a store at that path or address? */
bool ctx_store_is_known(const char *path);
/* Is the store a file, with others beside it? Else it is a database on a server. */
bool ctx_store_is_file(const struct ctx_store *st);
const char *ctx_store_path(const struct ctx_store *st);
/* Reads a number that a store made anew in the same place does not have. */
int ctx_store_incarnation(struct ctx_store *st, int64_t *number, struct ctx_err *err);

/* Converts a session's number to a sort key: a session that was created later has a larger
 * one. */
int64_t ctx_store_session_order(const struct ctx_store *st, int64_t no);

/* Restricts the store to one tenant's sessions; "": sessions without a tenant; NULL: no
 * restriction. */
void ctx_store_set_tenant(struct ctx_store *st, const char *tenant);
const char *ctx_store_tenant(const struct ctx_store *st); /* as set, borrowed */

/* A write transaction. ctx_store_begin waits at most busy_ms for other writers
 * (CTX_EBUSY). The changes are durable when ctx_store_commit returns 0 and are undone
 * when it fails. */
int ctx_store_begin(struct ctx_store *st, struct ctx_err *err);
int ctx_store_commit(struct ctx_store *st, struct ctx_err *err);
/* does nothing when no transaction is open */
void ctx_store_rollback(struct ctx_store *st);

/* A read snapshot: all reads until ctx_store_end_read see the same state. Keep it short. */
int ctx_store_begin_read(struct ctx_store *st, struct ctx_err *err);
void ctx_store_end_read(struct ctx_store *st);

/* ---- sessions ---- */

/* Inserts a session; call inside a write transaction. Sets s->no, and the tenant if the
 * store is restricted to one. CTX_EANSWER when the id is taken. */
int ctx_store_session_create(
    struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);

/* Finds a session by id, deleted ones included; check its status. Returns 1 with *out
 * filled in (initialised by the caller), 0 if there is none, -1 on error. */
int ctx_store_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);

/* Reads a session by number, whatever its tenant. Use it to read a session again, since
 * several tenants can use the same id. */
int ctx_store_session_get(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err);

/* Finds a session of the given tenant ("": none), regardless of the tenant that the store
 * is restricted to. */
int ctx_store_session_of(struct ctx_store *st, const char *tenant, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);

/* Updates every member except the ids and the number. Call inside a write transaction. */
int ctx_store_session_update(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Shares the session with a user, or stops sharing it. Call inside a write transaction. */
int ctx_store_session_share(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err);
int ctx_store_session_unshare(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err);

/* Members that are not set do not restrict. Times in ms; CTX_TIME_NONE: not set. */
struct ctx_session_filter {
	const char *user_id; /* the owner, or a user that the session is shared with */
	const char *caller_id;
	const char *agent;
	bool status[3];      /* by enum ctx_status; none set: active sessions only */
	int64_t idle_before; /* created before it, without a message since */
	int64_t created_before, created_after;
	int64_t expired_at;     /* expires_at at or before */
	int64_t deleted_before; /* and deleted */
	int64_t min_tokens;     /* -1 unset */
	int64_t after_no;       /* for paging: only sessions that come after that one */
	int64_t no;             /* only the session with that number; 0: all */
};
void ctx_session_filter_init(struct ctx_session_filter *f);

/* Reads the next page of sessions, in order of creation: at most max into out
 * (initialised by the caller). Returns their count or -1. */
int ctx_store_session_list(struct ctx_store *st, const struct ctx_session_filter *f,
    struct ctx_session out[], int max, struct ctx_err *err);

/* Reads the session with that number unless it is deleted. Returns 1 with *out filled in
 * (initialised by the caller), 0 if there is none, -1 on error. */
int ctx_store_session_numbered(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err);

/* Finds the ids of sessions, deleted ones included, that start or end with part (at least
 * four characters): at most max, sorted; the caller frees each. Returns their count or
 * -1. */
int ctx_store_session_part(
    struct ctx_store *st, const char *part, char *ids[], int max, struct ctx_err *err);

/* Sets *order to that of the newest session, 0 if there is none. */
int ctx_store_session_last(struct ctx_store *st, int64_t *order, struct ctx_err *err);

/* Calls fn with the id of each visible session, deleted ones included; the id is borrowed for
 * the call. */
int ctx_store_session_ids(struct ctx_store *st,
    void (*fn)(void *arg, const char *session_id), void *arg, struct ctx_err *err);

/* Preferences of a user (JSON). ctx_store_preferences_find returns 1 with a string that
 * the caller frees, 0 if there are none, -1 on error. */
int ctx_store_preferences_set(
    struct ctx_store *st, const char *user_id, const char *json, struct ctx_err *err);
int ctx_store_preferences_find(
    struct ctx_store *st, const char *user_id, char **json, struct ctx_err *err);

/* ---- messages ---- */

/* A stored message. Spans read from the store are borrowed until the cursor moves. */
struct ctx_stored {
	int64_t seq;
	/* sequence number of the message that began its turn; 0: none yet */
	int64_t turn;
	int role; /* enum ctx_role */
	int type; /* enum ctx_message_type */
	int64_t created_at;
	int64_t token_count;
	/* tokens of the session's messages before this one; set by ctx_store_append */
	int64_t token_sum;
	/* the tokenizer that counted; valid as long as the store is open */
	const char *tokenizer;
	int64_t tool_calls;
	struct ctx_span message;  /* verbatim JSON */
	struct ctx_span id;       /* decoded; absent if no id was given */
	struct ctx_span metadata; /* JSON or absent */
	bool starts_turn;         /* for appending: this message begins a turn */
	/* for appending; for stored messages see ctx_store_pins */
	bool pinned;
	bool sent; /* printed with the record; the store does not set it */
};

/* Appends the record of a stored message and a newline. A message without an id gets its
 * position, "SID/SEQ", as id. slot and source (JSON) describe an addition and may be
 * absent. */
void ctx_stored_print(struct ctx_buf *out, const char *session_id,
    const struct ctx_stored *m, const char *slot, struct ctx_span source);

/* Appends a message to the session; call inside a write transaction. Sets m->seq and
 * m->turn and updates the counters in *s, which ctx_store_session_count stores. */
int ctx_store_append(struct ctx_store *st, struct ctx_session *s, struct ctx_stored *m,
    struct ctx_err *err);

/* Stores the counters, last_* and expires_at of a session after appends. */
int ctx_store_session_count(
    struct ctx_store *st, struct ctx_session *s, int64_t now, struct ctx_err *err);

/* Finds a message by the record id that was given when it was stored. Returns 1 with *out
 * filled in (spans borrowed until the next call), 0 if there is none, -1 on error. */
int ctx_store_message_find(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record_id, struct ctx_stored *out, struct ctx_err *err);

/* Checks whether the session's message seq is this message (verbatim JSON). Returns 1 and
 * the stored token count if it is, 0 if the session has no such message, -1 on error;
 * CTX_EANSWER if a different message has that number. */
int ctx_store_holds(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_span message, int64_t *tokens, struct ctx_err *err);

/* Iterates over the messages of one session from first to last, both included, in either
 * direction. Each message is verified against its checksum (CTX_ESTORE if damaged). *s is
 * borrowed until the cursor is closed. If *s has messages but none are found, because the
 * session was archived or deleted since *s was read (ctx_session_left), ctx_cursor_next
 * fails with CTX_EMOVED or CTX_EANSWER. */
struct ctx_cursor;
int ctx_cursor_open(struct ctx_cursor **out, struct ctx_store *st,
    const struct ctx_session *s, int64_t first, int64_t last, bool down,
    struct ctx_err *err);
int ctx_cursor_next(struct ctx_cursor *c, struct ctx_stored *out, struct ctx_err *err);
void ctx_cursor_close(struct ctx_cursor *c);

/* Calls fn for each message from first to last, ascending, in one snapshot; keep the
 * range short. Spans are borrowed for the call; fn returns -1 to stop. */
typedef int ctx_store_message_fn(
    void *arg, const struct ctx_stored *m, struct ctx_err *err);
int ctx_store_messages(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, ctx_store_message_fn *fn, void *arg, struct ctx_err *err);

/* The stored data of a message without its body. */
struct ctx_stored_head {
	int64_t seq, turn, token_sum, token_count, tool_calls;
	int role, type; /* enum ctx_role, enum ctx_message_type */
};
/* Calls fn for the head of each message from last downwards until it returns 0, or -1
 * with err set to fail. */
typedef int ctx_store_head_fn(
    void *arg, const struct ctx_stored_head *e, struct ctx_err *err);
int ctx_store_heads(struct ctx_store *st, const struct ctx_session *s, int64_t last,
    ctx_store_head_fn *fn, void *arg, struct ctx_err *err);

/* Finds the pinned messages from first to last, ascending. The caller frees *seqs. */
int ctx_store_pins(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, int64_t **seqs, size_t *n, struct ctx_err *err);

/* Reads the ranges of hidden messages, ascending and without overlaps. The caller frees
 * *ranges. */
struct ctx_seq_range {
	int64_t first, last;
};
int ctx_store_hidden(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_seq_range **ranges, size_t *n, struct ctx_err *err);

/* Searches n ranges from ctx_store_hidden. ctx_seq_range_from returns the index of the
 * first range that ends at or after seq, n if there is none; ctx_seq_range_at returns the
 * range that contains seq, or NULL. */
size_t ctx_seq_range_from(const struct ctx_seq_range *ranges, size_t n, int64_t seq);
const struct ctx_seq_range *ctx_seq_range_at(
    const struct ctx_seq_range *ranges, size_t n, int64_t seq);

/* Binary search: is seq among the n ascending values? */
bool ctx_seq_among(const int64_t *seqs, size_t n, int64_t seq);

/* Hides ranges (ascending, not hidden yet) as part of an event; call inside a write
 * transaction. Updates s->hidden_count, which ctx_store_session_count stores. */
int ctx_store_hide(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_seq_range *ranges, size_t n, int64_t event, struct ctx_err *err);

/* Finds the newest event that still hides messages. Returns 1 with its id and the number of
 * messages that it hides, 0 if nothing is hidden, -1 on error. */
int ctx_store_hidden_last(struct ctx_store *st, const struct ctx_session *s,
    int64_t *event, int64_t *messages, struct ctx_err *err);
/* Shows again what the event with this id hides. Call inside a write transaction. */
int ctx_store_unhide(struct ctx_store *st, const struct ctx_session *s, int64_t event,
    struct ctx_err *err);

/* Copies the messages up to seq into another session, which is new and empty, with their
 * pins, hidden ranges and counters. Call inside a write transaction. */
int ctx_store_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    struct ctx_session *to, struct ctx_err *err);

/* ---- requests and events ---- */

/* Stores a request record (JSON) with the sequence number of its answer (0: none). An
 * existing request with the same id is replaced only while it has no answer. Message
 * texts in the record are stored by content and are filled in again when the record is
 * read. */
int ctx_store_request_put(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span request_id, int64_t for_seq, int64_t response_seq, int64_t created_at,
    struct ctx_span record, struct ctx_err *err);

/* Replaces the record of the request with that row id; the texts of its additions are stored
 * as in ctx_store_request_put. Call inside a write transaction. */
int ctx_store_request_replace(struct ctx_store *st, const struct ctx_session *s,
    int64_t id, struct ctx_span record, struct ctx_err *err);

/* Called for each row; spans are borrowed for the call. Returns -1 with err set to stop. */
typedef int ctx_store_record_fn(
    void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err);

/* Adds an event record (JSON) and sets *id to its id. Call inside a write transaction. */
int ctx_store_event_add(struct ctx_store *st, const struct ctx_session *s,
    int64_t created_at, struct ctx_span record, int64_t *id, struct ctx_err *err);

/* Reads the number of the session's newest event; 0: none. It grows with each change to
 * existing data (hiding, summaries, archiving), but not with appends, so that a program
 * that reads first and writes later can detect a change by others. */
int ctx_store_event_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err);

/* Calls fn for the requests or events of a session, in order of creation. */
int ctx_store_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* As ctx_store_requests, but with the records as stored: for a request that continues
 * another, "messages" holds only what is new. */
int ctx_store_requests_stored(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn for the answered requests of a session, newest first; fn returns 1 to stop. */
int ctx_store_answered(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);
/* Calls fn for those of a session's newest few requests that failed or have no answer, newest
 * first; fn returns 1 to stop. */
int ctx_store_failed(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);
/* Appends the model (JSON string) of the newest request, among a session's newest few, that
 * names one; nothing if there is none. provider: only of requests to it; NULL: of any. */
int ctx_store_last_model(struct ctx_store *st, const struct ctx_session *s,
    const char *provider, struct ctx_buf *model, struct ctx_err *err);
int ctx_store_events(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* Copies the requests answered up to message seq into another session, so that it can
 * continue them. Call inside a write transaction. */
int ctx_store_requests_copy(struct ctx_store *st, const struct ctx_session *from,
    int64_t seq, const struct ctx_session *to, struct ctx_err *err);

/* Finds a request of any session by its id. Returns 1 with the session number and the
 * record (the caller frees it), 0 if there is none, -1 on error. */
int ctx_store_request_find(struct ctx_store *st, const char *request_id,
    struct ctx_session *session, char **record, struct ctx_err *err);

#endif
