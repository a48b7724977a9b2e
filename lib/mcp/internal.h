/* Private to lib/mcp. */
#ifndef CTX_MCP_INTERNAL_H
#define CTX_MCP_INTERNAL_H

#include "mcp/mcp.h"

/* How long (in ms) a client may cache a result that cannot change while the server
 * runs. */
#define CTX_MCP_STATIC_MS 3600000

/* Begins an error response, which ctx_mcp_close ends. The error object already has
 * "code" and "message"; the caller can append further members to it before
 * ctx_mcp_close. */
void ctx_mcp_error_open(
    struct ctx_buf *out, struct ctx_span id, int code, const char *message);

/* Appends a member with this key, whose value is an object with the name, title and
 * version of this program. */
void ctx_mcp_put_server(struct ctx_buf *out, const struct ctx_mcp *m, const char *key);

#endif
