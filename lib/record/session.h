/* The session record. Printing, parsing and the store use the same table of members. */
#ifndef CTX_RECORD_SESSION_H
#define CTX_RECORD_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/time.h"

enum ctx_status {
	CTX_STATUS_ACTIVE,
	CTX_STATUS_ARCHIVED,
	CTX_STATUS_DELETED,
};

/* A session. Strings are owned, and NULL if absent; members named *_json contain JSON.
 * Times are in ms since the epoch, CTX_TIME_NONE if absent. */
struct ctx_session {
	int64_t no; /* number within the store; not part of the record */
	/* position of the session in the order of creation within the store; not part of
	 * the record */
	int64_t order;
	/* sequence number of the message that started the current turn; 0: no turn; not
	 * part of the record */
	int64_t last_turn;
	/* number (in the store) of the summary in use; 0: no summary; not part of the
	 * record */
	int64_t summary;
	/* false: no message is pinned; true: some messages may be pinned; not part of the
	 * record */
	bool has_pins;
	char *session_id;
	int64_t status; /* enum ctx_status */
	char *user_id, *caller_id, *account_id, *tenant_id, *agent, *title, *topic;
	int64_t created_at, updated_at, last_message_at;
	/* sequence number of the newest message; 0 if there are no messages */
	int64_t last_seq;
	/* time to live after the last message, in ms; CTX_TIME_NONE: unlimited */
	int64_t ttl_ms;
	int64_t expires_at;
	int64_t message_count, tool_call_count, token_count;
	int64_t hidden_count; /* number of messages that pruning hides */
	char *preferences_json, *metadata_json;
	char *parent_session_id;
	/* sequence number of the last message copied from the parent session;
	 * CTX_TIME_NONE (used here for "absent") if the session is not a fork */
	int64_t parent_seq;
	char *archive_json; /* {uri, sha256, bytes, messages} */
	/* reason why the session must not be deleted; NULL if the session may be
	 * deleted */
	char *hold;
};

/* all members absent, counts 0 */
#define CTX_SESSION_INIT                                                   \
	{                                                                  \
		.created_at = CTX_TIME_NONE, .updated_at = CTX_TIME_NONE,  \
		.last_message_at = CTX_TIME_NONE, .ttl_ms = CTX_TIME_NONE, \
		.expires_at = CTX_TIME_NONE, .parent_seq = CTX_TIME_NONE   \
	}
void ctx_session_init(struct ctx_session *s); /* sets *s to CTX_SESSION_INIT */
/* Releases the members, and makes *s empty, as CTX_SESSION_INIT does. */
void ctx_session_release(struct ctx_session *s);

/* Call when a session record is used to create a new session. Resets the members that the
 * new session does not take from this record (see ctx-record(5)): the status, the
 * archive, the hold, and the values derived from the messages. */
void ctx_session_forget_state(struct ctx_session *s);

const char *ctx_status_name(enum ctx_status status);
int ctx_status_parse(struct ctx_span name); /* Returns -1 if the name is unknown. */

/* The type of a member of the session record, and of the member of struct ctx_session
 * that has its value. */
enum ctx_field_type {
	CTX_FIELD_TEXT,  /* char * */
	CTX_FIELD_JSON,  /* char *, JSON */
	CTX_FIELD_COUNT, /* int64_t, never absent */
	/* int64_t; if absent, CTX_TIME_NONE (also for numbers that are not times) */
	CTX_FIELD_INT,
	CTX_FIELD_TIME, /* int64_t, ms since the epoch */
	CTX_FIELD_STATUS,
};
struct ctx_field {
	/* name of the member in the session record; also the name of the column in the
	 * store */
	const char *name;
	enum ctx_field_type type;
	size_t offset; /* offset in struct ctx_session */
};
extern const struct ctx_field ctx_session_fields[];
extern const size_t ctx_session_field_count;

/* Appends the session record and a newline. */
void ctx_session_print(struct ctx_buf *b, const struct ctx_session *s);

/* Fills *s from a session record, which must be valid JSON. Unknown members are ignored.
 * Returns -1 with CTX_EINPUT if a member has the wrong type. */
int ctx_session_parse(struct ctx_session *s, struct ctx_span record, struct ctx_err *err);

/* Checks the ids and the agent's name of a new session with ctx_id_check. Absent ids and
 * an empty tenant id are valid. Returns -1 with CTX_EINPUT if an id or the name is
 * invalid. */
int ctx_session_check(const struct ctx_session *s, struct ctx_err *err);

/* Returns true if *a and *b are copies of the same session, perhaps read at different
 * times. Compares the ids, tenants and creation times. */
bool ctx_session_is_same(const struct ctx_session *a, const struct ctx_session *b);

#endif
