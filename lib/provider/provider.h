/* The model APIs that requests are rendered for and whose answers are read. */
#ifndef CTX_PROVIDER_PROVIDER_H
#define CTX_PROVIDER_PROVIDER_H

#include <stdbool.h>

#include "base/buf.h"

enum ctx_provider {
	CTX_PROVIDER_OPENAI,    /* Chat Completions, and servers compatible with it */
	CTX_PROVIDER_ANTHROPIC, /* Messages */
	CTX_PROVIDER_GEMINI,    /* generateContent */
	CTX_PROVIDER_RESPONSES, /* OpenAI Responses */
};

/* Finds a provider by name: openai, anthropic, gemini, responses. -1 if unknown. */
int ctx_provider_parse(const char *name);
const char *ctx_provider_name(enum ctx_provider p);

/* True if the first message must be the user's; false also for -1 (unknown provider). */
bool ctx_provider_user_first(int provider);

/* True if the provider accepts an image of this media type, in any case of letters.
 * Sources: the pages on vision of OpenAI and Anthropic, Gemini's on image understanding. */
bool ctx_provider_takes_image(enum ctx_provider p, struct ctx_span type);

/* Returns the media type that the first bytes of an image name, or NULL if they name none
 * that is known. data is base64, decoded from JSON. Providers refuse an image that says
 * another type. */
const char *ctx_image_type(struct ctx_span data);

#endif
