#include "provider/provider.h"

#include <string.h>
#include <strings.h>

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

bool
ctx_provider_takes_image(enum ctx_provider p, struct ctx_span type)
{
	static const char *const usual[] = {
	    "image/png", "image/jpeg", "image/webp", "image/gif", NULL};
	static const char *const gemini[] = {
	    "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", NULL};
	const char *const *known = p == CTX_PROVIDER_GEMINI ? gemini : usual;

	for (; *known != NULL; known++)
		if (type.n == strlen(*known) && strncasecmp(type.p, *known, type.n) == 0)
			return true;
	return false;
}

const char *
ctx_image_type(struct ctx_span data)
{
	static const struct {
		const char *head, *type;
	} known[] = {{"/9j/", "image/jpeg"}, {"iVBORw0KGgo", "image/png"},
	    {"R0lGODdh", "image/gif"}, {"R0lGODlh", "image/gif"},
	    {"UklGR", "image/webp"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t n = strlen(known[i].head);
		if (data.n >= n && memcmp(data.p, known[i].head, n) == 0)
			return known[i].type;
	}
	return NULL;
}
