/* The Model Context Protocol for a server on standard input and output: reads messages of
 * the client, writes responses, and describes the tools. Pure: running a call is the
 * caller's job.
 *
 * Two generations of the protocol are spoken
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning): since
 * 2026-07-28 each request names its version in params._meta; the versions before that begin
 * with an initialize request. */
#ifndef CTX_MCP_MCP_H
#define CTX_MCP_MCP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Error codes of JSON-RPC 2.0 and of the protocol. */
enum {
	CTX_MCP_PARSE_ERROR = -32700,
	CTX_MCP_INVALID_REQUEST = -32600,
	CTX_MCP_METHOD_NOT_FOUND = -32601,
	CTX_MCP_INVALID_PARAMS = -32602,
	CTX_MCP_INTERNAL_ERROR = -32603,
	CTX_MCP_NO_RESOURCE = -32002, /* only in versions before 2026-07-28 */
	CTX_MCP_UNSUPPORTED_VERSION = -32022,
};

/* A connection. Zero-filled to start. */
struct ctx_mcp {
	bool write;           /* offer the tools that write */
	bool initialized;     /* a client of an older version sent initialize */
	const char *software; /* version of this program; borrowed */
};

/* What a message asks for. */
enum ctx_mcp_action {
	CTX_MCP_NOTHING,        /* nothing, or the reply is written */
	CTX_MCP_CANCEL,         /* end the call with this id, without a reply */
	CTX_MCP_TOOL,           /* call a tool */
	CTX_MCP_LIST_RESOURCES, /* list sessions from the cursor on */
	CTX_MCP_READ_RESOURCE,
};

/* A call to run. Spans borrow from the line and hold JSON; text is decoded in arguments
 * that the caller reads. */
struct ctx_mcp_call {
	enum ctx_mcp_action action;
	struct ctx_span id;        /* a string or an integer */
	bool modern;               /* version 2026-07-28 or later */
	struct ctx_span tool;      /* TOOL: the name, a JSON string */
	struct ctx_span arguments; /* TOOL: an object; absent: none */
	struct ctx_span uri;       /* READ_RESOURCE: a JSON string */
	struct ctx_span
	    cursor; /* LIST_RESOURCES: a JSON string; absent: from the start */
};

/* Takes one message of the client, a line without its newline. Appends the reply, if one is
 * due at once, as a line; fills in *call if there is something to do. */
void ctx_mcp_take(struct ctx_mcp *m, struct ctx_span line, struct ctx_buf *out,
    struct ctx_mcp_call *call);

/* ---- replies ---- each is one line. id is JSON; absent if the client's is not known */

void ctx_mcp_error(struct ctx_buf *out, struct ctx_span id, int code, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));

/* Open the result object of a response, add members, and close it. */
void ctx_mcp_result_open(
    struct ctx_buf *out, const struct ctx_mcp *m, struct ctx_span id, bool modern);
void ctx_mcp_result_close(struct ctx_buf *out);
/* Adds how long the client may keep the result, and whether others may see it. */
void ctx_mcp_result_cache(
    struct ctx_buf *out, const struct ctx_mcp_call *call, int64_t ms, bool public);

/* The result of a tool: a value (a JSON object), which goes out as structured content and as
 * text. text: the text instead of the value's; absent: the value. */
void ctx_mcp_tool_result(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, struct ctx_span value, struct ctx_span text);
/* The result of a tool that failed: a sentence for the model. */
void ctx_mcp_tool_error(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, const char *message);

/* ---- tools ---- described in tools.ndjson */

/* Appends the descriptions of the tools as an array. */
void ctx_mcp_tools(struct ctx_buf *out, const struct ctx_mcp *m);
/* Returns the description of the tool, absent if there is none of that name (a JSON
 * string). */
struct ctx_span ctx_mcp_tool(const struct ctx_mcp *m, struct ctx_span name);
/* Checks the arguments (absent: none) against the tool's inputSchema. Returns
 * CTX_EINPUT, with a message for the model, if they do not match. Only the parts of JSON
 * Schema that tools.ndjson uses are supported: type, enum, minimum, maximum, maxLength,
 * items, properties, required. Properties that the schema does not list are refused. */
int ctx_mcp_check_arguments(
    struct ctx_span tool, struct ctx_span arguments, struct ctx_err *err);

#endif
