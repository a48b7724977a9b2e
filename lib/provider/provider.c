#include "provider/provider.h"

#include <string.h>
#include <strings.h>

#define DECLARE_FACTS(id, name) \
	extern const struct ctx_provider_facts ctx_provider_##name;
CTX_PROVIDERS(DECLARE_FACTS)

#define FACTS_ROW(id, name) [CTX_PROVIDER_##id] = &ctx_provider_##name,
static const struct ctx_provider_facts *const providers[] = {CTX_PROVIDERS(FACTS_ROW)};

const char *const ctx_provider_usual_images[] = {
    "image/png", "image/jpeg", "image/webp", "image/gif", NULL};

const struct ctx_provider_facts *
ctx_provider_facts(enum ctx_provider p)
{
	return p < 0 || p >= CTX_PROVIDER_COUNT ? NULL : providers[p];
}

enum ctx_provider
ctx_provider_parse(const char *name)
{
	for (int i = 0; name != NULL && i < CTX_PROVIDER_COUNT; i++)
		if (strcmp(name, providers[i]->name) == 0)
			return (enum ctx_provider)i;
	return CTX_PROVIDER_NONE;
}

const char *
ctx_provider_name(enum ctx_provider p)
{
	return providers[p]->name;
}

void
ctx_provider_names(struct ctx_buf *out, const char *last)
{
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++)
		ctx_buf_addf(out, "%s%s",
		    i == 0                        ? ""
		    : i == CTX_PROVIDER_COUNT - 1 ? last
						  : ", ",
		    providers[i]->name);
}

void
ctx_provider_headers(struct ctx_buf *out, struct ctx_span body, enum ctx_provider p)
{
	ctx_buf_adds(out, "content-type: application/json\n");
	if (providers[p]->headers != NULL)
		providers[p]->headers(out, body);
}

bool
ctx_provider_user_first(enum ctx_provider p)
{
	return p >= 0 && providers[p]->user_first;
}

bool
ctx_provider_takes_image(enum ctx_provider p, struct ctx_span type)
{
	for (const char *const *known = providers[p]->images; *known != NULL; known++)
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
