#include "record/front.h"

#include "json/json.h"

bool
ctx_front_member(struct ctx_span params, size_t i, struct ctx_buf *text)
{
	static const char *const keys[] = {
	    "tools", "system", "systemInstruction", "system_instruction", "instructions"};
	struct ctx_span v;

	ctx_buf_reset(text);
	if (i >= sizeof(keys) / sizeof(keys[0]))
		return false;
	v = ctx_json_get(params, keys[i]);
	if (v.p != NULL)
		ctx_json_minify(v, text);
	return true;
}
