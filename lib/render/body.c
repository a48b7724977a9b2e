/* A request body: params, then what the messages give. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/anthropic/cache.h"
#include "render/internal.h"
#include "render/tools.h"

#define ANTHROPIC_BODY_BYTES ((size_t)32 << 20)
#define ANTHROPIC_IMAGES 600

static int
take_params(struct render *r)
{
	struct ctx_span messages, contents, p = r->o->params;

	if (p.p == NULL)
		return 0;
	if (ctx_json_type(p) != CTX_JSON_OBJECT)
		return ctx_err_set(r->err, CTX_EUSAGE, "params must be a JSON object");
	ctx_json_minify(p, &r->params);
	messages = ctx_json_get(ctx_buf_span(&r->params), "messages");
	contents = ctx_json_get(ctx_buf_span(&r->params), "contents");
	if (ctx_json_get(ctx_buf_span(&r->params), "input").p != NULL)
		return ctx_err_set(r->err, CTX_EUSAGE, "params must not have input");
	if (messages.p != NULL || contents.p != NULL)
		return ctx_err_set(r->err, CTX_EUSAGE, "params must not have %s",
		    messages.p != NULL ? "messages" : "contents");
	return 0;
}

/* Is the key where params give system text to this provider? */
static bool
is_system_key(enum ctx_provider provider, struct ctx_span key)
{
	switch (provider) {
	case CTX_PROVIDER_ANTHROPIC:
		return ctx_json_is(key, "system");
	case CTX_PROVIDER_GEMINI:
		return ctx_json_is(key, "systemInstruction") ||
		       ctx_json_is(key, "system_instruction");
	case CTX_PROVIDER_OPENAI:
	case CTX_PROVIDER_RESPONSES:
		break;
	}
	return false;
}

/* The members of params in their order; returns whether the system text went in. */
static bool
put_params(struct render *r, struct ctx_buf *b)
{
	struct ctx_json_iter it;
	bool done = false;

	ctx_json_iter_init(&it, ctx_buf_span(&r->params));
	while (ctx_json_iter_next(&it)) {
		bool system = is_system_key(r->o->provider, it.key);
		if (system && done)
			continue;
		ctx_json_put_raw(b, it.key);
		ctx_buf_addc(b, ':');
		if (system && r->n_system > 0) {
			if (r->o->provider == CTX_PROVIDER_ANTHROPIC)
				ctx_render_anthropic_system(r, it.value, b);
			else
				ctx_render_gemini_system(r, it.value, b);
		} else {
			ctx_buf_addspan(b, it.value);
		}
		done |= system;
	}
	return done;
}

static int
put_body(struct render *r, struct ctx_buf *b)
{
	bool system;
	int rc = -1;

	ctx_json_put_open(b, '{');
	system = put_params(r, b);
	if (r->o->provider == CTX_PROVIDER_OPENAI ||
	    r->o->provider == CTX_PROVIDER_RESPONSES)
		ctx_json_add_str(b, "prompt_cache_key", r->o->cache_key);
	switch (r->o->provider) {
	case CTX_PROVIDER_OPENAI:
		rc = ctx_render_openai(r, b);
		break;
	case CTX_PROVIDER_ANTHROPIC:
		if (!system && r->n_system > 0) {
			ctx_json_put_key(b, "system");
			ctx_render_anthropic_system(r, CTX_SPAN_NONE, b);
		}
		rc = ctx_render_anthropic(r, b);
		break;
	case CTX_PROVIDER_RESPONSES:
		rc = ctx_render_responses(r, b);
		break;
	case CTX_PROVIDER_GEMINI:
		if (!system && r->n_system > 0) {
			ctx_json_put_key(b, "systemInstruction");
			ctx_render_gemini_system(r, CTX_SPAN_NONE, b);
		}
		rc = ctx_render_gemini(r, b);
		break;
	}
	ctx_json_put_close(b, '}');
	return rc;
}

static size_t
count_images(struct ctx_span content)
{
	struct ctx_json_iter it;
	size_t n = 0;

	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return 0;
	ctx_json_iter_init(&it, content);
	while (ctx_json_iter_next(&it)) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		n += ctx_json_is(type, "image");
		if (ctx_json_is(type, "tool_result"))
			n += count_images(ctx_json_get(it.value, "content"));
	}
	return n;
}

/* Anthropic refuses larger bodies (its page on errors, request_too_large), and more images
 * ("Vision"). */
