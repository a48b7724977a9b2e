/* Facts about Gemini's Interactions API. Sources: the API reference "Creating an
 * interaction", the pages "Interactions API", "Thinking" (thought signatures, stateless
 * mode) and "Function calling", and the types of Google's SDK. */
#include "provider/provider.h"

static void
put_interactions_headers(struct ctx_buf *out, struct ctx_span body CTX_UNUSED)
{
	/* this revision answers in steps */
	ctx_buf_adds(out, "api-revision: 2026-05-20\n");
}

static const char *const interactions_images[] = {
    "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", NULL};

/* How the statuses of an interaction are classified. */
static const struct ctx_answer_ending interactions_endings[] = {
    {"incomplete", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"budget_exceeded", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"failed", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"cancelled", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"in_progress", CTX_ENDING_PENDING, CTX_NEXT_NONE},
    {"queued", CTX_ENDING_PENDING, CTX_NEXT_NONE},
    {"requires_continuation", CTX_ENDING_COMPLETE, CTX_NEXT_RESUME},
    {NULL, CTX_ENDING_COMPLETE, CTX_NEXT_SEND},
};

const struct ctx_provider_facts ctx_provider_interactions = {
    .name = "interactions",
    .api = "the Interactions API",
    .endings = interactions_endings,
    .stop = "status ",
    .list = "input",
    .system = {"system_instruction"},
    .required = {"model"},
    .stored = "agent", /* an agent has its own model */
    .user_first = true,
    .continuation = "continuation_token",
    .headers = put_interactions_headers,
    .tools = {.schema = "parameters",
	.typed = true,
	.shape = "{\"type\":\"function\",\"name\",\"parameters\"}"},
    .id_most = 64,
    .letter_first = true,
    .images = interactions_images,
    .image_block = "",
    .no_batch = "use -p gemini",
};
