/* Tools that an imported message lists as used, without the calls themselves. */
#include "json/json.h"
#include "record/record.h"

static struct ctx_span
get_tool_name(struct ctx_span tool)
{
	static const char *const keys[] = {"name", "tool", "tool_name"};
	struct ctx_span v[3];

	if (ctx_json_type(tool) == CTX_JSON_STRING)
		return tool.n > 2 ? tool : CTX_SPAN_NONE;
	ctx_json_get_all(tool, keys, v, 3);
	for (int i = 0; i < 3; i++)
		if (ctx_json_type(v[i]) == CTX_JSON_STRING && v[i].n > 2)
			return v[i];
	return CTX_SPAN_NONE;
}

size_t
ctx_record_tools_used(struct ctx_span metadata, struct ctx_span names[], size_t max)
{
	static const char *const lists[] = {"tools_used", "mcp_tools_used"};
	struct ctx_span v[2], name;
	size_t n = 0;

	ctx_json_get_all(metadata, lists, v, 2);
	for (int i = 0; i < 2; i++) {
		if (ctx_json_type(v[i]) != CTX_JSON_ARRAY)
			continue;
		CTX_JSON_EACH(it, v[i]) {
			name = get_tool_name(it.value);
			if (name.p == NULL)
				continue;
			if (n < max)
				names[n] = name;
			n++;
		}
	}
	return n;
}
