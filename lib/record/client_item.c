#include "record/client_item.h"

#include <stddef.h>
#include <string.h>

#include "json/json.h"

static const struct ctx_client_item items[] = {
    {"apply_patch_call", "apply_patch_call_output", "\"apply_patch\"", "operation",
	"call_id"},
    {"shell_call", "shell_call_output", "\"shell\"", "action", "call_id"},
    {"local_shell_call", "local_shell_call_output", "\"local_shell\"", "action", "id"},
    {"computer_call", "computer_call_output", "\"computer\"", "action", "call_id"},
};

const struct ctx_client_item *
ctx_client_item_find(struct ctx_span type, bool output)
{
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (ctx_json_is(type, output ? items[i].output : items[i].call))
			return &items[i];
	return NULL;
}

bool
ctx_server_item_is_call(struct ctx_span block)
{
	return CTX_JSON_IS_ANY(
	    ctx_json_get(block, "type"), "server_tool_use", "mcp_tool_use");
}

bool
ctx_server_item_is_result(struct ctx_span block)
{
	static const char end[] = "_tool_result";
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_text(ctx_json_get(block, "type"), &tmp);
	size_t n = sizeof(end) - 1;
	bool is = type.n > n && memcmp(type.p + type.n - n, end, n) == 0;

	ctx_buf_release(&tmp);
	return is;
}
