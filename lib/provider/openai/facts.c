/* Facts about OpenAI's Chat Completions and compatible servers. Sources: the API
 * reference "Create chat completion", the pages on images, files and audio. */
#include <string.h>

#include "provider/provider.h"

/* Accepts audio in WAV or MP3 format. Another file must have no URL, and must have a name,
 * except a PDF, which is sent as document.pdf if it has no name. */
static bool
takes_chat_file(struct ctx_span mime, bool url, bool named)
{
	static const char *const audio[] = {
	    "audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3"};

	if (mime.n > 6 && memcmp(mime.p, "audio/", 6) == 0) {
		for (size_t i = 0; i < sizeof(audio) / sizeof(audio[0]); i++)
			if (ctx_span_is(mime, audio[i]))
				return true;
		return false;
	}
	return !url && (named || ctx_span_is(mime, "application/pdf"));
}

static const struct ctx_answer_ending openai_endings[] = {
    {"length", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"model_length", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"content_filter", CTX_ENDING_REFUSED, CTX_NEXT_WITHHOLD},
    /* used by DeepSeek */
    {"insufficient_system_resource", CTX_ENDING_PARTIAL, CTX_NEXT_SEND},
    {"error", CTX_ENDING_FAILED, CTX_NEXT_NONE},
    {NULL, CTX_ENDING_COMPLETE, CTX_NEXT_SEND},
};

const struct ctx_provider_facts ctx_provider_openai = {
    .name = "openai",
    .api = "Chat Completions",
    .endings = openai_endings,
    .stop = "finish_reason ",
    .list = "messages",
    .required = {"model"},
    .cache_key = true,
    .tools = {.schema = "parameters",
	.inside = "function",
	.typed = true,
	.keeps_strict = true,
	.shape = "{\"type\":\"function\",\"function\":{\"name\",\"parameters\"}}"},
    .id_most = 40,
    .id_nine = true,
    .name_most = 64,
    .images = ctx_provider_usual_images,
    .image_block = "image_url",
    .takes_file = takes_chat_file,
    .uploads = true,
    .openai_images = true,
    .chat_tools = true,
    .batch_id = "custom_id",
    .batch_body = "body",
    .batch_url = "/v1/chat/completions",
};
