/* Writes responses, one on each line. */
#include <stdarg.h>
#include <stdio.h>

#include "json/json.h"
#include "mcp/internal.h"

static void
open_response(struct ctx_buf *out, struct ctx_span id)
{
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "jsonrpc", "2.0");
	ctx_json_add_raw(out, "id", id);
}

void
ctx_mcp_error_open(struct ctx_buf *out, struct ctx_span id, int code, const char *message)
{
	open_response(out, id);
	ctx_json_add_open(out, "error", '{');
	ctx_json_add_int(out, "code", code);
	ctx_json_add_str(out, "message", message);
}

void
ctx_mcp_error_close(struct ctx_buf *out)
{
	ctx_buf_adds(out, "}}\n");
}

void
ctx_mcp_error(struct ctx_buf *out, struct ctx_span id, int code, const char *fmt, ...)
{
	char message[CTX_ERR_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	ctx_mcp_error_open(out, id, code, message);
	ctx_mcp_error_close(out);
}

void
ctx_mcp_put_server(struct ctx_buf *out, const struct ctx_mcp *m, const char *key)
{
	ctx_json_add_open(out, key, '{');
	ctx_json_add_str(out, "name", "ctx");
	ctx_json_add_str(out, "title", "ctx: earlier conversations");
	ctx_json_add_str(out, "version", m->software);
	ctx_json_put_close(out, '}');
}

void
ctx_mcp_result_open(
    struct ctx_buf *out, const struct ctx_mcp *m, struct ctx_span id, bool modern)
{
	open_response(out, id);
	ctx_json_add_open(out, "result", '{');
	if (!modern)
		return;
	ctx_json_add_str(out, "resultType", "complete");
	ctx_json_add_open(out, "_meta", '{');
	ctx_mcp_put_server(out, m, "io.modelcontextprotocol/serverInfo");
	ctx_json_put_close(out, '}');
}

void
ctx_mcp_result_close(struct ctx_buf *out)
{
	ctx_buf_adds(out, "}}\n");
}

void
ctx_mcp_result_cache(
    struct ctx_buf *out, const struct ctx_mcp_call *call, int64_t ms, bool public)
{
	if (!call->modern)
		return;
	ctx_json_add_int(out, "ttlMs", ms);
	ctx_json_add_str(out, "cacheScope", public ? "public" : "private");
}

static void
put_text_block(struct ctx_buf *out, struct ctx_span text)
{
	ctx_json_add_open(out, "content", '[');
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "type", "text");
	ctx_json_add_string(out, "text", text);
	ctx_json_put_close(out, '}');
	ctx_json_put_close(out, ']');
}

void
ctx_mcp_tool_result(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, struct ctx_span value, struct ctx_span text)
{
	ctx_mcp_result_open(out, m, call->id, call->modern);
	put_text_block(out, text.p != NULL ? text : value);
	ctx_json_add_raw(out, "structuredContent", value);
	ctx_mcp_result_close(out);
}

void
ctx_mcp_tool_error(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, const char *message)
{
	ctx_mcp_result_open(out, m, call->id, call->modern);
	put_text_block(out, ctx_span_of(message));
	ctx_json_add_bool(out, "isError", true);
	ctx_mcp_result_close(out);
}
