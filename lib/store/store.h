/* The store: sessions and their messages in one database, an SQLite file or a schema on a
 * PostgreSQL server (ctx-store(5)). The store layer is the only one that uses SQL. */
#ifndef CTX_STORE_STORE_H
#define CTX_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/session.h"

/* largest sequence number of a message in a session */
#define CTX_SEQ_MAX INT64_C(0xffffffff)

struct ctx_store;

enum ctx_sync { CTX_SYNC_FULL, CTX_SYNC_NORMAL, CTX_SYNC_OFF };

/* Sums of times and counts over all write transactions. wait_us: time spent waiting for
 * other writers; commit_us: time spent in commits; both in microseconds. */
struct ctx_store_times {
	int64_t wait_us, commit_us;
	int64_t begun, committed; /* numbers of transactions */
	/* number of messages whose tokens ctx_recount_tokens had to count again */
	int64_t recounted;
};

struct ctx_store_options {
	const char *path;
	/* show and create only this tenant's sessions; NULL: all tenants */
	const char *tenant;
	int64_t busy_ms; /* maximum time that a write waits for other writers, in ms */
	/* CTX_SYNC_FULL: changes survive a power failure once their commit has
	 * succeeded */
	enum ctx_sync sync;
	bool create; /* true: create the store and its directory if missing */
	bool bulk;   /* true: use a larger cache, because many writes will follow */
	/* true: create a new store for this process only, in memory or, if it is large,
	 * in an unnamed file; the member "path" is then used only in error messages */
	bool scratch;
	/* true: open the store with a read snapshot, as if ctx_store_begin_read had been
	 * called. This is the fastest way to read once. Reads after ctx_store_end_read
	 * may fail. The process must not have the store open elsewhere. */
	bool snapshot;
	/* If this member is not NULL, *absent is set to true if the database server has
	 * no store at this path. */
	bool *absent;
	/* times and counts are added to this struct; borrowed until the store is closed;
	 * may be NULL */
	struct ctx_store_times *times;
	/* Called during long work to report progress. more: number of units processed
	 * since the last call; what: the units, such as "messages indexed" or "pages
	 * copied"; part: progress of the whole work, from 0 to 1. May be NULL. */
	void (*progress)(int64_t more, const char *what, double part);
};

/* Opens a store; the caller closes *out. Fails with CTX_ESTORE if the store is missing,
 * is not a ctx store, is damaged, or has a newer version. */
int ctx_store_open(
    struct ctx_store **out, const struct ctx_store_options *o, struct ctx_err *err);
void ctx_store_close(struct ctx_store *st);
/* Returns true if path is the address of a store on a database server, not the path of a
 * file. */
bool ctx_store_is_remote(const char *path);
/* path: path or address of a store. Returns true if this program was built with the
 * database engine that this store needs. */
bool ctx_store_is_known(const char *path);
/* Returns true if the store is a file, with other files next to it, and false if it is in
 * a database on a server. */
bool ctx_store_is_file(const struct ctx_store *st);
const char *ctx_store_path(const struct ctx_store *st);
/* Reads a number that identifies this store. If the store is deleted and another one is
 * created at the same path or address, the number is different. */
int ctx_store_incarnation(struct ctx_store *st, int64_t *number, struct ctx_err *err);

/* Converts the number of a session to a sort key: the later a session was created, the
 * larger its key. */
int64_t ctx_store_session_order(const struct ctx_store *st, int64_t no);

/* Restricts the store to the sessions of one tenant. "" means sessions without a tenant,
 * NULL means all sessions. */
void ctx_store_set_tenant(struct ctx_store *st, const char *tenant);
/* Returns the tenant to which the store is restricted, borrowed; NULL: no restriction. */
const char *ctx_store_tenant(const struct ctx_store *st);

/* A write transaction. ctx_store_begin waits at most busy_ms for other writers, and then
 * fails with CTX_EBUSY. If ctx_store_commit returns 0, the changes are durable; if it
 * fails, they are undone. */
int ctx_store_begin(struct ctx_store *st, struct ctx_err *err);
int ctx_store_commit(struct ctx_store *st, struct ctx_err *err);
/* Undoes the changes. Does nothing if no write transaction is open. */
void ctx_store_rollback(struct ctx_store *st);
/* Ends a write transaction: commits it if rc is 0, and otherwise rolls it back. rc:
 * result of the work in the transaction. Returns rc, or -1 if the commit failed. */
int ctx_store_end(struct ctx_store *st, int rc, struct ctx_err *err);

