#include "record/client_item.h"

#include <stddef.h>

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
