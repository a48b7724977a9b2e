/* The model APIs that requests are rendered for and answers are read from. */
#ifndef CTX_RECORD_PROVIDER_H
#define CTX_RECORD_PROVIDER_H

#include <stdbool.h>

enum ctx_provider {
	CTX_PROVIDER_OPENAI,    /* Chat Completions, and servers compatible with it */
	CTX_PROVIDER_ANTHROPIC, /* Messages */
	CTX_PROVIDER_GEMINI,    /* generateContent */
	CTX_PROVIDER_RESPONSES, /* OpenAI Responses */
};

/* By name: openai, anthropic, gemini, responses. -1 when it is none. */
int ctx_provider_parse(const char *name);
const char *ctx_provider_name(enum ctx_provider p);

/* Must the first message be the user's? false for -1, not known. */
bool ctx_provider_user_first(int provider);

#endif
