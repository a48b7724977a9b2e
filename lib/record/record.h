/* Records are JSON objects, one per line (see ctx-record(5)). These functions determine
 * the kind of a record, parse the envelope of a message, and print envelopes. */
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
	/* an unknown kind, or an object without a kind that is not a message */
	CTX_KIND_OTHER,
};

/* Upper limit for the tokens of one message. Sums of such numbers fit into int64_t. */
#define CTX_RECORD_TOKENS_MAX INT32_MAX

/* Where a message belongs in a request. A record without a slot belongs to the
 * history. */
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

/* A parsed record. Its spans borrow from the line. A missing member is an absent span, -1
 * or CTX_TIME_NONE. Strings are JSON strings with their quotes. */
struct ctx_record {
	enum ctx_kind kind;
	bool bare;     /* a message without an envelope; message is the whole line */
	bool kindless; /* an object that has no kind and is not a bare message */
	bool spaced;   /* the line contains white space between tokens */
	struct ctx_span line; /* the object, without white space around it */
	int64_t place;        /* position in its window or list, counted from 1 */
	struct ctx_span session_id;
	/* The members below are set for messages only. */
	struct ctx_span message; /* the message itself, verbatim */
	struct ctx_span id, metadata, source, tokenizer;
	int64_t seq;         /* from 1; -1 if absent */
	int64_t created_at;  /* ms since the epoch; CTX_TIME_NONE if absent */
	int64_t token_count; /* -1 if absent */
	int message_type;    /* enum ctx_message_type; -1 if absent */
	enum ctx_slot slot;
	int pinned; /* 0 or 1; -1 if absent */
	bool sent;  /* an earlier request of the run contained the message unchanged */
};

/* Parses one line. Returns -1 with CTX_EINPUT unless it is strict JSON, an object, and
 * the members of the envelope have the right types; null counts as absent. An object
 * without a kind but with a role is a bare message. The message inside is not
 * examined. */
int ctx_record_parse(struct ctx_record *r, struct ctx_span line, struct ctx_err *err);

/* Returns -1 with CTX_EINPUT if the record is a provider's request body, otherwise 0. A
 * filter that copied such a body to its output like any unknown object would seem to have
 * processed it. */
int ctx_record_refuse_body(const struct ctx_record *r, struct ctx_err *err);

/* Returns the id that a user gave to the message of a stored record, decoded. It is
 * borrowed from the record or from *tmp. Absent if the record has no id, or only the id
 * that ctx_envelope_print generates from session_id and sequence number. */
struct ctx_span ctx_record_given_id(
    const struct ctx_record *r, const char *session_id, struct ctx_buf *tmp);

/* Appends the record with its message replaced, and with its token_count replaced unless
 * token_count is -1. All other bytes are unchanged. A bare record becomes the new
 * message. */
void ctx_record_replace(struct ctx_buf *b, const struct ctx_record *r,
    struct ctx_span message, int64_t token_count);

/* Collects the names of tools that the metadata of a message lists as used, in the
 * members tools_used and mcp_tools_used (imports of question-answer pairs have them).
 * Stores at most max names, which are JSON strings borrowed from metadata. Returns the
 * number of names found, which may be greater than max. */
size_t ctx_record_tools_used(
    struct ctx_span metadata, struct ctx_span names[], size_t max);

const char *ctx_kind_name(enum ctx_kind kind);
const char *ctx_slot_name(enum ctx_slot slot); /* Returns NULL for history. */
const char *ctx_message_type_name(enum ctx_message_type type);

/* The envelope of a message, for printing. Absent strings and spans, and a negative seq
 * or token_count, are omitted. */
struct ctx_envelope {
	const char *session_id;
	int64_t seq;
	/* id of the record, decoded. If it is absent, "SESSION/SEQ" is printed, provided
	 * that both are known. */
	struct ctx_span id;
	int64_t created_at;
	int64_t token_count;
	const char *tokenizer;
	int message_type; /* -1: omitted */
	bool pinned;
	bool sent;
	const char *slot;
	struct ctx_span source;   /* JSON */
	struct ctx_span metadata; /* JSON */
	struct ctx_span message;  /* JSON */
};

/* Appends the message record and a newline. */
void ctx_envelope_print(struct ctx_buf *b, const struct ctx_envelope *e);

/* Appends the beginning of an event record: the session, the time now (ms since the
 * epoch) and the event's name, such as "summarize". The caller adds further members and
 * closes the object. */
void ctx_event_open(
    struct ctx_buf *b, const char *session_id, int64_t now, const char *event);

#endif
