/* Converts parts of messages between the formats of the providers. */
#include <string.h>

#include "json/json.h"
#include "render/internal.h"

static bool
has_block_string_text(struct ctx_span value)
{
	return ctx_json_type(value) == CTX_JSON_STRING && value.n > 2;
}

/* True if the request goes to the model that made the answer, or to a server that accepts
 * its thinking. */
static bool
asks_same_model(const struct render *r, const struct render_node *node)
{
	struct ctx_span asked = ctx_json_get(ctx_buf_span(&r->params), "model");
	struct ctx_span made = ctx_json_get(r->items[node->item].metadata, "model");

	return asked.p == NULL || made.p == NULL || ctx_span_eq(asked, made) ||
	       (r->o->server != NULL && r->o->server->nine_ids);
}

bool
ctx_render_thinking_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	static const char *const keys[] = {
	    "signature", "data", "thoughtSignature", "thinking"};
	struct ctx_span v[4];
	bool other = p->type == CTX_PART_OTHER, ours, is_signed;

	ctx_json_get_all(p->raw, keys, v, 4);
	/* Mistral's thinking is an unsigned list of chunks and is sent back to the same
	 * model. */
	if (!other && ctx_json_type(v[3]) == CTX_JSON_ARRAY)
		return r->kind->thinking_lists && node->kind == NODE_ASSISTANT &&
		       r->o->thinking != CTX_THINKING_STRIP && asks_same_model(r, node);
	ours = other || (r->kind->thinking_blocks && v[2].p == NULL);
	is_signed = other ? has_block_string_text(v[2])
		    : ctx_json_has_type(p->raw, "thinking")
			? has_block_string_text(v[0]) &&
			      ctx_json_type(v[3]) == CTX_JSON_STRING
			: has_block_string_text(v[1]);
	if (!ours || node->kind != NODE_ASSISTANT)
		return false;
	switch (r->o->thinking) {
	case CTX_THINKING_KEEP:
		return true;
	case CTX_THINKING_STRIP:
		return false;
	case CTX_THINKING_AUTO:
		break;
	}
	if (r->o->in_run)
		return is_signed && node->kept;
	return is_signed && (node->loop || !r->o->cut);
}

/* In an assistant message the model would mistake a replacement text for its own words.
 * So parts that the provider does not accept are left out there. */
static bool
is_other_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	int own;

	if (p->superseded)
		return false;
	if (node->kind == NODE_USER && ctx_render_is_system(r, node->item))
		return ctx_render_is_system_block(r, p);
	own = r->kind->part_sent == NULL ? -1 : r->kind->part_sent(r, node, p);
	if (own >= 0)
		return own > 0;
	return node->kind != NODE_ASSISTANT && !ctx_render_is_reasoning(p);
}

bool
ctx_render_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	int own;

	switch (p->type) {
	case CTX_PART_TEXT:
		own = r->kind->part_sent == NULL ? -1 : r->kind->part_sent(r, node, p);
		return own < 0 ? !ctx_message_blank(p->body) : own > 0;
	case CTX_PART_THINKING:
		return ctx_render_thinking_sent(r, node, p);
	case CTX_PART_TOOL_CALL:
		return node->kind == NODE_ASSISTANT;
	case CTX_PART_TOOL_RESULT:
		return false;
	case CTX_PART_OTHER:
		return is_other_sent(r, node, p);
	case CTX_PART_IMAGE:
		return node->kind != NODE_ASSISTANT ||
		       (r->kind->assistant_media &&
			   ctx_render_media_sent(p, r->o->provider));
	}
	return true;
}

bool
ctx_render_extra_sent(const struct ctx_part *p)
{
	return p->type == CTX_PART_TEXT ? !ctx_message_blank(p->body)
					: p->type != CTX_PART_THINKING;
}

bool
ctx_render_next_part(
    const struct render *r, const struct render_node *node, struct render_parts *it)
{
	const struct ctx_message *m;

	for (; it->extra < node->extra + node->extras; it->extra++, it->at = 0) {
		m = &r->msgs[r->extra[it->extra].item];
		while (!r->items[r->extra[it->extra].item].late && it->at < m->n) {
			it->part = &m->parts[it->at++];
			if (ctx_render_extra_sent(it->part))
				return true;
		}
	}
	it->is_extra = false;
	for (m = &r->msgs[node->item]; it->at < m->n;) {
		it->part = &m->parts[it->at++];
		if (ctx_render_part_sent(r, node, it->part))
			return true;
	}
	return false;
}

