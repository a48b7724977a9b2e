/* The descriptions of the tools, and the check of arguments against them. */
#include "mcp/mcp.h"

#include <string.h>

#include "json/json.h"

static const char descriptions[] = {
#include "mcp/tools.ndjson.inc"
};

/* Reads the next line of tools.ndjson; returns false at the end. A line is {"write": true
 * for tools that write, "tool": the description}. */
static bool
next_tool(struct ctx_span *rest, struct ctx_span *tool, const struct ctx_mcp *m)
{
	struct ctx_span line;

	while (ctx_span_split(rest, '\n', &line)) {
		*tool = ctx_json_get(line, "tool");
		if (tool->p != NULL &&
		    (m->write || !ctx_json_true(ctx_json_get(line, "write"))))
			return true;
	}
	return false;
}

void
ctx_mcp_tools(struct ctx_buf *out, const struct ctx_mcp *m)
{
	struct ctx_span rest = ctx_span_of(descriptions), tool;

	ctx_json_put_open(out, '[');
	while (next_tool(&rest, &tool, m))
		ctx_json_put_raw(out, tool);
	ctx_json_put_close(out, ']');
}

struct ctx_span
ctx_mcp_tool(const struct ctx_mcp *m, struct ctx_span name)
{
	struct ctx_span rest = ctx_span_of(descriptions), tool, found = CTX_SPAN_NONE;
	struct ctx_buf text = CTX_BUF_INIT, own = CTX_BUF_INIT;

	while (found.p == NULL && next_tool(&rest, &tool, m))
		if (ctx_json_type(name) == CTX_JSON_STRING &&
		    ctx_span_eq(ctx_json_text(name, &text),
			ctx_json_text(ctx_json_get(tool, "name"), &own)))
			found = tool;
	ctx_buf_release(&text);
	ctx_buf_release(&own);
	return found;
}

/* ---- arguments ---- */

static bool
has_schema_type(struct ctx_span type, struct ctx_span value)
{
	static const char *const names[] = {[CTX_JSON_NONE] = "",
	    [CTX_JSON_NULL] = "",
	    [CTX_JSON_BOOL] = "boolean",
	    [CTX_JSON_NUMBER] = "integer",
	    [CTX_JSON_STRING] = "string",
	    [CTX_JSON_ARRAY] = "array",
	    [CTX_JSON_OBJECT] = "object"};
	int64_t ignored;

	return ctx_json_is(type, names[ctx_json_type(value)]) &&
	       (ctx_json_type(value) != CTX_JSON_NUMBER || ctx_json_int(value, &ignored));
}

static int
check_argument_range(
    struct ctx_span schema, struct ctx_span value, const char *name, struct ctx_err *err)
{
	int64_t v, least, most;

	if (!ctx_json_int(value, &v))
		return 0;
	if (ctx_json_int(ctx_json_get(schema, "minimum"), &least) && v < least)
		return ctx_err_set(
		    err, CTX_EINPUT, "%s must be at least %lld", name, (long long)least);
	if (ctx_json_int(ctx_json_get(schema, "maximum"), &most) && v > most)
		return ctx_err_set(
		    err, CTX_EINPUT, "%s must be at most %lld", name, (long long)most);
	return 0;
}

static int
check_argument_text(
    struct ctx_span schema, struct ctx_span value, const char *name, struct ctx_err *err)
{
	struct ctx_span choices = ctx_json_get(schema, "enum");
	struct ctx_buf text = CTX_BUF_INIT, one = CTX_BUF_INIT;
	struct ctx_span v = ctx_json_text(value, &text);
	int64_t longest;
	bool found = choices.p == NULL;
	int rc = 0;

	CTX_JSON_EACH_WHILE(!found, it, choices)
		found = ctx_span_eq(v, ctx_json_text(it.value, &one));
	if (!found)
		rc = ctx_err_set(err, CTX_EINPUT, "%s must be one of %.*s", name,
		    (int)choices.n, choices.p);
	else if (v.n > 0 && memchr(v.p, '\0', v.n) != NULL)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "%s contains the character U+0000", name);
	else if (ctx_json_int(ctx_json_get(schema, "minLength"), &longest) &&
		 v.n < (size_t)longest)
		rc = ctx_err_set(err, CTX_EINPUT, "%s is empty", name);
	else if (ctx_json_int(ctx_json_get(schema, "maxLength"), &longest) &&
		 v.n > (size_t)longest)
		rc = ctx_err_set(err, CTX_EINPUT, "%s is longer than %lld bytes", name,
		    (long long)longest);
	ctx_buf_release(&text);
	ctx_buf_release(&one);
	return rc;
}

static int check_members(
    struct ctx_span schema, struct ctx_span object, const char *of, struct ctx_err *err);

static int
check_argument(
    struct ctx_span schema, struct ctx_span value, const char *name, struct ctx_err *err)
{
	struct ctx_span type = ctx_json_get(schema, "type");
	struct ctx_span items = ctx_json_get(schema, "items");
	int rc = 0;

	if (!has_schema_type(type, value))
		return ctx_err_set(err, CTX_EINPUT, "%s must be of type %.*s", name,
		    (int)type.n - 2, type.p + 1);
	if (ctx_json_is(type, "string"))
		return check_argument_text(schema, value, name, err);
	if (ctx_json_is(type, "object"))
		return check_members(schema, value, name, err);
	if (ctx_json_is(type, "array") && items.p != NULL) {
		CTX_JSON_EACH_WHILE(rc == 0, it, value)
			rc = check_argument(items, it.value, name, err);
		return rc;
	}
	return check_argument_range(schema, value, name, err);
}

/* A null value counts as absent, because models write null for arguments that they
 * omit. */
static int
check_members(
    struct ctx_span schema, struct ctx_span object, const char *of, struct ctx_err *err)
{
	struct ctx_span properties = ctx_json_get(schema, "properties");
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = 0;

	CTX_JSON_EACH_WHILE(rc == 0, it, object) {
		struct ctx_span property = CTX_SPAN_NONE;
		ctx_buf_reset(&key);
		ctx_json_decode(it.key, &key);
		ctx_buf_addc(&key, '\0');
		if (strlen(key.p) + 1 == key.n)
			property = ctx_json_get(properties, key.p);
		if (property.p == NULL)
			rc = ctx_err_set(
			    err, CTX_EINPUT, "unknown member '%.100s' in %s", key.p, of);
		else if (ctx_json_type(it.value) != CTX_JSON_NULL)
			rc = check_argument(property, it.value, key.p, err);
	}
	CTX_JSON_EACH_WHILE(rc == 0, it, ctx_json_get(schema, "required")) {
		ctx_buf_reset(&key);
		ctx_json_decode(it.value, &key);
		if (ctx_json_find(object, key.p).p == NULL)
			rc = ctx_err_set(err, CTX_EINPUT, "%s is missing", key.p);
	}
	ctx_buf_release(&key);
	return rc;
}

int
ctx_mcp_check_arguments(
    struct ctx_span tool, struct ctx_span arguments, struct ctx_err *err)
{
	return check_members(
	    ctx_json_get(tool, "inputSchema"), arguments, "the arguments", err);
}
