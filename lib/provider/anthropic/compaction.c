/* Compaction requests to Anthropic ("Compaction on demand"). */
#include "provider/compaction.h"

#include "json/json.h"
#include "provider/anthropic/internal.h"

/* True for members that a compaction request must not have (Anthropic, "Compaction on
 * demand"). */
static bool
is_refused_member(const struct ctx_json_iter *it)
{
	struct ctx_span type = ctx_json_get(it->value, "type");

	if (ctx_json_is(it->key, "tool_choice"))
		return ctx_json_is(type, "any") || ctx_json_is(type, "tool");
	return CTX_JSON_IS_ANY(
	    it->key, "context_management", "stop_sequences", "compaction");
}

static int
put_anthropic_compaction(struct ctx_buf *out, struct ctx_span body,
    const char *instructions, struct ctx_err *err)
{
	int rc = 0;

	CTX_JSON_EACH_WHILE(rc == 0, it, body) {
		if (is_refused_member(&it))
			continue;
		ctx_json_put_name(out, it.key);
		if (ctx_json_is(it.key, "messages"))
			rc = ctx_compaction_put_answered(out, it.value, err);
		else if (ctx_json_is(it.key, "output_config"))
			/* a compaction request must not have its member "format" */
			ctx_json_put_changed(out, it.value, "format", CTX_SPAN_NONE);
		else
			ctx_buf_addspan(out, it.value);
	}
	if (rc < 0)
		return -1;
	ctx_json_print(
	    out, "'compaction':{'type':'summarize','instructions':%s}", instructions);
	return 0;
}

static bool
is_anthropic_compaction(struct ctx_span block)
{
	struct ctx_span content = ctx_json_get(block, "content");

	return ctx_json_type(content) == CTX_JSON_STRING && content.n > 2;
}

const struct ctx_provider_compaction ctx_anthropic_compaction = {
    .put_body = put_anthropic_compaction,
    .is_block = is_anthropic_compaction,
    .instructions_most = 16384,
    .readable = true,
};
