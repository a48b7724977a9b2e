#include "provider/compaction.h"

#include <string.h>

#include "base/utf8.h"
#include "json/json.h"

static bool
has_block(struct ctx_span message, const char *type)
{
	CTX_JSON_EACH(it, ctx_json_get(message, "content"))
		if (ctx_json_has_type(it.value, type))
			return true;
	return false;
}

/* ---- the request ---- */

/* Role of an entry of "messages" or "input" in a compaction request. */
enum entry { ENTRY_ASKED, ENTRY_ANSWERED, ENTRY_CALL, ENTRY_RESULT };

static enum entry
classify_entry(struct ctx_span entry)
{
	struct ctx_span role = ctx_json_get(entry, "role"),
			type = ctx_json_get(entry, "type");

	if (ctx_json_is(type, "function_call") || ctx_json_is(type, "custom_tool_call") ||
	    (ctx_json_is(role, "assistant") && has_block(entry, "tool_use")))
		return ENTRY_CALL;
	if (CTX_JSON_IS_ANY(type, "function_call_output", "custom_tool_call_output") ||
	    has_block(entry, "tool_result"))
		return ENTRY_RESULT;
	if (role.p == NULL || ctx_json_is(role, "assistant"))
		return ENTRY_ANSWERED;
	return ENTRY_ASKED;
}

int
ctx_compaction_put_answered(
    struct ctx_buf *out, struct ctx_span list, struct ctx_err *err)
{
	const char *end = NULL;
	enum entry last = ENTRY_ASKED, kind;

	CTX_JSON_EACH(it, list) {
		kind = classify_entry(it.value);
		if (kind == ENTRY_ASKED)
			continue;
		last = kind;
		end = it.value.p + it.value.n;
	}
	if (end == NULL)
		return ctx_err_set(
		    err, CTX_EANSWER, "there is no answer yet: nothing to compact");
	if (last != ENTRY_ANSWERED)
		return ctx_err_set(err, CTX_EANSWER,
		    "the tool loop is not finished: compact after the model's answer");
	ctx_buf_add(out, list.p, (size_t)(end - list.p));
	ctx_buf_addc(out, ']');
	return 0;
}

static int
check_compaction_request(const struct ctx_provider_facts *facts, struct ctx_span body,
    const char *instructions, struct ctx_err *err)
{
	const struct ctx_provider_compaction *c = facts->compaction;

	if (c == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "%s has no compaction request (only anthropic and responses have one)",
		    facts->name);
	if (c->instructions_most == 0 && instructions != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "%s accepts no instructions for a compaction", facts->name);
	if (instructions != NULL &&
	    ctx_utf8_length(instructions, strlen(instructions)) > c->instructions_most)
		return ctx_err_set(err, CTX_EUSAGE,
		    "the instructions are longer than %zu characters",
		    c->instructions_most);
	if (ctx_json_type(ctx_json_get(body, facts->list)) != CTX_JSON_ARRAY)
		return ctx_err_set(err, CTX_EINPUT,
		    "the input is not a request body for %s", facts->name);
	return 0;
}

int
ctx_compaction_body(struct ctx_buf *out, enum ctx_provider provider, struct ctx_span body,
    const char *instructions, struct ctx_err *err)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(provider);
	int rc;

	if (check_compaction_request(facts, body, instructions, err) < 0)
		return -1;
	ctx_json_put_open(out, '{');
	rc = facts->compaction->put_body(out, body, instructions, err);
	ctx_json_put_close(out, '}');
	return rc;
}

/* ---- the answer ---- */

static int
find_compaction_provider(struct ctx_span block)
{
	if (!ctx_json_has_type(block, "compaction"))
		return -1;
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++) {
		const struct ctx_provider_compaction
		    *c = ctx_provider_facts((enum ctx_provider)i)->compaction;
		if (c != NULL && c->is_block(block))
			return i;
	}
	return -1;
}

int
ctx_compaction_find(struct ctx_span message, struct ctx_span *block)
{
	int found = -1, provider;

	*block = CTX_SPAN_NONE;
	CTX_JSON_EACH(it, ctx_json_get(message, "content")) {
		provider = find_compaction_provider(it.value);
		if (provider < 0)
			continue;
		found = provider;
		*block = it.value;
	}
	return found;
}

bool
ctx_compaction_readable(enum ctx_provider provider)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(provider);

	return facts != NULL && facts->compaction != NULL && facts->compaction->readable;
}

bool
ctx_compaction_text(struct ctx_span block, struct ctx_buf *out)
{
	if (!ctx_compaction_readable((enum ctx_provider)find_compaction_provider(block)))
		return false;
	ctx_buf_addspan(out, ctx_json_get(block, "content"));
	return true;
}

bool
ctx_compaction_items(
    enum ctx_provider provider, struct ctx_span answer, struct ctx_buf *message)
{
	const struct ctx_provider_compaction *c = ctx_provider_facts(provider)
						      ->compaction;
	struct ctx_span output, block;
	size_t start = message->n;

	if (c == NULL || c->items == NULL)
		return false;
	output = ctx_json_get(answer, c->items);
	if (ctx_json_type(output) != CTX_JSON_ARRAY)
		return false;
	ctx_json_print(message, "{'role':'assistant','content':%j}", output);
	if (ctx_compaction_find((struct ctx_span){message->p + start, message->n - start},
		&block) == (int)provider)
		return true;
	message->n = start;
	return false;
}
