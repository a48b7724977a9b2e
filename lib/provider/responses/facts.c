/* Facts about OpenAI's Responses. Sources: the API reference "Create a model response",
 * the pages on images and files, "Keep the prefix unchanged". */
#include <string.h>

#include "json/json.h"
#include "provider/compaction.h"
#include "provider/provider.h"

/* Accepts any file with a URL. A file without a URL must not be audio and must have a name,
 * except a PDF, which is sent as document.pdf if it has no name. */
static bool
takes_response_file(struct ctx_span mime, bool url, bool named)
{
	bool audio = mime.n > 6 && memcmp(mime.p, "audio/", 6) == 0;

	return url || (!audio && (named || ctx_span_is(mime, "application/pdf")));
}

static int
put_responses_compaction(struct ctx_buf *out, struct ctx_span body,
    const char *instructions CTX_UNUSED, struct ctx_err *err)
{
	static const char *const kept[] = {"model", "prompt_cache_key"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		ctx_json_add_raw(out, kept[i], ctx_json_get(body, kept[i]));
	ctx_json_put_key(out, "input");
	return ctx_compaction_put_answered(out, ctx_json_get(body, "input"), err);
}

/* True for a compaction block with encrypted content, which only OpenAI can read. */
static bool
is_responses_compaction(struct ctx_span block)
{
	return ctx_json_get(block, "encrypted_content").p != NULL &&
	       ctx_json_get(block, "content").p == NULL;
}

static const struct ctx_provider_compaction responses_compaction = {
    .put_body = put_responses_compaction,
    .is_block = is_responses_compaction,
    .items = "output",
};

static const struct ctx_answer_ending responses_endings[] = {
    {"incomplete", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"max_output_tokens", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"max_messages", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"steered", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"content_filter", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"failed", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"cancelled", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"in_progress", CTX_ENDING_PENDING, CTX_NEXT_NONE},
    {"queued", CTX_ENDING_PENDING, CTX_NEXT_NONE},
    {NULL, CTX_ENDING_COMPLETE, CTX_NEXT_SEND},
};

const struct ctx_provider_facts ctx_provider_responses = {
    .name = "responses",
    .api = "the Responses API",
    .endings = responses_endings,
    .stop = "",
    .list = "input",
    .system = {"instructions"},
    .required = {"model"},
    .stored = "prompt", /* a stored prompt has its own model */
    .layout = "typed",
    .cache_key = true,
    .checks_reasoning = true,
    .compaction = &responses_compaction,
    .late_tools = CTX_LATE_TOOLS_ITEM,
    .tools = {.schema = "parameters",
	.typed = true,
	.strict = true,
	.keeps_strict = true,
	.shape = "{\"type\":\"function\",\"name\",\"parameters\"}"},
    .id_most = 64,
    .name_most = 128,
    .images = ctx_provider_usual_images,
    .image_block = "",
    .takes_file = takes_response_file,
    .uploads = true,
    .openai_images = true,
    .batch_id = "custom_id",
    .batch_body = "body",
    .batch_url = "/v1/responses",
    .telemetry = "openai",
};
