#include "append/refused.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int
compare_refused_sessions(const void *a, const void *b)
{
	return strcmp(a, b);
}

bool
ctx_refused_has(const struct ctx_refused *r, const char *session_id)
{
	return tfind(session_id, &r->root, compare_refused_sessions) != NULL;
}

void
ctx_refused_add(struct ctx_refused *r, const char *session_id)
{
	if (!ctx_refused_has(r, session_id) &&
	    tsearch(ctx_mem_str(session_id), &r->root, compare_refused_sessions) == NULL)
		ctx_mem_out();
}

void
ctx_refused_remove(struct ctx_refused *r, const char *session_id)
{
	void *node = tfind(session_id, &r->root, compare_refused_sessions);
	char *id;

	if (node == NULL)
		return;
	id = *(char **)node;
	tdelete(session_id, &r->root, compare_refused_sessions);
	free(id);
}

void
ctx_refused_release(struct ctx_refused *r)
{
	while (r->root != NULL)
		ctx_refused_remove(r, *(char **)r->root);
}
