/* Writes tool definitions in the format that each provider expects. */
#ifndef CTX_RENDER_TOOLS_H
#define CTX_RENDER_TOOLS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"

struct ctx_render_tool {
	const char *name;        /* the name by which models call the tool */
	const char *description; /* may be NULL */
	struct ctx_span schema;  /* JSON Schema of an object, valid JSON */
};

/* Appends a copy of params, the parameters of a request (a valid JSON object; absent:
 * {}), with n tools added at the end of the member "tools". If n is 0, the copy is
 * unchanged. The tools are written in the provider's format (struct ctx_provider_tools).
 * A schema is copied unchanged, except that "type":"object" and "properties" are added if
 * missing. A tool name that the provider does not accept is replaced, as in tool calls
 * (ctx_render_put_name).
 *
 * On error, returns -1 and appends nothing. The error is CTX_EANSWER if two tools have
 * the same name or a schema does not describe an object. The error is CTX_EINPUT if the
 * member "tools" of params is not an array. */
int ctx_render_tools(struct ctx_buf *out, const struct ctx_render_tool tools[], size_t n,
    enum ctx_provider provider, struct ctx_span params, struct ctx_err *err);

/* Appends one tool in the provider's format. definition: a JSON object
 * {"name","description","input_schema"}. */
void ctx_render_tool_put(
    struct ctx_buf *b, struct ctx_span definition, enum ctx_provider provider);

/* Appends the name under which the tool is sent to the provider, as a JSON string. */
void ctx_render_tool_sent(
    struct ctx_buf *b, const char *name, enum ctx_provider provider);

/* Returns true if the array contains a tool with this name. tools: a JSON array of tools
 * in the format of any provider. */
bool ctx_render_tools_hold(struct ctx_span tools, const char *name);

#endif
