/* The calls of the model that wait for their results. */
#ifndef CTX_RECORD_CALLS_H
#define CTX_RECORD_CALLS_H

#include <stdint.h>

#include "base/arena.h"
#include "record/message.h"

/* Spans live until the list is released. */
struct ctx_call {
	int64_t seq;               /* of its message; -1 unknown */
	struct ctx_span id;        /* JSON string, as its message spells it */
	struct ctx_span key;       /* the id as ids are compared (ctx_message_call_id) */
	struct ctx_span name;      /* JSON string */
	struct ctx_span arguments; /* JSON on one line; a string for free text */
	bool openai;               /* its message has OpenAI's shape */
};

struct ctx_calls {
	struct ctx_call *v; /* in order of appearance */
	size_t n, cap;
	struct ctx_arena arena;
	bool answering; /* the last message was an assistant's */
};

#define CTX_CALLS_INIT                            \
	{                                         \
		NULL, 0, 0, CTX_ARENA_INIT, false \
	}

void ctx_calls_release(struct ctx_calls *c); /* and init */

/* Take the next message of the conversation, seq -1 if it has none. Calls wait from the answer
 * that makes them, which may be several assistant messages in a row, until their results come,
 * or another answer or question. Calls without an id can have no result and are left out. The
 * message is copied as far as it is needed. */
void ctx_calls_add(struct ctx_calls *c, const struct ctx_message *m, int64_t seq);

/* Returns the waiting call with this id (plain text), or NULL if no such call waits. */
const struct ctx_call *ctx_calls_find(const struct ctx_calls *c, struct ctx_span id);

#endif
