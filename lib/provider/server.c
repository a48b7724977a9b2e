#include "provider/server.h"

#include <string.h>

#include "base/buf.h"

static const struct ctx_server servers[] = {
    {.name = "mistral", .nine_ids = true, .one_system = true, .strict = true},
    {.name = "deepseek",
	.provider = CTX_PROVIDER_OPENAI,
	.one_system = true,
	.reasoning = true},
    {.name = "xai", .provider = CTX_PROVIDER_RESPONSES},
    {.name = "openrouter", .provider = CTX_PROVIDER_OPENAI},
    {.name = "ollama",
	.provider = CTX_PROVIDER_OPENAI,
	.one_system = true,
	.native = true},
    {.name = "vllm", .provider = CTX_PROVIDER_OPENAI, .one_system = true},
    {.name = "litellm", .provider = CTX_PROVIDER_OPENAI},
};
#define SERVERS (sizeof(servers) / sizeof(servers[0]))

const struct ctx_server *
ctx_server_find(const char *name)
{
	for (size_t i = 0; name != NULL && i < SERVERS; i++)
		if (strcmp(servers[i].name, name) == 0)
			return &servers[i];
	return NULL;
}

void
ctx_server_names(struct ctx_buf *out)
{
	for (size_t i = 0; i < SERVERS; i++)
		ctx_buf_addf(out, "%s%s", i == 0 ? "" : ", ", servers[i].name);
}
