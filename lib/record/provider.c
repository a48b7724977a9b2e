#include "record/provider.h"

#include <string.h>

static const char *const names[] = {
    [CTX_PROVIDER_OPENAI] = "openai",
    [CTX_PROVIDER_ANTHROPIC] = "anthropic",
    [CTX_PROVIDER_GEMINI] = "gemini",
    [CTX_PROVIDER_RESPONSES] = "responses",
};

int
ctx_provider_parse(const char *name)
{
	for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

const char *
ctx_provider_name(enum ctx_provider p)
{
	return names[p];
}

bool
ctx_provider_user_first(int provider)
{
	return provider == CTX_PROVIDER_ANTHROPIC || provider == CTX_PROVIDER_GEMINI;
}