/* A read snapshot: all reads until ctx_store_end_read see the same state of the store.
 * Keep the snapshot short: while it is open, changes by other processes accumulate in the
 * write-ahead log. */
int ctx_store_begin_read(struct ctx_store *st, struct ctx_err *err);
void ctx_store_end_read(struct ctx_store *st);
/* Makes the cache of the store small. Call this function before many messages are read
 * that are not read again. */
int ctx_store_read_through(struct ctx_store *st, struct ctx_err *err);

/* ---- sessions ---- */

/* Inserts a session. Sets s->no; also sets s->tenant_id if the store is restricted to a
 * tenant. Call inside a write transaction. Fails with CTX_EANSWER if the tenant already
 * has a session with this id. */
int ctx_store_session_create(
    struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);

/* Finds a session by id and reads it into *out, which the caller has initialized. Deleted
 * sessions are found too, so check out->status. Returns 1 on success, 0 if there is no
 * such session, -1 on error. Fails with CTX_EANSWER if sessions of several tenants have
 * this id. */
int ctx_store_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);

/* Reads a session of any tenant by number. Use this function to read a session again,
 * because a session id is unique only within a tenant. The result is as for
 * ctx_store_session_find. */
int ctx_store_session_get(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err);

/* Finds a session by tenant ("": no tenant) and id. Ignores the tenant to which the store
 * is restricted. The result is as for ctx_store_session_find. */
int ctx_store_session_of(struct ctx_store *st, const char *tenant, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);

/* Updates the row of session number s->no: stores all members of *s except "order" and
 * "summary". Call inside a write transaction. */
