#include "provider/ending.h"

#include <stddef.h>
#include <string.h>

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
ctx_answer_next(enum ctx_provider provider, const char *reason, const char **name)
{
	const struct ctx_answer_ending *e = find_ending(provider, reason);

	*name = e == NULL ? NULL : e->reason;
	return e == NULL ? CTX_NEXT_SEND : e->next;
}
