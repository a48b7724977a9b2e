/* Private to lib/mcp. */
#ifndef CTX_MCP_INTERNAL_H
#define CTX_MCP_INTERNAL_H

#include "mcp/mcp.h"

/* What does not change while the server runs may be kept for so long. */
#define CTX_MCP_STATIC_MS 3600000

/* An error with members besides code and message: open it, add them, close it. */
void ctx_mcp_error_open(
    struct ctx_buf *out, struct ctx_span id, int code, const char *message);
void ctx_mcp_error_close(struct ctx_buf *out);

/* Adds a member that describes this program. */
void ctx_mcp_put_server(struct ctx_buf *out, const struct ctx_mcp *m, const char *key);

#endif
