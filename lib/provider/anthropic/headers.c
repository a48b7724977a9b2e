#include "provider/anthropic/internal.h"

#include <stdbool.h>
#include <string.h>

#include "json/json.h"

enum place {
	BODY,     /* a member of the body */
	THINKING, /* a member of "thinking" */
	EDIT,     /* the type of an edit in "context_management" */
	MESSAGE,  /* a member of a message */
	BLOCK,    /* the type of a block in a message */
};

static const struct {
	enum place place;
	const char *name, *beta;
} betas[] = {
    {BODY, "compaction", "compact-2026-09-04"},
    {BODY, "fallbacks", "server-side-fallback-2026-07-01"},
    {BODY, "context_management", "context-management-2025-06-27"},
    {THINKING, "block_binding", "thinking-binding-controls-2026-08-01"},
    {EDIT, "compact_20260112", "compact-2026-01-12"},
    {MESSAGE, "output_config", "mid-conversation-output-config-2026-07-01"},
    {MESSAGE, "clear_at", "mid-conversation-system-clear-at-2026-08-21"},
    {BLOCK, "tool_definition", "inline-tools-2026-09-15"},
    {BLOCK, "tool_addition", "mid-conversation-tool-changes-2026-07-01"},
    {BLOCK, "tool_removal", "mid-conversation-tool-changes-2026-07-01"},
    {BLOCK, "compaction", "compact-2026-09-04"},
};
#define BETAS (sizeof(betas) / sizeof(betas[0]))

static bool
has_edit(struct ctx_span body, const char *name)
{
	CTX_JSON_EACH(it, ctx_json_get(ctx_json_get(body, "context_management"), "edits"))
		if (ctx_json_has_type(it.value, name))
			return true;
	return false;
}

static bool
has_header_block(struct ctx_span content, const char *name)
{
	CTX_JSON_EACH(it, content)
		if (ctx_json_has_type(it.value, name) ||
		    ctx_json_has_type(ctx_json_get(it.value, "tool"), name))
			return true;
	return false;
}

static bool
is_needed(struct ctx_span body, size_t i)
{
	switch (betas[i].place) {
	case BODY:
		return ctx_json_get(body, betas[i].name).p != NULL;
	case THINKING:
		return ctx_json_get(ctx_json_get(body, "thinking"), betas[i].name).p !=
		       NULL;
	case EDIT:
		return has_edit(body, betas[i].name);
	case MESSAGE:
	case BLOCK:
		break;
	}
	CTX_JSON_EACH(it, ctx_json_get(body, "messages"))
		if (betas[i].place == MESSAGE
			? ctx_json_get(it.value, betas[i].name).p != NULL
			: has_header_block(
			      ctx_json_get(it.value, "content"), betas[i].name))
			return true;
	return false;
}

static bool
is_beta_listed(const bool *needed, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (needed[k] && strcmp(betas[k].beta, betas[i].beta) == 0)
			return true;
	return false;
}

static void
put_betas(struct ctx_buf *out, struct ctx_span body)
{
	const char *lead = "anthropic-beta: ";
	bool needed[BETAS];

	for (size_t i = 0; i < BETAS; i++) {
		needed[i] = is_needed(body, i);
		if (!needed[i] || is_beta_listed(needed, i))
			continue;
		ctx_buf_addf(out, "%s%s", lead, betas[i].beta);
		lead = ",";
	}
	if (*lead == ',')
		ctx_buf_addc(out, '\n');
}

void
ctx_anthropic_headers(struct ctx_buf *out, struct ctx_span body)
{
	ctx_buf_adds(out, "anthropic-version: 2023-06-01\n");
	put_betas(out, body);
}
