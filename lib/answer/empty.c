/* Recognizes empty answers, by the same rule for all providers, whole or streamed. */
#include "answer/internal.h"

#include "record/message.h"

/* Returns whether the value is blank text, null, or an array or object of such values.
 * For content, the blocks decide. */
static bool
is_empty_member(struct ctx_span value, bool content)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	enum ctx_json_type type = ctx_json_type(value);
	bool empty = true;

	if (type == CTX_JSON_STRING || type == CTX_JSON_NULL)
		return type == CTX_JSON_NULL || ctx_message_blank(value);
	if (type == CTX_JSON_ARRAY && content) {
		ctx_message_parse_content(&m, value);
		for (size_t i = 0; i < m.n; i++)
			empty &= m.parts[i].type == CTX_PART_TEXT &&
				 ctx_message_blank(m.parts[i].body);
		ctx_message_release(&m);
		return empty;
	}
	if (type != CTX_JSON_ARRAY && type != CTX_JSON_OBJECT)
		return false;
	CTX_JSON_EACH_WHILE(empty, it, value)
		empty = ctx_span_is(it.value, "null") || ctx_span_is(it.value, "\"\"");
	return empty;
}

bool
ctx_answer_is_empty(struct ctx_span message)
{
	CTX_JSON_EACH(it, message)
		if (!ctx_json_is(it.key, "role") &&
		    !is_empty_member(it.value, ctx_json_is(it.key, "content")))
			return false;
	return true;
}

int
ctx_answer_fail_empty(const struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (r->stop_reason == NULL)
		return ctx_err_set(err, CTX_EIO, "the answer is empty");
	return ctx_err_set(err, CTX_EIO, "the answer is empty: %s%.80s",
	    ctx_provider_facts(r->provider)->stop, r->stop_reason);
}
