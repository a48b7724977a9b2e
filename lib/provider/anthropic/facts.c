/* Facts about Anthropic's Messages API. Sources: the API reference "Messages", "Tool
 * use", "Vision", "PDF support", "Mid-conversation system messages and tool changes",
 * "Prompt caching". */
#include "provider/anthropic/internal.h"
#include "provider/provider.h"

static bool
takes_messages_file(struct ctx_span mime, bool url, bool named CTX_UNUSED)
{
	return url || ctx_span_is(mime, "application/pdf");
}

static const struct ctx_answer_ending anthropic_endings[] = {
    {"max_tokens", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"model_context_window_exceeded", CTX_ENDING_PARTIAL, CTX_NEXT_WITHHOLD},
    {"refusal", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"pause_turn", CTX_ENDING_COMPLETE, CTX_NEXT_RESUME},
    {"compaction", CTX_ENDING_COMPLETE, CTX_NEXT_SEND},
    {NULL, CTX_ENDING_COMPLETE, CTX_NEXT_SEND},
};

const struct ctx_provider_facts ctx_provider_anthropic = {
    .name = "anthropic",
    .api = "Anthropic's API",
    .endings = anthropic_endings,
    .stop = "stop_reason ",
    .list = "messages",
    .system = {"system"},
    .required = {"model", "max_tokens"},
    .bare_note = true,
    .user_first = true,
    .system_inside = true,
    .cache_marks = true,
    .checks_reasoning = true,
    .headers = ctx_anthropic_headers,
    .compaction = &ctx_anthropic_compaction,
    .late_tools = CTX_LATE_TOOLS_SYSTEM,
    .tools = {.schema = "input_schema",
	.keeps_strict = true,
	.shape = "{\"name\",\"input_schema\"}"},
    .id_most = 64,
    .id_plain = true,
    .name_most = 128,
    .images = ctx_provider_usual_images,
    .image_block = "image",
    .takes_file = takes_messages_file,
    .tools_prompt = true,
    .batch_id = "custom_id",
    .batch_body = "params",
};
