/* Calls of OpenAI's built-in tools that the client runs. They are items of Responses with a
 * type of their own, and so are their outputs. (API reference, "Create a response", input
 * items) */
#ifndef CTX_RECORD_CLIENT_ITEM_H
#define CTX_RECORD_CLIENT_ITEM_H

#include <stdbool.h>

#include "base/buf.h"

struct ctx_client_item {
	const char *call, *output; /* types of the two items */
	const char *name;          /* JSON string: the tool, for other providers */
	const char *arguments;     /* member of the call that holds its arguments */
	const char *id;            /* member of the output that names the call */
};

/* Finds the kind of call whose call, or with output its output, is an item of this type
 * (JSON string). NULL if there is none. */
const struct ctx_client_item *ctx_client_item_find(struct ctx_span type, bool output);

#endif