const struct render_call *
ctx_render_next_result(
    const struct render *r, const struct render_node *node, const struct render_call *c)
{
	const struct render_call *end = &r->calls[node->call + node->calls];

	for (c = c == NULL ? &r->calls[node->call] : c + 1; c < end; c++)
		if (c->result != NULL)
			return c;
	return NULL;
}

void
ctx_render_copy(struct ctx_buf *b, struct ctx_span object, const char *const keep[],
    const struct render_swap *swap, size_t n)
{
	struct ctx_span v[16];
	bool found[8] = {false};
	size_t count = 0;

	while (keep[count] != NULL)
		count++;
	ctx_json_get_all(object, keep, v, count);
	ctx_json_put_open(b, '{');
	CTX_JSON_EACH(it, object) {
		struct ctx_span value = it.value;
		size_t k = 0, s = 0;
		/* Compare positions, not keys: of duplicate keys only the effective one
		 * is copied. */
		while (k < count && v[k].p != it.value.p)
			k++;
		if (k == count)
			continue;
		while (s < n && strcmp(swap[s].key, keep[k]) != 0)
			s++;
		if (s < n) {
			value = swap[s].json;
			found[s] = true;
		}
		if (value.n > 0)
			ctx_json_put_member(b, it.key, value);
	}
	for (size_t s = 0; s < n; s++)
		if (swap[s].add && !found[s])
			ctx_json_add_raw(b, swap[s].key, swap[s].json);
	ctx_json_put_close(b, '}');
}

/* Copies the text of arguments unchanged, including numbers and white space. Only
 * newlines between tokens become spaces, because a body is one line. */
static void
put_object_text(struct ctx_buf *b, struct ctx_span text)
{
	size_t start = b->n;

	ctx_buf_addspan(b, text);
	for (size_t i = start; i < b->n; i++)
		if (b->p[i] == '\n' || b->p[i] == '\r')
			b->p[i] = ' ';
}

void
ctx_render_args(struct ctx_buf *b, const struct ctx_part *call)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(call->body, &tmp);
	struct ctx_span bare = ctx_span_trim(text), value;
	enum ctx_json_type type = ctx_json_type(call->body);

	if (type == CTX_JSON_OBJECT)
		ctx_buf_addspan(b, call->body);
	else if (type <= CTX_JSON_NULL || (text.p != NULL && !call->custom &&
					      (bare.n == 0 || ctx_span_is(bare, "null"))))
		ctx_buf_adds(b, "{}");
	else if (text.p != NULL && !call->custom &&
		 ctx_json_check(text, &value, NULL, NULL) == 0 &&
		 ctx_json_type(value) == CTX_JSON_OBJECT)
		put_object_text(b, value);
	else if (text.p != NULL)
		ctx_json_print(b, "{'input':%t}", text);
	else
		ctx_json_print(b, "{'input':%j}", call->body);
	ctx_buf_release(&tmp);
}

void
ctx_render_args_string(struct ctx_buf *b, const struct ctx_part *call)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span string = call->body, value;

	if (!call->openai) /* spelled as in the answer */
		string = ctx_json_get(call->raw, "arguments");
	if (!call->custom && ctx_json_type(string) == CTX_JSON_STRING &&
	    ctx_json_check(ctx_json_text(string, &tmp), &value, NULL, NULL) == 0 &&
	    ctx_json_type(value) == CTX_JSON_OBJECT) {
		ctx_buf_addspan(b, string);
	} else {
		ctx_buf_reset(&tmp);
		ctx_render_args(&tmp, call);
		ctx_json_put_string(b, ctx_buf_span(&tmp));
	}
	ctx_buf_release(&tmp);
}

bool
ctx_render_is_type(struct ctx_span type, const char *const types[])
{
	for (; *types != NULL; types++)
		if (ctx_span_is(type, *types))
			return true;
	return false;
}

enum ctx_render_shape
ctx_render_shape(const struct ctx_part *p)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_text(ctx_json_get(p->raw, "type"), &tmp);
	enum ctx_render_shape shape = SHAPE_UNKNOWN;

	for (int i = 0; shape == SHAPE_UNKNOWN && i < CTX_PROVIDER_COUNT; i++)
		shape = ctx_render_kind((enum ctx_provider)i)->shape(type, p->raw);
	ctx_buf_release(&tmp);
	return shape == SHAPE_UNKNOWN && p->native ? SHAPE_NATIVE : shape;
}

