/* Lists the tool calls of a conversation whose results are still missing. */
#ifndef CTX_RECORD_CALLS_H
#define CTX_RECORD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "record/message.h"

/* A tool call without a result. Its spans are valid until the list is released. */
struct ctx_call {
	int64_t seq; /* sequence number of the message with the call; -1 if unknown */
	struct ctx_span id; /* id of the call: a JSON string, spelled as in the message */
	/* the id, a JSON string that can be compared byte by byte (see
	 * ctx_message_call_id) */
	struct ctx_span key;
	struct ctx_span name; /* name of the tool, JSON string */
	/* arguments of the call as JSON on one line; a JSON string if they are free
	 * text */
	struct ctx_span arguments;
	bool openai; /* true: the message that contains the call has OpenAI's format */
	bool async;  /* true: the result may come after later turns */
};

struct ctx_calls {
	struct ctx_call *v; /* the waiting calls, in the order of the conversation */
	size_t n, cap;
	struct ctx_arena arena;
	bool answering; /* true: the last added message was an assistant message */
};

#define CTX_CALLS_INIT                            \
	{                                         \
		NULL, 0, 0, CTX_ARENA_INIT, false \
	}

/* Releases the list. Afterwards, *c is an empty list and can be used again. */
void ctx_calls_release(struct ctx_calls *c);

/* Adds the next message of the conversation. seq: the message's sequence number; -1:
 * unknown. Each call of the model waits until its result is added. A call that is not
 * async also stops waiting when the model's next answer or the user's next question is
 * added. An answer may consist of several consecutive assistant messages. A call without
 * an id cannot get a result and is ignored. *m is not used after this function
 * returns. */
void ctx_calls_add(struct ctx_calls *c, const struct ctx_message *m, int64_t seq);

/* Returns the newest waiting call with this id, or NULL if there is no such call. id: the
 * decoded text of the id, not JSON. */
const struct ctx_call *ctx_calls_find(const struct ctx_calls *c, struct ctx_span id);

/* A table of OpenAI's built-in tools that the client runs itself. In the Responses API,
 * a call of such a tool and the output of the call are items whose types depend on the
 * tool. (API reference, "Create a response", input items) */

struct ctx_client_item {
	/* call: the value of "type" in an item that is a call of the tool; output: the
	 * value of "type" in an item that is the output of the call */
	const char *call, *output;
	/* name that the tool gets in requests to other providers, a JSON string */
	const char *name;
	/* name of the call item's member that holds the arguments */
	const char *arguments;
	/* name of the output item's member that holds the id of the call */
	const char *id;
};

/* Finds a tool by the type of its items. type: a JSON string, the type of the tool's call
 * item or, if the argument "output" is true, of the tool's output item. Returns NULL if
 * the type is not in the table. */
const struct ctx_client_item *ctx_client_item_find(struct ctx_span type, bool output);

/* Return true if the block is the call (or the result) of a tool that Anthropic's API ran
 * itself. */
bool ctx_server_item_is_call(struct ctx_span block);
bool ctx_server_item_is_result(struct ctx_span block);

#endif
