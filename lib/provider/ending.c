#include "provider/ending.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"

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
