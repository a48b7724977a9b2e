/* Calls of OpenAI's built-in tools that the client runs itself. In the Responses API the
 * call and its output are items with types of their own. (API reference, "Create a
 * response", input items) */
#ifndef CTX_RECORD_CLIENT_ITEM_H
#define CTX_RECORD_CLIENT_ITEM_H

#include <stdbool.h>

#include "base/buf.h"

struct ctx_client_item {
	const char *call, *output; /* "type" of the call item and of the output item */
	const char *name;          /* name of the tool for other providers, JSON string */
	const char *arguments; /* name of the call's member that holds the arguments */
	const char *id; /* name of the output's member that holds the id of the call */
};

/* Returns the row whose call item has this type (a JSON string) or, if output is true,
 * whose output item has it. Returns NULL if there is no such row. */
const struct ctx_client_item *ctx_client_item_find(struct ctx_span type, bool output);

#endif
