/* Implements the Model Context Protocol for a server on stdin and stdout: parses the
 * client's protocol messages, writes responses and describes the tools. Pure: the caller
 * reads the input and runs the tool calls.
 *
 * Supports two generations of the protocol
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning). From
 * version 2026-07-28 on, each request names the version in params._meta. With older
 * versions, the client first sends an initialize request. */
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
	/* used only in protocol versions before 2026-07-28 */
	CTX_MCP_NO_RESOURCE = -32002,
	CTX_MCP_UNSUPPORTED_VERSION = -32022,
};

/* The state of a connection. Initialize with zeros. */
struct ctx_mcp {
	/* true: the client is also offered the tools that write to the store */
	bool write;
	/* true: the client has sent an initialize request, as protocol versions before
	 * 2026-07-28 require */
	bool initialized;
	const char *software; /* version of this program; borrowed */
};

/* What the caller must do after ctx_mcp_take. */
enum ctx_mcp_action {
	/* do nothing: the client's message needs no reply, or ctx_mcp_take has written
	 * the reply */
	CTX_MCP_NOTHING,
	/* cancel the call whose id is in the member "id"; send no reply */
	CTX_MCP_CANCEL,
	CTX_MCP_TOOL, /* call the tool whose name is in the member "tool" */
	/* list sessions, starting at the position in the member "cursor" */
	CTX_MCP_LIST_RESOURCES,
	CTX_MCP_READ_RESOURCE,
};

/* What the client's message asks the caller to do. Spans are JSON and borrow from the
 * message. Each member whose comment begins with an action (TOOL means CTX_MCP_TOOL) is
 * set only for this action. */
struct ctx_mcp_call {
	enum ctx_mcp_action action;
	struct ctx_span id; /* a JSON string or integer */
	/* true: the client uses protocol version 2026-07-28 or later */
	bool modern;
	struct ctx_span tool; /* TOOL: the tool's name, a JSON string */
	/* TOOL: the tool's arguments, a JSON object; absent if the call has no
	 * arguments */
	struct ctx_span arguments;
	struct ctx_span uri; /* READ_RESOURCE: the resource's URI, a JSON string */
	/* LIST_RESOURCES: position at which the list begins, a JSON string from an
	 * earlier reply; absent: the first session */
	struct ctx_span cursor;
};

/* Processes one message of the client. line: the message without its newline. Either sets
 * *call to the action that the caller must carry out, or sets call->action to
 * CTX_MCP_NOTHING. In the second case, appends a reply to out, as a line, if the message
 * needs one. */
void ctx_mcp_take(struct ctx_mcp *m, struct ctx_span line, struct ctx_buf *out,
    struct ctx_mcp_call *call);

/* ---- replies ----
 *
 * Each reply is one line. id: the JSON id of the client's request; absent if the id is
 * not known. */

/* Appends an error response. Returns -1. */
int ctx_mcp_error(struct ctx_buf *out, struct ctx_span id, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ctx_mcp_result_open begins a response and its result object. The caller then appends
 * members to the result, and ends the response with ctx_mcp_close. */
void ctx_mcp_result_open(
    struct ctx_buf *out, const struct ctx_mcp *m, const struct ctx_mcp_call *call);
void ctx_mcp_close(struct ctx_buf *out);
/* Appends a member that says how long the client may cache the result. ms: this time in
 * ms; public: true if other clients may share the cached result. Appends nothing if the
 * client uses a protocol version before 2026-07-28. */
void ctx_mcp_result_cache(
    struct ctx_buf *out, const struct ctx_mcp_call *call, int64_t ms, bool public);

/* Appends the response with the result of a tool call. value: the structured content of
 * the result, a JSON object; text: the text of the result; absent: the JSON of the
 * structured content is also the text. */
void ctx_mcp_tool_result(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, struct ctx_span value, struct ctx_span text);
/* Appends the response for a failed tool call. message: an error message for the model to
 * read. */
void ctx_mcp_tool_error(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, const char *message);

/* ---- tools ----
 *
 * The descriptions come from tools.ndjson. */

/* Appends the descriptions of the offered tools as a JSON array. */
void ctx_mcp_tools(struct ctx_buf *out, const struct ctx_mcp *m);
/* Returns the description of the tool with this name (a JSON string), or an absent span
 * if the client is not offered such a tool. */
struct ctx_span ctx_mcp_tool(const struct ctx_mcp *m, struct ctx_span name);
/* Checks the arguments of a call against the JSON Schema of the tool. tool: the tool's
 * description, whose member "inputSchema" is this schema; arguments: a JSON object;
 * absent if the call has no arguments. Returns 0, or -1 with CTX_EINPUT and an error
 * message for the model if the arguments do not match. Supports only the parts of JSON
 * Schema that tools.ndjson uses: type, enum, minimum, maximum, maxLength, items,
 * properties, required. Properties that the schema does not list are rejected. */
int ctx_mcp_check_arguments(
    struct ctx_span tool, struct ctx_span arguments, struct ctx_err *err);

#endif
