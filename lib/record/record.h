/* Records are JSON objects, one per line (see ctx-record(5)). A message record consists
 * of the message itself and an envelope, the members around the message. These functions
 * determine the kind of a record, parse envelopes, and print message records. */
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
	/* a record of unknown kind, or an object that has no kind and is not a message */
	CTX_KIND_OTHER,
};

/* Maximum token count of one message. Sums of such counts fit into int64_t. */
#define CTX_RECORD_TOKENS_MAX INT32_MAX

/* Where a message is placed in a request: in the history (the conversation), before the
 * history (prefix), in place of the messages that a summary covers (summary), or with the
 * next user message (volatile). A message record without a slot belongs to the
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

/* A parsed record. Its spans borrow from the line. If the record lacks a member, the span
 * is absent, the number is -1, or the time is CTX_TIME_NONE. Strings are JSON strings
 * with their quotes. */
struct ctx_record {
	enum ctx_kind kind;
	/* true: the line is a message without an envelope; the message is then the whole
	 * line */
	bool bare;
	/* true: the object has no member "kind" and is not a bare message */
	bool kindless;
	bool spaced;          /* true: the line contains white space between tokens */
	struct ctx_span line; /* the object, without white space around it */
	/* position of the record in its window, or in a list of messages without a
	 * session record; counted from 1 */
	int64_t place;
	struct ctx_span session_id;
	/* The members below are set for messages only. */
	struct ctx_span message; /* the message itself, verbatim */
	struct ctx_span id, metadata, source, tokenizer;
	int64_t seq;         /* sequence number, counted from 1; -1 if absent */
	int64_t created_at;  /* ms since the epoch; CTX_TIME_NONE if absent */
	int64_t token_count; /* -1 if absent */
	int message_type;    /* enum ctx_message_type; -1 if absent */
	enum ctx_slot slot;
	int pinned; /* 0 or 1; -1 if absent */
	/* true: an earlier request of the run contained the message unchanged */
	bool sent;
};

/* Parses one line. Returns -1 with CTX_EINPUT if the line is not a JSON object that
 * conforms to RFC 8259, or if a member of the envelope has the wrong type. A member that
 * is null counts as absent. An object without a kind but with a role is a bare message.
 * The message inside the envelope is not checked. */
int ctx_record_parse(struct ctx_record *r, struct ctx_span line, struct ctx_err *err);

/* Returns -1 with CTX_EINPUT if the record is a provider's request body, otherwise 0.
 * Filters that copy unknown objects to their output call this function first: if a filter
 * copied a body unchanged, the user would think that the filter had processed it. */
int ctx_record_refuse_body(const struct ctx_record *r, struct ctx_err *err);

/* Returns the id (decoded) of a stored message record if the user chose this id. Returns
 * an absent span if the record has no id, or if the id is SESSION/SEQ, which
 * ctx_envelope_print generates. The result is borrowed from the record or from *tmp. */
struct ctx_span ctx_record_given_id(
    const struct ctx_record *r, const char *session_id, struct ctx_buf *tmp);

/* Appends the record with a new message. token_count: the new token count; -1: the old
 * one stays. A record without a token count does not get one. All other bytes are
 * unchanged. If the record is a bare message, appends only the new message. */
void ctx_record_replace(struct ctx_buf *b, const struct ctx_record *r,
    struct ctx_span message, int64_t token_count);

/* Collects the names of the tools that were used for a message, according to the members
 * "tools_used" and "mcp_tools_used" of the message's metadata. (Imported question-answer
 * pairs have these members.) Stores at most max names, which are JSON strings borrowed
 * from the metadata. Returns the number of names found, which may be greater than max. */
size_t ctx_record_tools_used(
    struct ctx_span metadata, struct ctx_span names[], size_t max);

const char *ctx_kind_name(enum ctx_kind kind);
const char *ctx_slot_name(enum ctx_slot slot); /* NULL for the history */
const char *ctx_message_type_name(enum ctx_message_type type);

/* The members of a message record, for printing. A member is omitted if it is a NULL
 * string, an absent span, or a negative seq or token_count. */
struct ctx_envelope {
	const char *session_id;
	int64_t seq;
	/* id of the record, decoded; absent: the id SESSION/SEQ is printed, provided that
	 * the session id and the sequence number are known */
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

/* Appends the beginning of an event record: the session, the current time (now, in ms
 * since the epoch) and the event's name, such as "summarize". The caller adds further
 * members and closes the object. */
void ctx_event_open(
    struct ctx_buf *b, const char *session_id, int64_t now, const char *event);

#endif