int ctx_store_session_update(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Like ctx_store_session_update, but faster: stores only the members "status",
 * "updated_at", "archive" and "hold". */
int ctx_store_session_set_state(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* ctx_store_session_share shares the session with a user, so that the user sees it too;
 * ctx_store_session_unshare ends the sharing. Call inside a write transaction. */
int ctx_store_session_share(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err);
int ctx_store_session_unshare(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err);

/* Conditions for ctx_store_session_list. Members that are not set do not restrict the
 * list. Times are ms since the epoch; CTX_TIME_NONE means that a time is not set. */
struct ctx_session_filter {
	/* only sessions that this user owns or that are shared with this user */
	const char *user_id;
	const char *caller_id;
	const char *agent;
	/* status[i]: true: include sessions with the value i of enum ctx_status. If all
	 * are false, only active sessions are included. */
	bool status[3];
	/* only sessions that were created before this time and have no later message */
	int64_t idle_before;
	int64_t created_before, created_after;
	int64_t expired_at; /* only sessions that expire at or before this time */
	/* only deleted sessions whose last change (the deletion or a later one) was
	 * before this time; the member "status" must include deleted sessions */
	int64_t deleted_before;
	int64_t min_tokens; /* -1: not set */
	/* for paging: only sessions created after the session with this number; 0: start
	 * with the first session */
	int64_t after_no;
	int64_t no; /* only the session with this number; 0: all sessions */
};
#define CTX_SESSION_FILTER_INIT                                                \
	{                                                                      \
		.idle_before = CTX_TIME_NONE, .created_before = CTX_TIME_NONE, \
		.created_after = CTX_TIME_NONE, .expired_at = CTX_TIME_NONE,   \
		.deleted_before = CTX_TIME_NONE, .min_tokens = -1              \
	}

/* Like ctx_store_session_find, but fails with CTX_EANSWER if the session does not exist
 * or is not active. Returns 0 or -1. */
int ctx_store_session_active(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);

/* Reads sessions that match the filter, in order of creation, into the array "out", which
 * has max elements that the caller has initialized. To read the next page, set
 * f->after_no to the number of the last session that was read. Returns the number of
 * sessions read, or -1 on error. */
int ctx_store_session_list(struct ctx_store *st, const struct ctx_session_filter *f,
    struct ctx_session out[], int max, struct ctx_err *err);

/* Reads the sessions that match the filter, page by page, in order of creation, and calls
 * fn for each session. Changes f->after_no. No lock is held while fn runs. The session is
 * released after the call; if fn takes over the contents of the session, it must leave an
 * initialized session in their place. If fn returns a value other than 0, stops and
 * returns that value. Otherwise returns 0 at the end, or -1 on error. */
typedef int ctx_store_session_fn(void *arg, struct ctx_session *s, struct ctx_err *err);
int ctx_store_each_session(struct ctx_store *st, struct ctx_session_filter *f,
    ctx_store_session_fn *fn, void *arg, struct ctx_err *err);

/* Reads the session with the number no into *out, which the caller has initialized.
 * Deleted sessions and, if the store is restricted to a tenant, sessions of other tenants
 * are not found. Returns 1 on success, 0 if there is no such session, -1 on error. */
int ctx_store_session_numbered(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err);

/* Finds the session ids that start or end with a text. part: this text, at least four
 * characters. Ids of deleted sessions are included. Writes at most max ids to the array
 * "ids", sorted; the caller frees each id. Returns the number of ids written, or -1 on
 * error. */
int ctx_store_session_part(
    struct ctx_store *st, const char *part, char *ids[], int max, struct ctx_err *err);

/* Sets *order to the sort key of the newest session (ctx_store_session_order), or to 0 if
 * there are no sessions. */
int ctx_store_session_last(struct ctx_store *st, int64_t *order, struct ctx_err *err);

/* Calls fn with the id of each session of the tenant to which the store is restricted,
 * including deleted sessions. The id is borrowed for the call. */
int ctx_store_session_ids(struct ctx_store *st,
    void (*fn)(void *arg, const char *session_id), void *arg, struct ctx_err *err);

/* ctx_store_preferences_set stores the preferences of a user, a JSON text.
 * ctx_store_preferences_find reads the preferences. It returns 1 with *json set, which
 * the caller frees; 0 if the user has no preferences; -1 on error. */
int ctx_store_preferences_set(
    struct ctx_store *st, const char *user_id, const char *json, struct ctx_err *err);
int ctx_store_preferences_find(
    struct ctx_store *st, const char *user_id, char **json, struct ctx_err *err);

/* ---- messages ---- */

/* A stored message. Spans of a message that a cursor has read are borrowed until the next
 * call of ctx_cursor_next. */
struct ctx_stored {
	int64_t seq;
	/* sequence number of the message with which this message's turn began; 0: the
	 * message is before the first turn */
	int64_t turn;
	int role; /* value of enum ctx_role */
	int type; /* value of enum ctx_message_type */
	int64_t created_at;
	int64_t token_count;
	/* total number of tokens of the session's messages before this message;
	 * ctx_store_append sets this member */
	int64_t token_sum;
	/* name of the tokenizer that computed the member "token_count"; valid as long as
	 * the store is open */
	const char *tokenizer;
	int64_t tool_calls;
	struct ctx_span message;  /* verbatim JSON */
	struct ctx_span id;       /* decoded record id; absent if the record had no id */
	struct ctx_span metadata; /* JSON; absent if the record has no metadata */
	/* true: this message begins a turn. The caller of ctx_store_append sets this
	 * member; reading sets it too. */
	bool starts_turn;
	/* true: the message is pinned; the caller of ctx_store_append sets this member.
	 * Not set by reading (see ctx_store_pins) */
	bool pinned;
	/* true: an earlier request of the run (a run: requests that each continue the
	 * previous one) contained this message unchanged. Not stored, and not set by
	 * reading */
	bool sent;
	/* true: the message certainly has no flaw because of which providers would reject
	 * it (ctx_message_flaw); set by reading */
	bool flawless;
};

/* Appends the message record and a newline to *out. If the message has no id, the record
 * gets the id SESSION/SEQ. slot: for a message that was added to a window, the name of
 * the place in the window; for other messages, NULL. source: for an added message, a JSON
 * object that says where the message comes from; otherwise absent. */
void ctx_stored_print(struct ctx_buf *out, const char *session_id,
    const struct ctx_stored *m, const char *slot, struct ctx_span source);

/* Appends a message to the session. Sets m->seq, m->turn and m->token_sum, and updates
 * the counters in *s, which ctx_store_session_count then stores. Call inside a write
 * transaction. Fails with CTX_EANSWER if the session already has CTX_SEQ_MAX messages. */
int ctx_store_append(struct ctx_store *st, struct ctx_session *s, struct ctx_stored *m,
    struct ctx_err *err);

/* Call after messages were appended, inside the same write transaction. Stores the
 * counters in *s and its members last_*, updated_at, expires_at and has_pins. now: the
 * time in ms since the epoch. */
int ctx_store_session_count(
    struct ctx_store *st, struct ctx_session *s, int64_t now, struct ctx_err *err);

/* Finds a message of the session by its record id. Returns 1 with *seq set to the
 * message's sequence number, 0 if there is no such message, -1 on error. */
int ctx_store_message_find(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record_id, int64_t *seq, struct ctx_err *err);

/* Tests whether message seq of the session equals the argument "message" (verbatim JSON).
 * If so, sets *tokens to the message's stored token count and returns 1. Returns 0 if the
 * session has no message with this number, -1 on error. Fails with CTX_EANSWER if the
 * session has a different message with this number. */
int ctx_store_holds(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_span message, int64_t *tokens, struct ctx_err *err);

/* A cursor reads the messages of a session with the sequence numbers first to last, both
 * included. The order is ascending or, if the argument "down" is true, descending. *s is
 * borrowed until the cursor is closed. If ctx_cursor_open fails, it sets err, and the
 * first ctx_cursor_next returns -1.
 *
 * ctx_cursor_next returns 1 for a message, 0 at the end, -1 on error. It fails with
 * CTX_ESTORE if the checksum shows that the message is damaged. It fails with CTX_EMOVED
 * or CTX_EANSWER (ctx_session_left_error) if the messages have left the store since *s
 * was read, because the session was archived or deleted. */
struct ctx_cursor;
struct ctx_cursor *ctx_cursor_open(struct ctx_store *st, const struct ctx_session *s,
    int64_t first, int64_t last, bool down, struct ctx_err *err);
int ctx_cursor_next(struct ctx_cursor *c, struct ctx_stored *out, struct ctx_err *err);
/* Returns where the members are in the message that ctx_cursor_next returned last. The
 * result is an argument for ctx_message_parse_members, and is valid until the next call
 * of ctx_cursor_next. */
const struct ctx_message_members *ctx_cursor_members(const struct ctx_cursor *c);
void ctx_cursor_close(struct ctx_cursor *c);

typedef int ctx_store_message_fn(
    void *arg, const struct ctx_stored *m, struct ctx_err *err);
/* Calls fn for each message with a sequence number from first to last, in ascending
 * order, within one snapshot; keep the range short. Spans are borrowed for the call. To
 * stop, fn sets err and returns -1. */
int ctx_store_messages(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, ctx_store_message_fn *fn, void *arg, struct ctx_err *err);

/* The members of struct ctx_stored that are numbers. */
struct ctx_stored_head {
	int64_t seq, turn, token_sum, token_count, tool_calls;
	int role, type; /* values of enum ctx_role and enum ctx_message_type */
};
typedef int ctx_store_head_fn(
    void *arg, const struct ctx_stored_head *e, struct ctx_err *err);
/* Calls fn for message number "last" and all earlier messages of the session, in
 * descending order. fn gets the members of struct ctx_stored_head, but no texts. fn
 * returns 1 to continue, 0 to stop, -1 with err set on error. */
int ctx_store_heads(struct ctx_store *st, const struct ctx_session *s, int64_t last,
    ctx_store_head_fn *fn, void *arg, struct ctx_err *err);

/* Sets *seqs to an array with the sequence numbers of the pinned messages, in ascending
 * order, and *n to the length of the array. first, last: range of sequence numbers to
 * which the result is restricted. The caller frees *seqs. */
int ctx_store_pins(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, int64_t **seqs, size_t *n, struct ctx_err *err);

/* A range of messages: the sequence numbers of the first and the last message. */
struct ctx_seq_range {
	int64_t first, last;
};
/* Reads the ranges of hidden messages, ascending and not overlapping. The caller frees
 * *ranges. */
int ctx_store_hidden(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_seq_range **ranges, size_t *n, struct ctx_err *err);

/* These functions search the n ranges that ctx_store_hidden returned. ctx_seq_range_from
 * returns the index of the first range that ends at or after message seq, or n if there
 * is no such range. ctx_seq_range_at returns the range that contains message seq, or NULL
 * if there is no such range. */
size_t ctx_seq_range_from(const struct ctx_seq_range *ranges, size_t n, int64_t seq);
const struct ctx_seq_range *ctx_seq_range_at(
    const struct ctx_seq_range *ranges, size_t n, int64_t seq);

/* seqs: n sequence numbers in ascending order. Returns true if seq is one of these
 * numbers. */
bool ctx_seq_among(const int64_t *seqs, size_t n, int64_t seq);

/* Hides the messages in n ranges. The ranges must be in ascending order, and their
 * messages must not be hidden yet. event: id of the event that records the hiding
 * (ctx_store_event_add). Updates s->hidden_count, which the caller stores with
 * ctx_store_session_count. Call inside a write transaction. */
int ctx_store_hide(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_seq_range *ranges, size_t n, int64_t event, struct ctx_err *err);

/* Finds the newest event that hides messages. If there is one, sets *event to the event's
 * id and *messages to the number of messages that the event hides, and returns 1. (Hidden
 * ranges that ctx_store_copy copied have the event id 0.) Returns 0 if no message is
 * hidden, -1 on error. */
int ctx_store_hidden_last(struct ctx_store *st, const struct ctx_session *s,
    int64_t *event, int64_t *messages, struct ctx_err *err);
/* Undoes a hiding: the messages that the event hides are visible again. event: the
 * event's id (ctx_store_hidden_last). Call inside a write transaction. */
int ctx_store_unhide(struct ctx_store *st, const struct ctx_session *s, int64_t event,
    struct ctx_err *err);

/* Copies the messages 1 to seq of session *from into session *to, with their pins, hidden
 * ranges and summaries. *to must be new and empty. Sets the counters in *to. Call inside
 * a write transaction. */
int ctx_store_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    struct ctx_session *to, struct ctx_err *err);

/* ---- requests and events ---- */

/* Stores a request record (JSON). for_seq: sequence number of the session's newest
 * message when the request was made; response_seq: sequence number of the message that
 * answers the request (0: no answer yet); created_at: time in ms since the epoch. A
 * stored request with the same id is replaced only if it has no answer. Call inside a
 * write transaction.
 *
 * Texts in the record that are not messages of the session are stored separately
 * (store/content.h), and are filled in again when the record is read. */
int ctx_store_request_put(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span request_id, int64_t for_seq, int64_t response_seq, int64_t created_at,
    struct ctx_span record, struct ctx_err *err);

/* Replaces the record of a request. id: the request's row id. Texts are stored as by
 * ctx_store_request_put. Call inside a write transaction. */
int ctx_store_request_replace(struct ctx_store *st, const struct ctx_session *s,
    int64_t id, struct ctx_span record, struct ctx_err *err);

/* Called for each request or event record. response_seq is 0 for an event and for a
 * request without an answer. Spans are borrowed for the call. Returns 0 to continue, 1 to
 * stop, -1 with err set on error. */
typedef int ctx_store_record_fn(
    void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err);

/* Adds an event record (JSON) and sets *id to the row id of the event. id may be NULL;
 * the function is then faster. Call inside a write transaction. */
int ctx_store_event_add(struct ctx_store *st, const struct ctx_session *s,
    int64_t created_at, struct ctx_span record, int64_t *id, struct ctx_err *err);

/* Sets *n to the number of the session's newest event; 0: the session has no events. This
 * number grows with each change to existing data (hiding, summaries, archiving), but not
 * when messages are appended. A program can compare two results to detect that another
 * process changed the session in between. */
int ctx_store_event_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err);

