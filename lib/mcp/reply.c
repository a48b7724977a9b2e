/* Writes responses, one on each line. */
#include <stdarg.h>
#include <stdio.h>

#include "json/json.h"
#include "mcp/internal.h"

void
ctx_mcp_error_open(struct ctx_buf *out, struct ctx_span id, int code, const char *message)
{
	ctx_json_print(out, "{'jsonrpc':'2.0','id':%j,'error':{'code':%d,'message':%s",
	    id, (int64_t)code, message);
}

int
ctx_mcp_error(struct ctx_buf *out, struct ctx_span id, int code, const char *fmt, ...)
{
	char message[CTX_ERR_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	ctx_mcp_error_open(out, id, code, message);
	ctx_mcp_close(out);
	return -1;
}

void
ctx_mcp_put_server(struct ctx_buf *out, const struct ctx_mcp *m, const char *key)
{
	ctx_json_print(out,
	    "%s:{'name':'ctx','title':'ctx: earlier conversations','version':%s}", key,
	    m->software);
}

void
ctx_mcp_result_open(
    struct ctx_buf *out, const struct ctx_mcp *m, const struct ctx_mcp_call *call)
{
	ctx_json_print(out, "{'jsonrpc':'2.0','id':%j,'result':{", call->id);
	if (!call->modern)
		return;
	ctx_json_print(out, "'resultType':'complete','_meta':{");
	ctx_mcp_put_server(out, m, "io.modelcontextprotocol/serverInfo");
	ctx_json_print(out, "}");
}

void
ctx_mcp_close(struct ctx_buf *out)
{
	ctx_buf_adds(out, "}}\n");
}

void
ctx_mcp_result_cache(
    struct ctx_buf *out, const struct ctx_mcp_call *call, int64_t ms, bool public)
{
	if (call->modern)
		ctx_json_print(
		    out, "'ttlMs':%d,'cacheScope':%s", ms, public ? "public" : "private");
}

void
ctx_mcp_tool_result(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, struct ctx_span value, struct ctx_span text)
{
	ctx_mcp_result_open(out, m, call);
	ctx_json_print(out,
	    "'content':[{'type':'text','text':%t}],'structuredContent':%j",
	    text.p != NULL ? text : value, value);
	ctx_mcp_close(out);
}

void
ctx_mcp_tool_error(struct ctx_buf *out, const struct ctx_mcp *m,
    const struct ctx_mcp_call *call, const char *message)
{
	ctx_mcp_result_open(out, m, call);
	ctx_json_print(
	    out, "'content':[{'type':'text','text':%s}],'isError':true", message);
	ctx_mcp_close(out);
}
