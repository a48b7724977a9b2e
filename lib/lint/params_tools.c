/* Tool definitions in the format of another API. */

#include "json/json.h"
#include "lint/params.h"

/* A function that the client runs, in any format. Missing members are absent spans. */
struct definition {
	struct ctx_span name, description, schema, strict;
};

static void
read_definition(struct definition *d, struct ctx_span tool)
{
	struct ctx_span inner = ctx_json_get(tool, "function");
	static const char *const schemas[] = {
	    "input_schema", "parameters", "parametersJsonSchema"};

	if (ctx_json_type(inner) != CTX_JSON_OBJECT)
		inner = tool;
	d->name = ctx_json_get(inner, "name");
	d->description = ctx_json_get(inner, "description");
	d->strict = ctx_json_get(inner, "strict");
	d->schema = CTX_SPAN_NONE;
	for (size_t i = 0; d->schema.p == NULL && i < 3; i++)
		d->schema = ctx_json_get(inner, schemas[i]);
	if (d->schema.p == NULL)
		d->schema = ctx_span_of("{\"type\":\"object\",\"properties\":{}}");
}

/* True for a function in another format than that of the rules. Tools that the provider
 * runs have types of their own and no schema. */
static bool
is_foreign(struct ctx_span tool, enum ctx_provider rules)
{
	struct ctx_span type = ctx_json_get(tool, "type");
	bool inside = ctx_json_type(ctx_json_get(tool, "function")) == CTX_JSON_OBJECT;
	bool anthropic = ctx_json_get(tool, "input_schema").p != NULL;
	bool flat = ctx_json_get(tool, "name").p != NULL &&
		    (ctx_json_is(type, "function") ||
			ctx_json_get(tool, "parameters").p != NULL);
	const struct ctx_provider_tools *shape = &ctx_provider_facts(rules)->tools;

	if (shape->inside != NULL)
		return anthropic || (flat && !inside);
	if (shape->group != NULL)
		return inside || anthropic || flat;
	return shape->typed ? inside || anthropic : inside || (flat && !anthropic);
}

static void
put_definition(struct ctx_buf *b, const struct definition *d, enum ctx_provider rules)
{
	const struct ctx_provider_tools *shape = &ctx_provider_facts(rules)->tools;

	ctx_json_put_open(b, '{');
	if (shape->typed)
		ctx_json_add_str(b, "type", "function");
	if (shape->inside != NULL)
		ctx_json_add_open(b, shape->inside, '{');
	ctx_json_print(b, "'name':%j,'description':%j", d->name, d->description);
	ctx_json_add_raw(b, shape->schema, d->schema);
	if (shape->keeps_strict)
		ctx_json_add_raw(b, "strict", d->strict);
	if (shape->inside != NULL)
		ctx_json_put_close(b, '}');
	ctx_json_put_close(b, '}');
}

/* Returns the list with the functions in the format of the rules. */
static char *
make_tool_list(struct ctx_span tools, enum ctx_provider rules)
{
	struct ctx_buf b = CTX_BUF_INIT, declared = CTX_BUF_INIT;
	const char *group = ctx_provider_facts(rules)->tools.group;
	struct definition d;

	ctx_json_put_open(&b, '[');
	ctx_json_put_open(&declared, '[');
	CTX_JSON_EACH(it, tools) {
		if (!is_foreign(it.value, rules)) {
			ctx_json_put_raw(&b, it.value);
			continue;
		}
		read_definition(&d, it.value);
		put_definition(group != NULL ? &declared : &b, &d, rules);
	}
	ctx_json_put_close(&declared, ']');
	if (group != NULL) {
		ctx_json_put_open(&b, '{');
		ctx_json_add_raw(&b, group, ctx_buf_span(&declared));
		ctx_json_put_close(&b, '}');
	}
	ctx_json_put_close(&b, ']');
	ctx_buf_release(&declared);
	return ctx_buf_detach(&b);
}

void
ctx_lint_params_tools(struct lint_params *p)
{
	struct ctx_span tools = ctx_lint_param(p, "tools");
	struct definition d;
	size_t n = 0, nameless = 0;

	if (ctx_json_type(tools) != CTX_JSON_ARRAY)
		return;
	CTX_JSON_EACH(it, tools) {
		if (!is_foreign(it.value, p->rules))
			continue;
		read_definition(&d, it.value);
		n++;
		nameless += !ctx_json_is_text(d.name);
	}
	if (n == 0)
		return;
	struct lint_flaw *f = ctx_lint_flaw(p, "all-tool-shape", true, "tools",
	    "%zu of the tools %s not in the format of this API, which is %s", n,
	    n == 1 ? "is" : "are", ctx_provider_facts(p->rules)->tools.shape);
	if (nameless == 0)
		ctx_lint_flaw_rename(p, f, "tools", make_tool_list(tools, p->rules));
}
