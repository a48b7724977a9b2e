/* Whatever a client sends: each line is answered at most once, by one valid message, and a
 * call that comes of it has arguments that match the tool. */

#include "fuzz.h"

#include <string.h>

#include "json/json.h"
#include "mcp/mcp.h"

static bool
is_within(struct ctx_span part, struct ctx_span whole)
{
	return part.p == NULL ||
	       (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void
check_reply(struct ctx_span reply)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span value, id;
	int64_t code;

	if (reply.n == 0)
		return;
	MUST(reply.p[reply.n - 1] == '\n');
	MUST(memchr(reply.p, '\n', reply.n) == reply.p + reply.n - 1);
	MUST(ctx_json_check(reply, &value, NULL, &err) == 0);
	MUST(ctx_json_is(ctx_json_get(value, "jsonrpc"), "2.0"));
	MUST((ctx_json_get(value, "result").p != NULL) !=
	     (ctx_json_get(value, "error").p != NULL));
	id = ctx_json_get(value, "id");
	if (id.p == NULL)
		MUST(ctx_json_int(
			 ctx_json_get(ctx_json_get(value, "error"), "code"), &code) &&
		     code < 0);
}

static void
take_line(struct ctx_mcp *m, struct ctx_span line)
{
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_mcp_call call;

	ctx_mcp_take(m, line, &out, &call);
	check_reply(ctx_buf_span(&out));
	if (call.action != CTX_MCP_NOTHING) {
		MUST(out.n == 0 && call.id.p != NULL);
		MUST(is_within(call.id, line) && is_within(call.arguments, line) &&
		     is_within(call.uri, line) && is_within(call.cursor, line));
	}
	if (call.action == CTX_MCP_TOOL)
		MUST(ctx_mcp_check_arguments(
			 ctx_mcp_tool(m, call.tool), call.arguments, &err) == 0);
	if (call.action == CTX_MCP_TOOL) {
		ctx_mcp_tool_error(&out, m, &call, "no");
		check_reply(ctx_buf_span(&out));
	}
	ctx_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_mcp m = {.write = n % 2 == 0, .software = "1"};
	struct ctx_span rest = {(const char *)data, n};

	while (rest.n > 0) {
		const char *nl = memchr(rest.p, '\n', rest.n);
		struct ctx_span line = {
		    rest.p, nl == NULL ? rest.n : (size_t)(nl - rest.p)};
		take_line(&m, line);
		rest.p += line.n + (nl != NULL);
		rest.n -= line.n + (nl != NULL);
	}
	return 0;
}
