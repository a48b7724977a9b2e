/* Records: one JSON object a line (ctx-record(5)). This layer tells their kinds apart,
 * reads the envelope of a message and prints envelopes. */
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
	CTX_KIND_OTHER, /* a kind, or an object, that this version does not know */
};

#define CTX_RECORD_TOKENS_MAX INT32_MAX /* that one message costs; sums fit int64_t */

/* Where a message stands in a request; history when a record has no slot. */
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

/* A record as parsed. Spans borrow from the line; absent members are absent spans, -1,
 * or CTX_TIME_NONE. Strings are JSON strings, with their quotes. */
struct ctx_record {
	enum ctx_kind kind;
	bool bare;            /* a message without envelope: line == message */
	bool kindless;        /* an object without a kind that is no bare message */
	bool spaced;          /* white space stands between tokens of the line */
	struct ctx_span line; /* the object, without white space around it */
	int64_t place;        /* of the record in its window or list, from 1 */
	struct ctx_span session_id;
	/* of messages only: */
	struct ctx_span message; /* the verbatim message */
	struct ctx_span id, metadata, source, tokenizer;
	int64_t seq;         /* 1… ; -1 absent */
	int64_t created_at;  /* ms; CTX_TIME_NONE absent */
	int64_t token_count; /* -1 absent */
	int message_type;    /* enum ctx_message_type; -1 absent */
	enum ctx_slot slot;
	int pinned; /* -1 absent, else 0 or 1 */
	bool sent;  /* an earlier request of the run held it, as it is here */
};

/* Parse one line: strict JSON, an object, envelope members of the right type; a member that
 * is null is absent. An object without kind but with a role is a bare message. Does not look inside the message. */
int ctx_record_parse(struct ctx_record *r, struct ctx_span line, struct ctx_err *err);

/* Append the record with another message and token count (-1: none) in its place; every
 * other byte stays. */
void ctx_record_replace(struct ctx_buf *b, const struct ctx_record *r,
    struct ctx_span message, int64_t token_count);

/* The tools that a message's metadata says were used for it, as those of imported turns do whose
 * calls are not known: tools_used and mcp_tools_used, lists of names or of objects with a name.
 * Puts up to max names (JSON strings) into names and returns how many there are. */
size_t ctx_record_tools_used(struct ctx_span metadata, struct ctx_span names[], size_t max);

const char *ctx_kind_name(enum ctx_kind kind);
const char *ctx_slot_name(enum ctx_slot slot); /* NULL for history */
const char *ctx_message_type_name(enum ctx_message_type type);
int ctx_message_type_parse(struct ctx_span json); /* -1 when it is none */

/* The envelope to print. Strings are plain C strings or JSON spans as named; absent
 * ones are left out, as are seq and token_count below 0. */
struct ctx_envelope {
	const char *session_id;
	int64_t seq;
	struct ctx_span id; /* plain text; absent: SESSION/SEQ where both are known */
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

/* Append the record and a newline. */
void ctx_envelope_print(struct ctx_buf *b, const struct ctx_envelope *e);

#endif
