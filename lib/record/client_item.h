/* A table of OpenAI's built-in tools that the client runs itself. In the Responses API, a
 * call of such a tool and the output of the call are items whose types depend on the
 * tool. (API reference, "Create a response", input items) */
#ifndef CTX_RECORD_CLIENT_ITEM_H
#define CTX_RECORD_CLIENT_ITEM_H

#include <stdbool.h>

#include "base/buf.h"

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

/* Finds a tool by the type (a JSON string) of its call item or, if output is true, of
 * its output item. Returns NULL if the type is not in the table. */
const struct ctx_client_item *ctx_client_item_find(struct ctx_span type, bool output);

/* Return true if the block is the call (or the result) of a tool that Anthropic's API ran
 * itself. */
bool ctx_server_item_is_call(struct ctx_span block);
bool ctx_server_item_is_result(struct ctx_span block);

#endif
