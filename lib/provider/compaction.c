#include "provider/compaction.h"

#include <string.h>

#include "json/json.h"

#define INSTRUCTIONS_MAX 16384 /* characters; Anthropic, "Compaction on demand" */

static bool
is_of_type(struct ctx_span object, const char *type)
{
	return ctx_json_is(ctx_json_get(object, "type"), type);
}

static bool
has_block(struct ctx_span message, const char *type)
{
	struct ctx_json_iter it;

	ctx_json_iter_init(&it, ctx_json_get(message, "content"));
	while (ctx_json_iter_next(&it))
		if (is_of_type(it.value, type))
			return true;
	return false;
}

/* ---- the request ---- */

/* What an entry of "messages" or "input" is for a compaction. */
enum entry { ENTRY_ASKED, ENTRY_ANSWERED, ENTRY_CALL, ENTRY_RESULT };

static enum entry
classify_entry(struct ctx_span entry)
{
	struct ctx_span role = ctx_json_get(entry, "role"),
			type = ctx_json_get(entry, "type");

	if (ctx_json_is(type, "function_call") || ctx_json_is(type, "custom_tool_call") ||
	    (ctx_json_is(role, "assistant") && has_block(entry, "tool_use")))
		return ENTRY_CALL;
	if (ctx_json_is(type, "function_call_output") ||
	    ctx_json_is(type, "custom_tool_call_output") ||
	    has_block(entry, "tool_result"))
		return ENTRY_RESULT;
	if (role.p == NULL || ctx_json_is(role, "assistant"))
		return ENTRY_ANSWERED;
	return ENTRY_ASKED;
}

/* Appends the list up to the last answer. */
static int
put_answered(struct ctx_buf *out, struct ctx_span list, struct ctx_err *err)
{
	struct ctx_json_iter it;
	const char *end = NULL;
	enum entry last = ENTRY_ASKED, kind;

	ctx_json_iter_init(&it, list);
	while (ctx_json_iter_next(&it)) {
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
		    "a tool loop is running: compact when the model has answered");
	ctx_buf_add(out, list.p, (size_t)(end - list.p));
	ctx_buf_addc(out, ']');
	return 0;
}

/* Members that a compaction request must not have (Anthropic, "Compaction on demand"). */
static bool
is_refused_member(const struct ctx_json_iter *it)
{
	struct ctx_span type = ctx_json_get(it->value, "type");

	if (ctx_json_is(it->key, "tool_choice"))
		return ctx_json_is(type, "any") || ctx_json_is(type, "tool");
	return ctx_json_is(it->key, "context_management") ||
	       ctx_json_is(it->key, "stop_sequences") ||
	       ctx_json_is(it->key, "compaction");
}

/* Without its member "format". */
static void
put_output_config(struct ctx_buf *out, struct ctx_span config)
{
	struct ctx_json_iter it;

	ctx_json_put_open(out, '{');
	ctx_json_iter_init(&it, config);
	while (ctx_json_iter_next(&it)) {
		if (ctx_json_is(it.key, "format"))
			continue;
		ctx_json_put_raw(out, it.key);
		ctx_buf_addc(out, ':');
		ctx_buf_addspan(out, it.value);
	}
	ctx_json_put_close(out, '}');
}

static int
put_anthropic_compaction(struct ctx_buf *out, struct ctx_span body,
    const char *instructions, struct ctx_err *err)
{
	struct ctx_json_iter it;
	int rc = 0;

	ctx_json_iter_init(&it, body);
	while (rc == 0 && ctx_json_iter_next(&it)) {
		if (is_refused_member(&it))
			continue;
		ctx_json_put_raw(out, it.key);
		ctx_buf_addc(out, ':');
		if (ctx_json_is(it.key, "messages"))
			rc = put_answered(out, it.value, err);
		else if (ctx_json_is(it.key, "output_config"))
			put_output_config(out, it.value);
		else
			ctx_buf_addspan(out, it.value);
	}
	if (rc < 0)
		return -1;
	ctx_json_put_key(out, "compaction");
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "type", "summarize");
	ctx_json_add_str(out, "instructions", instructions);
	ctx_json_put_close(out, '}');
	return 0;
}

