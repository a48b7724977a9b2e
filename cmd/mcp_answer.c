/* ctx-mcp: makes the response to a call, in the process that runs the call. */
#include "mcp.h"

#include "json/json.h"

static const struct {
	const char *name;
	mcp_tool_fn *fn;
	bool write;
} tools[] = {
    {"search", mcp_search, false},
    {"recall", mcp_recall, false},
    {"show", mcp_show, false},
    {"list", mcp_list, false},
    {"entities", mcp_entities, false},
    {"append", mcp_append, true},
    {"note", mcp_note, true},
};

char *
mcp_text_argument(const struct ctx_mcp_call *call, const char *name)
{
	return ctx_json_strdup(ctx_json_find(call->arguments, name));
}

int64_t
mcp_int_argument(const struct ctx_mcp_call *call, const char *name, int64_t other)
{
	int64_t v;

	return ctx_json_int(ctx_json_find(call->arguments, name), &v) ? v : other;
}

static void
answer_tool(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *out)
{
	struct ctx_buf value = CTX_BUF_INIT, text = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span shown;
	size_t i = 0;
	int rc;

	while (!ctx_json_is(call->tool, tools[i].name))
		i++;
	rc = cli_store_open(&sv->store, tools[i].write ? CLI_CREATE : 0, &err);
	if (rc == 0)
		rc = tools[i].fn(sv, call, &value, &err);
	shown = ctx_buf_span(&value);
	if (rc == 0)
		rc = cli_redact_json(&shown, &err);
	if (rc < 0)
		ctx_mcp_tool_error(out, &sv->mcp, call, err.msg);
	else
		ctx_mcp_tool_result(out, &sv->mcp, call, shown,
		    ctx_json_text(ctx_json_get(shown, "evidence"), &text));
	ctx_buf_release(&text);
	ctx_buf_release(&value);
}

static void
answer_resource(
    struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *out)
{
	struct ctx_err err = CTX_ERR_INIT;
	size_t before = out->n;
	int rc = cli_store_open(&sv->store, 0, &err);

	ctx_mcp_result_open(out, &sv->mcp, call);
	if (rc == 0)
		rc = call->action == CTX_MCP_LIST_RESOURCES
			 ? mcp_list_resources(sv, call, out, &err)
			 : mcp_read_resource(sv, call, out, &err);
	ctx_mcp_result_cache(out, call, 0, false);
	ctx_mcp_close(out);
	if (rc == 0)
		return;
	out->n = before;
	ctx_mcp_error(out, call->id,
	    err.code == CTX_EANSWER
		? call->modern ? CTX_MCP_INVALID_PARAMS : CTX_MCP_NO_RESOURCE
	    : err.code == CTX_EINPUT ? CTX_MCP_INVALID_PARAMS
				     : CTX_MCP_INTERNAL_ERROR,
	    "%s", err.msg);
}

void
mcp_answer(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *out)
{
	if (call->action == CTX_MCP_TOOL)
		answer_tool(sv, call, out);
	else
		answer_resource(sv, call, out);
	ctx_store_close(sv->store);
}