bool
ctx_render_is_reasoning(const struct ctx_part *p)
{
	enum ctx_render_shape shape = ctx_render_shape(p);

	for (int i = 0; shape != SHAPE_UNKNOWN && i < CTX_PROVIDER_COUNT; i++)
		if (ctx_render_kind((enum ctx_provider)i)->reasoning == shape)
			return true;
	return false;
}

/* Appends the text that a block contains, if any. */
static void
block_text(struct ctx_span block, struct ctx_span source, struct ctx_buf *text)
{
	enum { TYPE, CONTENT, TITLE, TEXT, URI, NAME, N };
	static const char *const keys[N] = {
	    "type", "content", "title", "text", "uri", "name"};
	static const char *const inner[] = {"type", "data", "content"};
	struct ctx_span v[N], s[3], body = CTX_SPAN_NONE;

	ctx_json_get_all(block, keys, v, N);
	ctx_json_get_all(source, inner, s, 3);
	if (ctx_json_type(block) != CTX_JSON_OBJECT)
		body = block;
	else if (ctx_json_is(v[TYPE], "document"))
		body = ctx_json_is(s[0], "text") ? s[1] : s[2];
	else if (ctx_json_is(v[TYPE], "search_result"))
		body = v[CONTENT];
	else if (ctx_json_is(v[TYPE], "resource_link")) /* MCP */
		body = v[URI];
	else if (ctx_json_type(v[TEXT]) == CTX_JSON_STRING)
		body = v[TEXT];
	if (body.p == NULL)
		return;
	if (ctx_json_is(v[TYPE], "resource_link"))
		v[TITLE] = v[NAME];
	if (!ctx_message_blank(v[TITLE])) {
		ctx_json_decode(v[TITLE], text);
		ctx_buf_addc(text, '\n');
	}
	if (ctx_json_is(v[TYPE], "search_result") && !ctx_message_blank(source)) {
		ctx_json_decode(source, text); /* its URL */
		ctx_buf_addc(text, '\n');
	}
	ctx_content_text(body, text);
}

/* Returns the type of a block; for parts of contents, which have no type of their own, the
 * name of the member with the data. */
static struct ctx_span
block_kind(const struct ctx_part *p)
{
	if (ctx_render_shape(p) != SHAPE_GEMINI_PART)
		return ctx_json_get(p->raw, "type");
	CTX_JSON_EACH(it, p->raw)
		if (!ctx_json_is(it.key, "type") &&
		    ctx_json_type(it.value) == CTX_JSON_OBJECT)
			return it.key;
	return CTX_SPAN_NONE;
}

bool
ctx_render_has_text(const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;
	bool some;

	block_text(p->raw, ctx_json_get(p->raw, "source"), &text);
	some = ctx_span_trim(ctx_buf_span(&text)).n > 0;
	ctx_buf_release(&text);
	return some;
}

/* Returns the URL of a block's content in any provider's format; absent if it has
 * none. */
static struct ctx_span
find_block_url(struct ctx_span block, struct ctx_span source)
{
	static const char *const keys[] = {"file_url", "uri", "video_url", "fileData"};
	struct ctx_span v[4], url = ctx_json_get(source, "url");

	ctx_json_get_all(block, keys, v, 4);
	for (size_t i = 0; i < 4 && ctx_json_type(url) != CTX_JSON_STRING; i++)
		url = i < 2    ? v[i]
		      : i == 2 ? ctx_json_get(v[i], "url")
			       : ctx_json_get(v[i], "fileUri");
	return url;
}

void
ctx_render_stand_in(struct ctx_buf *b, const struct ctx_part *p)
{
	struct ctx_span source = ctx_json_get(p->raw, "source");
	struct ctx_span url = find_block_url(p->raw, source);
	struct ctx_buf text = CTX_BUF_INIT;

	block_text(p->raw, source, &text);
	if (ctx_span_trim(ctx_buf_span(&text)).n == 0) {
		ctx_buf_reset(&text);
		ctx_buf_addc(&text, '[');
		ctx_json_decode(block_kind(p), &text);
		if (text.n == 1)
			ctx_buf_adds(&text, "data");
		if (ctx_json_type(url) == CTX_JSON_STRING) {
			ctx_buf_addc(&text, ' ');
			ctx_json_decode(url, &text);
		}
		ctx_buf_addc(&text, ']');
	}
	ctx_json_quote(b, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

void
ctx_render_put_stand_in(struct ctx_buf *b, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_render_stand_in(&text, p);
	ctx_message_put_text(b, ctx_buf_span(&text));
	ctx_buf_release(&text);
}
