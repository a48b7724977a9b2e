/* Servers that are compatible with a provider's API, and what each of them refuses. A new
 * one is a row in server.c. */
#ifndef CTX_PROVIDER_SERVER_H
#define CTX_PROVIDER_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "provider/provider.h"

struct ctx_server {
	const char *name;
	enum ctx_provider provider; /* whose API it speaks */
	bool nine_ids;              /* ids of calls are nine letters and digits */
	bool one_system;            /* one system message, the first; no role developer */
	bool strict;    /* refuses members that it does not know, and null contents */
	bool reasoning; /* wants reasoning_content back on every answer, if on any */
	bool native;    /* Ollama's own API: arguments are objects, images bare base64 */
};

/* The server with the name, or NULL. */
const struct ctx_server *ctx_server_find(const char *name);

/* Appends the names, with ", " between them. */
struct ctx_buf;
void ctx_server_names(struct ctx_buf *out);

#endif
