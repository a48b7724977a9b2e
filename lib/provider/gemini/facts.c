/* Facts about Gemini's generateContent. Sources: the API reference "Generating content",
 * the pages on image understanding and function calling. */
#include "provider/provider.h"

static const char *const gemini_images[] = {
    "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", NULL};

static const struct ctx_answer_ending gemini_endings[] = {
    {"MAX_TOKENS", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"SAFETY", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"RECITATION", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"BLOCKLIST", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"PROHIBITED_CONTENT", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"SPII", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"MODEL_ARMOR", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"IMAGE_SAFETY", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"IMAGE_PROHIBITED_CONTENT", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"MALFORMED_FUNCTION_CALL", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"MALFORMED_RESPONSE", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"UNEXPECTED_TOOL_CALL", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"TOO_MANY_TOOL_CALLS", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"MISSING_THOUGHT_SIGNATURE", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"CONTINUATION", CTX_ENDING_COMPLETE, CTX_NEXT_RESUME},
    {"LANGUAGE", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"ESCALATION", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"PUP_LIMITED_DISABLED", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"IMAGE_RECITATION", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    {"NO_IMAGE", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {"IMAGE_OTHER", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {NULL, CTX_ENDING_COMPLETE, CTX_NEXT_SEND},
};

const struct ctx_provider_facts ctx_provider_gemini = {
    .name = "gemini",
    .api = "Gemini's API",
    .endings = gemini_endings,
    .stop = "finishReason ",
    .list = "contents",
    .system = {"systemInstruction", "system_instruction"},
    .system_parts = true,
    /* no member is required: the URL names the model */
    .user_first = true,
    .continuation = "continuationToken",
    .tools = {.schema = "parametersJsonSchema",
	.group = "functionDeclarations",
	.shape = "{\"functionDeclarations\":[{\"name\",\"parametersJsonSchema\"}]}"},
    .id_most = 64,
    .letter_first = true,
    .images = gemini_images,
    .image_block = "image",
    .batch_id = "key",
    .batch_body = "request",
    .telemetry = "gcp.gemini",
};