/* Calls fn for each request of the session, in order of creation. */
int ctx_store_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* Like ctx_store_requests, but passes the records as they are stored: without the texts
 * that are stored separately. If a request continues another request, its member
 * "messages" lists only the new messages. */
int ctx_store_requests_stored(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn for each answered request of the session, newest first. */
int ctx_store_answered(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);
/* Calls fn for each request without an answer among the session's newest eight requests,
 * newest first. Such a request has failed or is still waiting. */
int ctx_store_failed(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);
/* Looks at the session's newest eight requests. Appends the model (JSON string) of the
 * newest one that names a model; appends nothing if none of them does. If provider is not
 * NULL, ignores requests to other providers. */
int ctx_store_last_model(struct ctx_store *st, const struct ctx_session *s,
    const char *provider, struct ctx_buf *model, struct ctx_err *err);
/* Calls fn for each event of the session, in order of creation. */
int ctx_store_events(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_record_fn *fn, void *arg, struct ctx_err *err);

/* Copies requests of session *from into session *to, so that *to can continue these
 * requests. Copies only requests whose answers are among the messages 1 to seq. Call
 * inside a write transaction. */
int ctx_store_requests_copy(struct ctx_store *st, const struct ctx_session *from,
    int64_t seq, const struct ctx_session *to, struct ctx_err *err);

/* Finds a request by its id in all sessions of the tenant to which the store is
 * restricted. Returns 1 with *session filled in and *record set to the record, which the
 * caller frees; 0 if there is no such request; -1 on error. */
int ctx_store_request_find(struct ctx_store *st, const char *request_id,
    struct ctx_session *session, char **record, struct ctx_err *err);

/* Appends the title of a session. If the session has no title, appends the first 400
 * bytes of its first question. If the session was cleaned up after archiving, the
 * question is known only if the session's texts are stored for searches. Appends nothing
 * if neither a title nor a question is known. */
int ctx_store_title(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_buf *out, struct ctx_err *err);

#endif
