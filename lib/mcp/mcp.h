/* The Model Context Protocol, for a server on stdin and stdout: parses the client's
 * messages, writes responses and describes the tools. Pure: the caller runs the calls.
 *
 * Supports two generations of the protocol
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning). Since
 * 2026-07-28 each request names its version in params._meta; with older versions the
 * client first sends an initialize request. */
#ifndef CTX_MCP_MCP_H
#define CTX_MCP_MCP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Error codes of JSON-RPC 2.0 and of MCP. */
enum {
	CTX_MCP_PARSE_ERROR = -32700,
	CTX_MCP_INVALID_REQUEST = -32600,
	CTX_MCP_METHOD_NOT_FOUND = -32601,
	CTX_MCP_INVALID_PARAMS = -32602,
	CTX_MCP_INTERNAL_ERROR = -32603,
	CTX_MCP_NO_RESOURCE = -32002, /* only in versions before 2026-07-28 */
	CTX_MCP_UNSUPPORTED_VERSION = -32022,
};

/* The state of a connection. Initialize with zeros. */
struct ctx_mcp {
	bool write;           /* offer the tools that write to the store */
	bool initialized;     /* an older client has sent initialize */
	const char *software; /* version of this program; borrowed */
};

/* The action that a message requires of the caller. */
enum ctx_mcp_action {
	CTX_MCP_NOTHING,        /* no action; a reply, if any, is already written */
	CTX_MCP_CANCEL,         /* cancel the call with this id; no reply is sent */
	CTX_MCP_TOOL,           /* call a tool */
	CTX_MCP_LIST_RESOURCES, /* list sessions, beginning at the cursor */
	CTX_MCP_READ_RESOURCE,
};

/* A call for the caller to run. Spans are JSON and borrow from the line. */
struct ctx_mcp_call {
	enum ctx_mcp_action action;
	struct ctx_span id;   /* a JSON string or integer */
	bool modern;          /* version 2026-07-28 or later */
	struct ctx_span tool; /* TOOL: the tool's name, a JSON string */
	/* TOOL: a JSON object; absent if the call has no arguments */
	struct ctx_span arguments;
	struct ctx_span uri; /* READ_RESOURCE: a JSON string */
	/* LIST_RESOURCES: a JSON string; absent: from the beginning */
	struct ctx_span cursor;
};

/* Processes one message of the client, a line without its newline. If the reply is known
 * at once, appends it to out as a line; otherwise *call describes what the caller must
 * do. */
void ctx_mcp_take(struct ctx_mcp *m, struct ctx_span line, struct ctx_buf *out,
    struct ctx_mcp_call *call);

/* ---- replies ---- Each function appends one line. id is JSON; absent if the client's id
 * is not known. */

void ctx_mcp_error(struct ctx_buf *out, struct ctx_span id, int code, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));

/* Begin and end the result object of a response; the caller adds members in between. */
void ctx_mcp_result_open(
    struct ctx_buf *out, const struct ctx_mcp *m, struct ctx_span id, bool modern);
void ctx_mcp_result_close(struct ctx_buf *out);
/* Adds how long (ms) the client may cache the result, and whether the cache may be shared
 * with others. */
void ctx_mcp_result_cache(
    struct ctx_buf *out, const struct ctx_mcp_call *call, int64_t ms, bool public);

/* Appends the result of a tool call. value, a JSON object, is sent as structured content
 * and also as text; if text is present, it is sent as the text instead. */
void ctx_mcp_tool_result(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, struct ctx_span value, struct ctx_span text);
/* Appends the result of a failed tool call. message is a sentence for the model to
 * read. */
void ctx_mcp_tool_error(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, const char *message);

/* ---- tools ---- The descriptions come from tools.ndjson. */

/* Appends the descriptions of the offered tools as a JSON array. */
void ctx_mcp_tools(struct ctx_buf *out, const struct ctx_mcp *m);
/* Returns the description of the tool with this name (a JSON string), or an absent span
 * if no such tool is offered. */
struct ctx_span ctx_mcp_tool(const struct ctx_mcp *m, struct ctx_span name);
/* Checks the arguments (absent: none) against the tool's inputSchema. If they do not
 * match, fails with CTX_EINPUT and a message for the model. Supports only the parts of
 * JSON Schema that tools.ndjson uses: type, enum, minimum, maximum, maxLength, items,
 * properties, required. Properties that the schema does not list are rejected. */
int ctx_mcp_check_arguments(
    struct ctx_span tool, struct ctx_span arguments, struct ctx_err *err);

#endif
