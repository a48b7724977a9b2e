/* Builds a request body from the parameters and the messages. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "render/internal.h"
#include "render/tools.h"

#define RENDER_KIND_ROW(id, name) [CTX_PROVIDER_##id] = &ctx_render_##name,
static const struct ctx_render_kind *const render_kinds[] = {
    CTX_PROVIDERS(RENDER_KIND_ROW)};

const struct ctx_render_kind *
ctx_render_kind(enum ctx_provider p)
{
	return render_kinds[p];
}

static int
take_params(struct render *r)
{
	struct ctx_span p = r->o->params;

	if (p.p == NULL)
		return 0;
	if (ctx_json_type(p) != CTX_JSON_OBJECT)
		return ctx_err_set(
		    r->err, CTX_EUSAGE, "the parameters must be a JSON object");
	ctx_json_minify(p, &r->params);
	for (int i = CTX_PROVIDER_COUNT - 1; i >= 0; i--) {
		const char *list = ctx_provider_facts((enum ctx_provider)i)->list;
		if (ctx_json_get(ctx_buf_span(&r->params), list).p != NULL)
			return ctx_err_set(r->err, CTX_EUSAGE,
			    "the parameters must not contain %s", list);
	}
	return 0;
}

/* True if the key is that of the provider's member for system text. */
static bool
is_system_key(const struct render *r, struct ctx_span key)
{
	const char *const *name = ctx_provider_facts(r->o->provider)->system;

	while (r->kind->system != NULL && *name != NULL)
		if (ctx_json_is(key, *name++))
			return true;
	return false;
}

/* Appends the members of params in their order. Returns true if the system text was among
 * them. */
static bool
put_params(struct render *r, struct ctx_buf *b)
{
	bool done = false;

	CTX_JSON_EACH(it, ctx_buf_span(&r->params)) {
		bool system = is_system_key(r, it.key);
		if (system && done)
			continue;
		ctx_json_put_name(b, it.key);
		if (system && r->n_system > 0)
			r->kind->system(r, it.value, b);
		else
			ctx_buf_addspan(b, it.value);
		done |= system;
	}
	return done;
}

static int
put_body(struct render *r, struct ctx_buf *b)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(r->o->provider);
	bool system;
	int rc;

	ctx_json_put_open(b, '{');
	system = put_params(r, b);
	if (facts->cache_key)
		ctx_json_add_str(b, "prompt_cache_key", r->o->cache_key);
	if (r->kind->system != NULL && !system && r->n_system > 0) {
		ctx_json_put_key(b, facts->system[0]);
		r->kind->system(r, CTX_SPAN_NONE, b);
	}
	rc = r->kind->messages(r, b);
	if (r->token.p != NULL &&
	    ctx_json_get(ctx_buf_span(&r->params), facts->continuation).p == NULL)
		ctx_json_add_raw(b, facts->continuation, r->token);
	ctx_json_put_close(b, '}');
	return rc;
}

/* Returns the tool definition that an addition contains, or an absent span. */
static struct ctx_span
tool_of(const struct ctx_render_item *it, struct ctx_message *view)
{
	if (it->slot == CTX_SLOT_HISTORY || !ctx_json_has_type(it->source, "tool") ||
	    ctx_message_parse(view, it->message, NULL) < 0)
		return CTX_SPAN_NONE;
	return ctx_message_tool(view);
}

/* The strings of *t are owned; its schema is borrowed. */
static void
add_tool(struct ctx_render_tool *t, struct ctx_span definition)
{
	*t = (struct ctx_render_tool){
	    .name = ctx_json_strdup(ctx_json_get(definition, "name")),
	    .description = ctx_json_strdup(ctx_json_get(definition, "description")),
	    .schema = ctx_json_get(definition, "input_schema")};
}

/* Moves tools from the additions to the tools of the parameters, because the model calls
 * them and need not read about them. A tool whose name params already has is dropped. The
 * other items are copied to items. */
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
	struct ctx_buf body = CTX_BUF_INIT;
	int rc = -1;

	memset(&r, 0, sizeof(r));
	r.items = items;
	r.n_items = n;
	r.o = o;
	r.kind = render_kinds[o->provider];
	r.err = err;
	if (take_params(&r) < 0 || take_tools(&r, own) < 0 ||
	    ctx_render_arrange(&r) < 0 || put_body(&r, &body) < 0)
		goto done;
	if (r.kind->check != NULL && !o->transcript &&
	    r.kind->check(&r, ctx_buf_span(&body)) < 0)
		goto done;
	if (r.kind->finish != NULL && !o->transcript)
		r.kind->finish(o, ctx_buf_span(&body), out);
	else
		ctx_buf_add(out, body.p, body.n);
	if (o->report != NULL)
		ctx_render_report(&r);
	rc = 0;
done:
	ctx_buf_release(&body);
	ctx_render_release(&r);
	free(own);
	return rc;
}

int64_t
ctx_render_params_tokens(struct ctx_tokenizer *t, struct ctx_span params)
{
	return ctx_tokens_params(t, params);
}
