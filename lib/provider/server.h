/* Servers that are compatible with a provider's API, and how they differ from that
 * provider. To add a server, add a row in server.c. */
#ifndef CTX_PROVIDER_SERVER_H
#define CTX_PROVIDER_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "provider/provider.h"

struct ctx_server {
	const char *name;
	enum ctx_provider provider; /* the provider whose API the server implements */
	/* true: ids of tool calls must consist of nine letters and digits */
	bool nine_ids;
	/* true: the server accepts only one system message, as the first message, and no
	 * role "developer" */
	bool one_system;
	/* true: the server refuses unknown members, and messages whose content is null */
	bool strict;
	/* true: if any answer has reasoning_content, all answers must have it */
	bool reasoning;
	/* true: the server has Ollama's own API, in which arguments are JSON objects and
	 * images are plain base64 */
	bool native;
};

/* Returns the server with this name, or NULL if name is NULL or unknown. */
const struct ctx_server *ctx_server_find(const char *name);

/* Appends the names of all servers, separated by ", ". */
struct ctx_buf;
void ctx_server_names(struct ctx_buf *out);

#endif
