/* The session record. One table of members serves printing, parsing and the store. */
#ifndef CTX_RECORD_SESSION_H
#define CTX_RECORD_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum ctx_status {
	CTX_STATUS_ACTIVE,
	CTX_STATUS_ARCHIVED,
	CTX_STATUS_DELETED,
};

/* Strings are owned, NULL if absent; *_json hold JSON text. Times are ms, CTX_TIME_NONE
 * if absent. */
struct ctx_session {
	int64_t no; /* number within the store; not part of the record */
	/* these neither */
	int64_t
	    order; /* grows with the order in which the store's sessions were created */
	/* sequence number of the message that began the current turn; 0: none */
	int64_t last_turn;
	int64_t summary; /* number of the summary in use; 0: none */
	bool has_pins;   /* false: no message is pinned */
	char *session_id;
	int64_t status; /* enum ctx_status */
	char *user_id, *caller_id, *account_id, *tenant_id, *agent, *title, *topic;
	int64_t created_at, updated_at, last_message_at;
	int64_t last_seq; /* sequence number of the newest message; 0: none yet */
	/* time to live after the last message; CTX_TIME_NONE: unlimited */
	int64_t ttl_ms;
	int64_t expires_at;
	int64_t message_count, tool_call_count, token_count;
	int64_t hidden_count; /* messages that pruning hides */
	char *preferences_json, *metadata_json;
	char *parent_session_id;
	/* the last message copied from the parent; CTX_TIME_NONE if not a fork */
	int64_t parent_seq;
	char *archive_json; /* {uri, sha256, bytes, messages} */
	char *hold;         /* reason why it must not be deleted */
};

void ctx_session_init(struct ctx_session *s);    /* all absent, counts 0 */
void ctx_session_release(struct ctx_session *s); /* and init */

/* Removes from a record what it may not set in a session created from it (ctx-record(5)):
 * status, counters and other values derived from messages, archive, hold. */
void ctx_session_forget_state(struct ctx_session *s);

const char *ctx_status_name(enum ctx_status status);
int ctx_status_parse(struct ctx_span name); /* -1 if unknown */

/* The members of the record, in order. */
enum ctx_field_type {
	CTX_FIELD_TEXT,  /* char * */
	CTX_FIELD_JSON,  /* char *, JSON */
	CTX_FIELD_COUNT, /* int64_t, always there */
	CTX_FIELD_INT,   /* int64_t, CTX_TIME_NONE if absent */
	CTX_FIELD_TIME,  /* int64_t ms */
	CTX_FIELD_STATUS,
};
struct ctx_field {
	const char *name; /* name in the record and in the store */
	enum ctx_field_type type;
	size_t offset; /* into struct ctx_session */
};
extern const struct ctx_field ctx_session_fields[];
extern const size_t ctx_session_field_count;

/* Append the record and a newline. */
void ctx_session_print(struct ctx_buf *b, const struct ctx_session *s);

/* Parses a valid JSON session record. Unknown members are ignored; CTX_EINPUT when a
 * member has the wrong type. */
int ctx_session_parse(struct ctx_session *s, struct ctx_span record, struct ctx_err *err);

/* Validates ids and agent with ctx_id_check (CTX_EINPUT), for a session to be created.
 * Absent ones and an empty tenant are valid. */
int ctx_session_check(const struct ctx_session *s, struct ctx_err *err);

/* True if both are the same session at different times: same id, tenant and creation
 * time. */
bool ctx_session_is_same(const struct ctx_session *a, const struct ctx_session *b);

#endif
