/* Members that belong to the bodies of another API. */
#include <string.h>

#include "json/json.h"
#include "lint/params.h"

static bool
is_home_member(const struct ctx_provider_facts *home, const char *name)
{
	return (home->system[0] != NULL && strcmp(home->system[0], name) == 0) ||
	       (home->system[1] != NULL && strcmp(home->system[1], name) == 0);
}

const char *
ctx_lint_params_foreign(struct ctx_span params, enum ctx_provider rules)
{
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++)
		for (size_t k = 0; k < 2; k++) {
			const char *name = ctx_provider_facts((enum ctx_provider)i)
					       ->system[k];
			if (name == NULL ||
			    is_home_member(ctx_provider_facts(rules), name))
				continue;
			if (ctx_json_find(params, name).p != NULL)
				return name;
		}
	return NULL;
}

/* Returns a system text as a content with parts. */
static char *
make_system_instruction(struct ctx_span text)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_print(&b, "{'parts':[{'text':%j}]}", text);
	return ctx_buf_detach(&b);
}

/* Reports another API's member for system text. Its text can be moved to this API's
 * member, if there is one and it is unused. */
static void
check_foreign_system(struct lint_params *p)
{
	const char *name = ctx_lint_params_foreign(p->body, p->rules);
	const struct ctx_provider_facts *home = ctx_provider_facts(p->rules);
	struct ctx_span value;
	struct lint_flaw *f;
	bool taken = false;

	if (name == NULL)
		return;
	value = ctx_lint_param(p, name);
	if (home->system[0] == NULL) {
		ctx_lint_flaw(p, "all-foreign-member", true, name,
		    "%s has no \"%s\": send a message with the role system", home->api,
		    name);
		return;
	}
	for (size_t i = 0; i < 2 && home->system[i] != NULL; i++)
		taken |= ctx_lint_param(p, home->system[i]).p != NULL;
	f = ctx_lint_flaw(p, "all-foreign-member", true, name,
	    "%s has no \"%s\": use \"%s\"", home->api, name, home->system[0]);
	if (!taken && ctx_json_type(value) == CTX_JSON_STRING)
		ctx_lint_flaw_rename(p, f, home->system[0],
		    home->system_parts ? make_system_instruction(value) : NULL);
}

/* Reports another API's list of messages besides this API's list. */
static void
check_foreign_lists(struct lint_params *p)
{
	const char *own = ctx_provider_facts(p->rules)->list, *last = "";

	if (ctx_lint_param(p, own).p == NULL)
		return;
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++) {
		const char *list = ctx_provider_facts((enum ctx_provider)i)->list;
		if (strcmp(list, own) != 0 && strcmp(list, last) != 0 &&
		    ctx_lint_param(p, list).p != NULL)
			ctx_lint_flaw(p, "all-foreign-member", true, list,
			    "%s has no \"%s\": put the messages into \"%s\"",
			    ctx_provider_facts(p->rules)->api, list, own);
		last = list;
	}
}

void
ctx_lint_params_members(struct lint_params *p)
{
	check_foreign_system(p);
	check_foreign_lists(p);
}
