#include "render/tools.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "render/internal.h"

void
ctx_render_tool_sent(struct ctx_buf *b, const char *name, enum ctx_provider provider)
{
	struct ctx_buf json = CTX_BUF_INIT;

	ctx_json_put_string(&json, ctx_span_of(name));
	ctx_render_put_name(b, ctx_buf_span(&json), provider);
	ctx_buf_release(&json);
}

static int
check_render_tool_schema(const struct ctx_render_tool *t, struct ctx_err *err)
{
	struct ctx_span type = ctx_json_get(t->schema, "type");
	struct ctx_span properties = ctx_json_get(t->schema, "properties");
	bool good = ctx_json_type(t->schema) == CTX_JSON_OBJECT;

	if (type.p != NULL)
		good = good && ctx_json_is(type, "object");
	else
		good = good &&
		       (properties.p != NULL || ctx_json_first(t->schema).p == NULL);
	if (properties.p != NULL)
		good = good && ctx_json_type(properties) == CTX_JSON_OBJECT;
	return good ? 0
		    : ctx_err_set(err, CTX_EANSWER,
			  "the schema of tool '%s' must be a JSON Schema of type object",
			  t->name);
}

static void
put_schema(struct ctx_buf *b, const char *key, struct ctx_span schema)
{
	ctx_json_add_open(b, key, '{');
	if (ctx_json_get(schema, "type").p == NULL)
		ctx_json_add_str(b, "type", "object");
	ctx_json_put_members(b, schema, NULL);
	if (ctx_json_get(schema, "properties").p == NULL)
		ctx_json_add_raw(b, "properties", ctx_span_of("{}"));
	ctx_json_put_close(b, '}');
}

static void
put_tool(struct ctx_buf *b, const struct ctx_render_tool *t, enum ctx_provider provider)
{
	const struct ctx_provider_tools *shape = &ctx_provider_facts(provider)->tools;

	ctx_json_put_open(b, '{');
	if (shape->typed)
		ctx_json_add_str(b, "type", "function");
	if (shape->inside != NULL)
		ctx_json_add_open(b, shape->inside, '{');
	ctx_json_put_key(b, "name");
	ctx_render_tool_sent(b, t->name, provider);
	ctx_json_add_str(b, "description", t->description);
	put_schema(b, shape->schema, t->schema);
	if (shape->strict)
		ctx_json_add_bool(b, "strict", false);
	if (shape->inside != NULL)
		ctx_json_put_close(b, '}');
	ctx_json_put_close(b, '}');
}

void
ctx_render_tool_put(
    struct ctx_buf *b, struct ctx_span definition, enum ctx_provider provider)
{
	char *name = ctx_json_strdup(ctx_json_get(definition, "name"));
	char *description = ctx_json_strdup(ctx_json_get(definition, "description"));
	struct ctx_render_tool tool = {
	    name, description, ctx_json_get(definition, "input_schema")};

	put_tool(b, &tool, provider);
	free(name);
	free(description);
}

bool
ctx_render_tools_hold(struct ctx_span tools, const char *name)
{
	CTX_JSON_EACH(it, tools) {
		struct ctx_span declared = ctx_json_get(it.value, "functionDeclarations");
		if (declared.p == NULL)
			declared = ctx_json_get(it.value, "function_declarations");
		if (ctx_json_is(ctx_json_get(it.value, "name"), name) ||
		    ctx_json_is(
			ctx_json_get(ctx_json_get(it.value, "function"), "name"), name) ||
		    (ctx_json_type(declared) == CTX_JSON_ARRAY &&
			ctx_render_tools_hold(declared, name)))
			return true;
	}
	return false;
}

static int
check_render_tools(const struct ctx_render_tool tools[], size_t n, struct ctx_span given,
    struct ctx_err *err)
{
	if (given.p != NULL && ctx_json_type(given) != CTX_JSON_ARRAY)
		return ctx_err_set(
		    err, CTX_EINPUT, "\"tools\" in the parameters must be a list");
	for (size_t i = 0; i < n; i++) {
		bool twice = ctx_render_tools_hold(given, tools[i].name);
		for (size_t k = 0; k < i; k++)
			twice |= strcmp(tools[k].name, tools[i].name) == 0;
		if (twice)
			return ctx_err_set(err, CTX_EANSWER,
			    "two tools have the name '%s'", tools[i].name);
		if (check_render_tool_schema(&tools[i], err) < 0)
			return -1;
	}
	return 0;
}

static void
put_tools(struct ctx_buf *b, const struct ctx_render_tool tools[], size_t n,
    enum ctx_provider provider, struct ctx_span given)
{
	const char *group = ctx_provider_facts(provider)->tools.group;

	ctx_json_add_open(b, "tools", '[');
	CTX_JSON_EACH(it, given)
		ctx_json_put_raw(b, it.value);
	if (group != NULL) {
		ctx_json_put_open(b, '{');
		ctx_json_add_open(b, group, '[');
	}
	for (size_t i = 0; i < n; i++)
		put_tool(b, &tools[i], provider);
	if (group != NULL)
		ctx_json_print(b, "]}");
	ctx_json_put_close(b, ']');
}

int
ctx_render_tools(struct ctx_buf *out, const struct ctx_render_tool tools[], size_t n,
    enum ctx_provider provider, struct ctx_span params, struct ctx_err *err)
{
	struct ctx_span given = ctx_json_get(params, "tools");
	struct ctx_buf whole = CTX_BUF_INIT;

	if (ctx_json_type(given) == CTX_JSON_NULL)
		given = CTX_SPAN_NONE;
	if (check_render_tools(tools, n, given, err) < 0)
		return -1;
	ctx_json_put_open(&whole, '{');
	ctx_json_put_members(&whole, params, n > 0 ? "tools" : NULL);
	if (n > 0)
		put_tools(&whole, tools, n, provider, given);
	ctx_json_put_close(&whole, '}');
	ctx_buf_addspan(out, ctx_buf_span(&whole));
	ctx_buf_release(&whole);
	return 0;
}
