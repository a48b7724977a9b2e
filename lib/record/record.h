/* Records: one JSON object per line (ctx-record(5)). This layer tells the kinds apart,
 * reads the envelope of a message, and prints envelopes. */
#ifndef CTX_RECORD_RECORD_H
#define CTX_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum ctx_kind {
	CTX_KIND_MESSAGE,
	CTX_KIND_SESSION,
	CTX_KIND_REQUEST,
	CTX_KIND_ENTITY,
	CTX_KIND_ITEM,
	CTX_KIND_EVENT,
	CTX_KIND_ARCHIVE,
	CTX_KIND_DIAGNOSTIC,
	CTX_KIND_DELETION,
	CTX_KIND_OTHER, /* a kind that this version does not know, or another object */
};

/* most tokens of one message; sums fit into int64_t */
#define CTX_RECORD_TOKENS_MAX INT32_MAX

/* Position of a message in a request; a record without a slot is history. */
enum ctx_slot {
	CTX_SLOT_HISTORY,
	CTX_SLOT_PREFIX,
	CTX_SLOT_SUMMARY,
	CTX_SLOT_VOLATILE,
};

enum ctx_message_type {
	CTX_TYPE_QUERY,
	CTX_TYPE_RESPONSE,
	CTX_TYPE_TOOL_RESULT,
	CTX_TYPE_ERROR,
	CTX_TYPE_NOTE,
	CTX_TYPE_SUMMARY,
};

/* A parsed record. Spans borrow from the line; absent members are absent spans, -1, or
 * CTX_TIME_NONE. Strings are JSON strings with quotes. */
struct ctx_record {
	enum ctx_kind kind;
	bool bare;            /* a message without envelope: line == message */
	bool kindless;        /* an object without a kind that is not a bare message */
	bool spaced;          /* the line has white space between tokens */
	struct ctx_span line; /* the object without surrounding white space */
	int64_t place;        /* position within its window or list, from 1 */
	struct ctx_span session_id;
	/* of messages only: */
	struct ctx_span message; /* the verbatim message */
	struct ctx_span id, metadata, source, tokenizer;
	int64_t seq;         /* 1… ; -1 absent */
	int64_t created_at;  /* ms; CTX_TIME_NONE absent */
	int64_t token_count; /* -1 absent */
	int message_type;    /* enum ctx_message_type; -1 absent */
	enum ctx_slot slot;
	int pinned; /* -1 if absent, else 0 or 1 */
	bool sent;  /* an earlier request of the run sent it unchanged */
};

/* Parses one line: strict JSON, an object, envelope members of the right type; null
 * counts as absent. An object without kind but with a role is a bare message. Does not
 * look inside the message. */
int ctx_record_parse(struct ctx_record *r, struct ctx_span line, struct ctx_err *err);

/* Refuses a request body, with CTX_EINPUT. A filter that passed it on like other objects
 * would seem to have worked on it. */
int ctx_record_refuse_body(const struct ctx_record *r, struct ctx_err *err);

/* Returns the id that was given to the message of a stored record, decoded: borrowed from the
 * record or from *tmp. Absent if there is none, or only the one that ctx_envelope_print makes
 * of session_id and the sequence number. */
struct ctx_span ctx_record_given_id(
    const struct ctx_record *r, const char *session_id, struct ctx_buf *tmp);

/* Appends the record with another message and token count (-1: none); all other bytes are
 * unchanged. */
void ctx_record_replace(struct ctx_buf *b, const struct ctx_record *r,
    struct ctx_span message, int64_t token_count);

/* Finds the names of the tools that a message's metadata lists as used (tools_used and
 * mcp_tools_used, as qa imports have them). Stores up to max names, JSON strings that borrow
 * from metadata. Returns how many there are. */
size_t ctx_record_tools_used(
    struct ctx_span metadata, struct ctx_span names[], size_t max);

const char *ctx_kind_name(enum ctx_kind kind);
const char *ctx_slot_name(enum ctx_slot slot); /* NULL for history */
const char *ctx_message_type_name(enum ctx_message_type type);

/* An envelope to print. Absent strings and spans, and negative seq and token_count, are
 * left out. */
struct ctx_envelope {
	const char *session_id;
	int64_t seq;
	/* the record id, decoded; if absent, SESSION/SEQ is printed if both are known */
	struct ctx_span id;
	int64_t created_at;
	int64_t token_count;
	const char *tokenizer;
	int message_type; /* -1: left out */
	bool pinned;
	bool sent;
	const char *slot;
	struct ctx_span source;   /* JSON */
	struct ctx_span metadata; /* JSON */
	struct ctx_span message;  /* JSON */
};

/* Appends the record and a newline. */
void ctx_envelope_print(struct ctx_buf *b, const struct ctx_envelope *e);

/* Begins the record of an event of a session at now (ms), such as "summarize"; the caller
 * adds members and closes the object. */
void ctx_event_open(
    struct ctx_buf *b, const char *session_id, int64_t now, const char *event);

#endif
