#include "provider/provider.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/json.h"

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

static const struct ctx_answer_ending *
find_ending(enum ctx_provider provider, const char *reason)
{
	const struct ctx_answer_ending *e = ctx_provider_facts(provider)->endings;

	while (e->reason != NULL && (reason == NULL || strcmp(e->reason, reason) != 0))
		e++;
	return e->reason == NULL ? NULL : e;
}

enum ctx_ending
ctx_answer_ending(enum ctx_provider provider, const char *reason)
{
	const struct ctx_answer_ending *e = find_ending(provider, reason);

	return e == NULL ? CTX_ENDING_COMPLETE : e->ending;
}

enum ctx_next
ctx_answer_next(struct ctx_span metadata, const char **name)
{
	char *reason = ctx_json_strdup(ctx_json_get(metadata, "stop_reason"));
	char *made = ctx_json_strdup(ctx_json_get(metadata, "provider"));
	enum ctx_provider provider = ctx_provider_parse(made);
	const struct ctx_answer_ending *e = NULL;

	if (provider != CTX_PROVIDER_NONE && reason != NULL)
		e = find_ending(provider, reason);
	free(reason);
	free(made);
	*name = e == NULL ? NULL : e->reason;
	return e == NULL ? CTX_NEXT_SEND : e->next;
}
