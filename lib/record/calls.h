/* Finds the tool calls of the model that wait for their results. */
#ifndef CTX_RECORD_CALLS_H
#define CTX_RECORD_CALLS_H

#include <stdint.h>

#include "base/arena.h"
#include "record/message.h"

/* Spans live until the list is released. */
struct ctx_call {
	int64_t seq;        /* sequence number of its message; -1 if unknown */
	struct ctx_span id; /* JSON string, as spelt in its message */
	/* the id in the form used for comparison (ctx_message_call_id) */
	struct ctx_span key;
	struct ctx_span name; /* JSON string */
	/* JSON on one line; a string if the input is free text */
	struct ctx_span arguments;
	bool openai; /* its message has OpenAI's shape */
	bool async;  /* it goes on waiting after other turns */
};

struct ctx_calls {
	struct ctx_call *v; /* in order of appearance */
	size_t n, cap;
	struct ctx_arena arena;
	bool answering; /* the last message was the assistant's */
};

#define CTX_CALLS_INIT                            \
	{                                         \
		NULL, 0, 0, CTX_ARENA_INIT, false \
	}

void ctx_calls_release(struct ctx_calls *c); /* and init */

/* Adds the next message of the conversation; seq is -1 if it has none. Calls wait from
 * the answer that makes them, which may be several assistant messages in a row, until
 * their results, another answer or another question follow, async calls until their results
 * come. Calls without an id cannot
 * get a result and are ignored. Copies what it needs of the message. */
void ctx_calls_add(struct ctx_calls *c, const struct ctx_message *m, int64_t seq);

/* Returns the waiting call with this id (plain text), or NULL if no such call waits. */
const struct ctx_call *ctx_calls_find(const struct ctx_calls *c, struct ctx_span id);

#endif
