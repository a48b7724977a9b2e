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
	/* true: the server accepts a single system message, which must be the first
	 * message, and refuses the role "developer" */
	bool one_system;
	/* true: the server refuses unknown members, and messages whose content is null */
	bool strict;
	/* true: the server refuses a request in which only some of the answers have
	 * reasoning_content */
	bool reasoning;
	/* true: the server also has Ollama's own API, in which arguments are JSON
	 * objects and images are plain base64 */
	bool native;
};

/* Returns the server with this name, or NULL if name is NULL or unknown. */
const struct ctx_server *ctx_server_find(const char *name);

/* Appends the names of all servers, separated by ", ". */
struct ctx_buf;
void ctx_server_names(struct ctx_buf *out);

#endif