static int
put_responses_compaction(struct ctx_buf *out, struct ctx_span body, struct ctx_err *err)
{
	static const char *const kept[] = {"model", "prompt_cache_key"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		ctx_json_add_raw(out, kept[i], ctx_json_get(body, kept[i]));
	ctx_json_put_key(out, "input");
	return put_answered(out, ctx_json_get(body, "input"), err);
}

static int
check_compaction_request(enum ctx_provider provider, struct ctx_span body,
    const char *instructions, struct ctx_err *err)
{
	bool anthropic = provider == CTX_PROVIDER_ANTHROPIC;

	if (!anthropic && provider != CTX_PROVIDER_RESPONSES)
		return ctx_err_set(err, CTX_EUSAGE,
		    "%s has no compaction request (anthropic and responses have)",
		    ctx_provider_name(provider));
	if (!anthropic && instructions != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "responses takes no instructions for a compaction");
	if (instructions != NULL && strlen(instructions) > INSTRUCTIONS_MAX)
		return ctx_err_set(err, CTX_EUSAGE,
		    "the instructions are longer than %d characters", INSTRUCTIONS_MAX);
	if (ctx_json_type(ctx_json_get(body, anthropic ? "messages" : "input")) !=
	    CTX_JSON_ARRAY)
		return ctx_err_set(err, CTX_EINPUT, "the input is not a body for %s",
		    ctx_provider_name(provider));
	return 0;
}

int
ctx_compaction_body(struct ctx_buf *out, enum ctx_provider provider, struct ctx_span body,
    const char *instructions, struct ctx_err *err)
{
	int rc;

	if (check_compaction_request(provider, body, instructions, err) < 0)
		return -1;
	ctx_json_put_open(out, '{');
	rc = provider == CTX_PROVIDER_ANTHROPIC
		 ? put_anthropic_compaction(out, body, instructions, err)
		 : put_responses_compaction(out, body, err);
	ctx_json_put_close(out, '}');
	return rc;
}

/* ---- the answer ---- */

static int
find_compaction_provider(struct ctx_span block)
{
	struct ctx_span content = ctx_json_get(block, "content");

	if (!is_of_type(block, "compaction"))
		return -1;
	if (ctx_json_type(content) == CTX_JSON_STRING && content.n > 2)
		return CTX_PROVIDER_ANTHROPIC;
	return ctx_json_get(block, "encrypted_content").p != NULL && content.p == NULL
		   ? CTX_PROVIDER_RESPONSES
		   : -1;
}

int
ctx_compaction_find(struct ctx_span message, struct ctx_span *block)
{
	struct ctx_json_iter it;
	int found = -1, provider;

	*block = CTX_SPAN_NONE;
	ctx_json_iter_init(&it, ctx_json_get(message, "content"));
	while (ctx_json_iter_next(&it)) {
		provider = find_compaction_provider(it.value);
		if (provider < 0)
			continue;
		found = provider;
		*block = it.value;
	}
	return found;
}

bool
ctx_compaction_text(struct ctx_span block, struct ctx_buf *out)
{
	if (find_compaction_provider(block) != CTX_PROVIDER_ANTHROPIC)
		return false;
	ctx_buf_addspan(out, ctx_json_get(block, "content"));
	return true;
}

bool
ctx_compaction_items(struct ctx_span answer, struct ctx_buf *message)
{
	struct ctx_span output = ctx_json_get(answer, "output"), block;
	size_t start = message->n;

	if (ctx_json_type(output) != CTX_JSON_ARRAY)
		return false;
	ctx_json_put_open(message, '{');
	ctx_json_add_str(message, "role", "assistant");
	ctx_json_add_raw(message, "content", output);
	ctx_json_put_close(message, '}');
	if (ctx_compaction_find((struct ctx_span){message->p + start, message->n - start},
		&block) == CTX_PROVIDER_RESPONSES)
		return true;
	message->n = start;
	return false;
}
