/* Private to lib/mcp. */
#ifndef CTX_MCP_INTERNAL_H
#define CTX_MCP_INTERNAL_H

#include "mcp/mcp.h"

/* How long a client may cache results that cannot change while the server runs, in ms. */
#define CTX_MCP_STATIC_MS 3600000

/* Begin and end an error response that has members besides code and message; the caller
 * adds these members in between. */
void ctx_mcp_error_open(
    struct ctx_buf *out, struct ctx_span id, int code, const char *message);
void ctx_mcp_error_close(struct ctx_buf *out);

/* Adds a member that describes this program: its name and version. */
void ctx_mcp_put_server(struct ctx_buf *out, const struct ctx_mcp *m, const char *key);

#endif