static int
check_size(struct render *r, const struct ctx_buf *body)
{
	struct ctx_json_iter it;
	size_t images = 0;

	if (r->o->provider != CTX_PROVIDER_ANTHROPIC || r->o->transcript)
		return 0;
	if (body->n > ANTHROPIC_BODY_BYTES)
		return ctx_render_refuse(r, RENDER_NONE,
		    "the body has %zu bytes, and anthropic takes %zu", body->n,
		    ANTHROPIC_BODY_BYTES);
	ctx_json_iter_init(&it, ctx_json_get(ctx_buf_span(body), "messages"));
	while (ctx_json_iter_next(&it))
		images += count_images(ctx_json_get(it.value, "content"));
	if (images > ANTHROPIC_IMAGES)
		return ctx_render_refuse(r, RENDER_NONE,
		    "the body has %zu images, and anthropic takes %d", images,
		    ANTHROPIC_IMAGES);
	return 0;
}

/* The definition of a tool that an addition brings along, or absent. */
static struct ctx_span
tool_of(const struct ctx_render_item *it, struct ctx_message *view)
{
	struct ctx_err ignored;

	if (it->slot == CTX_SLOT_HISTORY ||
	    !ctx_json_is(ctx_json_get(it->source, "type"), "tool") ||
	    ctx_message_parse(view, it->message, &ignored) < 0)
		return CTX_SPAN_NONE;
	return ctx_message_tool(view);
}

/* Strings are owned; the schema is borrowed. */
static void
add_tool(struct ctx_render_tool *t, struct ctx_span definition)
{
	*t = (struct ctx_render_tool){
	    .name = ctx_json_strdup(ctx_json_get(definition, "name")),
	    .description = ctx_json_strdup(ctx_json_get(definition, "description")),
	    .schema = ctx_json_get(definition, "input_schema")};
}

/* Tools among the additions are called, not told of: from the items, which are copied, to
 * the tools in the parameters, unless these have one of that name. */
static int
take_tools(struct render *r, struct ctx_render_item *items)
{
	struct ctx_render_tool *tools = ctx_mem_new((r->n_items + 1) * sizeof(*tools));
	struct ctx_span given = ctx_json_get(ctx_buf_span(&r->params), "tools");
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_buf params = CTX_BUF_INIT;
	size_t n = 0, left = 0;
	int rc = 0;

	for (size_t i = 0; i < r->n_items; i++) {
		struct ctx_span tool = tool_of(&r->items[i], &view);
		if (tool.p == NULL || r->items[i].late) {
			items[left++] = r->items[i];
			continue;
		}
		add_tool(&tools[n], tool);
		if (!ctx_render_tools_hold(given, tools[n].name)) {
			n++;
			continue;
		}
		free((char *)tools[n].name);
		free((char *)tools[n].description);
	}
	r->items = items;
	r->n_items = left;
	if (n > 0)
		rc = ctx_render_tools(
		    &params, tools, n, r->o->provider, ctx_buf_span(&r->params), r->err);
	if (n > 0 && rc == 0) {
		ctx_buf_reset(&r->params);
		ctx_json_minify(ctx_buf_span(&params), &r->params);
	}
	for (size_t i = 0; i < n; i++) {
		free((char *)tools[i].name);
		free((char *)tools[i].description);
	}
	free(tools);
	ctx_buf_release(&params);
	ctx_message_release(&view);
	return rc;
}

int
ctx_render_body(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_err *err)
{
	struct ctx_render_item *own = ctx_mem_new((n + 1) * sizeof(*own));
	struct render r;
	struct ctx_buf body = CTX_BUF_INIT, thin = CTX_BUF_INIT;
	int rc = -1;

	memset(&r, 0, sizeof(r));
	r.items = items;
	r.n_items = n;
	r.o = o;
	r.err = err;
	if (take_params(&r) < 0 || take_tools(&r, own) < 0 ||
	    ctx_render_arrange(&r) < 0 || put_body(&r, &body) < 0 ||
	    check_size(&r, &body) < 0)
		goto done;
	if (o->provider == CTX_PROVIDER_ANTHROPIC && !o->transcript) {
		ctx_cache_thin(&thin, ctx_buf_span(&body));
		if (o->cache != NULL)
			ctx_cache_mark(out, ctx_buf_span(&thin), o->cache);
		else
			ctx_buf_addspan(out, ctx_buf_span(&thin));
	} else {
		ctx_buf_add(out, body.p, body.n);
	}
	if (o->report != NULL)
		ctx_render_report(&r);
	rc = 0;
done:
	ctx_buf_release(&body);
	ctx_buf_release(&thin);
	ctx_render_release(&r);
	free(own);
	return rc;
}

int64_t
ctx_render_params_tokens(struct ctx_tokenizer *t, struct ctx_span params)
{
	return ctx_tokens_params(t, params);
}
