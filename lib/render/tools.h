/* Tool definitions in the form that each provider expects. */
#ifndef CTX_RENDER_TOOLS_H
#define CTX_RENDER_TOOLS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"

struct ctx_render_tool {
	const char *name;        /* the name that models call */
	const char *description; /* or NULL */
	struct ctx_span schema;  /* valid JSON: a JSON Schema of an object */
};

/* Append params (a checked JSON object, or absent) with the tools behind those that its
 * member "tools" holds; without tools, params as they are, {} for none.
 *   OpenAI     {"type":"function","function":{"name","description","parameters"}}
 *   Responses  {"type":"function","name","description","parameters","strict":false}, for
 *              there a schema is taken for a strict one where nothing is said
 *   Anthropic  {"name","description","input_schema"}
 *   Gemini     one {"functionDeclarations":[{"name","description",
 *              "parametersJsonSchema"}]}: "parameters" takes a part of JSON Schema only
 * A schema goes over as it is, with the type "object" and "properties" where they lack.
 *
 * A name that the provider does not take is changed as those of calls are.
 *
 * CTX_EANSWER: for two tools of one name, or a schema that is not one of an object. Then
 * nothing is added. */
int ctx_render_tools(struct ctx_buf *out, const struct ctx_render_tool tools[], size_t n,
    enum ctx_provider provider, struct ctx_span params, struct ctx_err *err);

/* Appends one tool from its definition, a JSON object
 * {"name","description","input_schema"}. */
void ctx_render_tool_put(
    struct ctx_buf *b, struct ctx_span definition, enum ctx_provider provider);

/* Appends the name, a JSON string, as it is sent to the provider. */
void ctx_render_tool_sent(
    struct ctx_buf *b, const char *name, enum ctx_provider provider);

/* True if a list of tools, in any provider's shape, has a tool of that name. */
bool ctx_render_tools_hold(struct ctx_span tools, const char *name);

#endif
