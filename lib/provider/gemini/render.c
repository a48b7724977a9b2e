/* Renders contents for Gemini's generateContent (API reference, "Generating content").
 * The ids of calls from other providers are left out: Gemini matches results by name and
 * order, and some of its servers refuse the field. */
#include <string.h>
#include <strings.h>

#include "json/json.h"
#include "render/internal.h"

struct writer {
	struct ctx_buf *b;
	bool open;
	enum node_kind role; /* NODE_USER or NODE_ASSISTANT */
	bool called;         /* the open content already holds a call */
};

static void
close_content(struct writer *w)
{
	if (w->open)
		ctx_buf_adds(w->b, "]}");
	w->open = false;
}

static void
begin_part(struct writer *w, enum node_kind role)
{
	if (w->open && w->role == role)
		return;
	close_content(w);
	ctx_json_print(
	    w->b, "{'role':%s,'parts':[", role == NODE_USER ? "user" : "model");
	w->open = true;
	w->role = role;
	w->called = false;
}

static void
write_gemini_text(struct ctx_buf *b, struct ctx_span string)
{
	ctx_json_print(b, "{'text':%j}", string);
}

/* Returns a MIME type for "fileData", which requires one. For a URL only the file name
 * extension tells it. */
static const char *
guess_type(const struct ctx_part *p, struct ctx_span url)
{
	static const struct {
		const char *end, *type;
	} known[] = {{".png", "image/png"}, {".gif", "image/gif"},
	    {".webp", "image/webp"}, {".heic", "image/heic"},
	    {".pdf", "application/pdf"}};
	const char *query = memchr(url.p, '?', url.n);

	if (query != NULL)
		url.n = (size_t)(query - url.p);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t n = strlen(known[i].end);
		if (url.n > n && strncasecmp(url.p + url.n - n, known[i].end, n) == 0)
			return known[i].type;
	}
	return p->type == CTX_PART_IMAGE ? "image/jpeg" : "application/pdf";
}

static void
write_gemini_media(struct ctx_buf *b, const struct ctx_part *p)
{
	struct render_media m;

	if (!ctx_render_media_sent(p, CTX_PROVIDER_GEMINI)) {
		struct ctx_buf text = CTX_BUF_INIT;
		ctx_render_stand_in(&text, p);
		write_gemini_text(b, ctx_buf_span(&text));
		ctx_buf_release(&text);
		return;
	}
	ctx_render_media_of(&m, p);
	if (m.kind == MEDIA_BASE64)
		ctx_json_print(
		    b, "{'inlineData':{'mimeType':%t,'data':%t}}", m.mime, m.data);
	else
		ctx_json_print(b, "{'fileData':{'mimeType':%s,'fileUri':%t}}",
		    guess_type(p, m.data), m.data);
	ctx_render_media_release(&m);
}

/* Returns the thought signature: a member of the stored block, or of a call from Google's
 * OpenAI-compatible server. */
static struct ctx_span
get_gemini_signature(const struct ctx_part *p)
{
	struct ctx_span s = ctx_json_get(p->raw, "thoughtSignature");

	if (s.p == NULL && p->openai)
		s = ctx_json_get(
		    ctx_json_get(ctx_json_get(p->raw, "extra_content"), "google"),
		    "thought_signature");
	return ctx_json_type(s) == CTX_JSON_STRING ? s : CTX_SPAN_NONE;
}

/* Begins a call or a response, which is the member key. Writes the id of the call if
 * Gemini gave it: a response must then have the id too. Gemini may refuse ids that it did
 * not give. */
static void
open_gemini_call(struct ctx_buf *b, const char *key, const struct ctx_part *call)
{
	ctx_json_print(b, "{");
	ctx_json_add_open(b, key, '{');
	ctx_json_print(b, "'id':%j,'name':",
	    call->openai ? CTX_SPAN_NONE : ctx_json_get_string(call->raw, "gemini_id"));
	ctx_render_put_name(b, call->name, CTX_PROVIDER_GEMINI);
}

static void
write_gemini_part(struct ctx_buf *b, const struct ctx_part *p)
{
	struct ctx_buf args = CTX_BUF_INIT;
	enum ctx_render_shape shape = ctx_render_shape(p);

	if (p->type == CTX_PART_OTHER &&
	    (shape == SHAPE_GEMINI_PART || shape == SHAPE_GEMINI_THOUGHT)) {
		/* unchanged, without the type that ctx added when storing it */
		ctx_json_put_changed(b, p->raw, "type", CTX_SPAN_NONE);
		if (shape == SHAPE_GEMINI_THOUGHT) {
			b->n--;
			ctx_json_print(b, "'thought':true}");
		}
		return;
	}
	switch (p->type) {
	case CTX_PART_TEXT:
		write_gemini_text(b, p->body);
		break;
	case CTX_PART_TOOL_CALL:
		ctx_render_args(&args, p);
		open_gemini_call(b, "functionCall", p);
		ctx_json_print(b, "'args':%j}}", ctx_buf_span(&args));
		ctx_buf_release(&args);
		break;
	default:
		write_gemini_media(b, p);
	}
	if (get_gemini_signature(p).p != NULL) {
		b->n--;
		ctx_json_print(b, "'thoughtSignature':%j}", get_gemini_signature(p));
	}
}

/* Writes a function response. The reference requires "response" to be an object and names
 * the keys "output" and "error". A string is written as a string even if it holds JSON,
 * because the API stores numbers in an object as doubles. */
static void
put_response(struct ctx_buf *b, const struct render_call *c)
{
	const struct ctx_part *p = c->result;

	open_gemini_call(b, "functionResponse", c->part);
	if (ctx_json_type(p->body) == CTX_JSON_OBJECT && !p->error) {
		ctx_json_print(b, "'response':%j}}", p->body);
		return;
	}
	ctx_json_print(b, p->error ? "'response':{'error':" : "'response':{'output':");
	ctx_render_result_text(b, p, false);
	ctx_buf_adds(b, "}}}");
}

/* Writes a text that names the call whose images follow. */
static void
put_origin(struct ctx_buf *b, const struct render_call *c)
{
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_buf_adds(&text, "From the result of ");
	ctx_json_decode(c->part->name, &text);
	ctx_buf_addf(&text, " (%.*s):", (int)c->sent.n, c->sent.p);
	ctx_json_print(b, "{'text':%t}", ctx_buf_span(&text));
	ctx_buf_release(&text);
}

/* Writes all responses first, then the images and documents of the results. */
static void
put_results(const struct render *r, const struct render_node *node, struct writer *w)
{
	struct ctx_message m = CTX_MESSAGE_INIT;

	RENDER_EACH_RESULT(c, r, node) {
		begin_part(w, NODE_USER);
		put_response(w->b, c);
	}
	RENDER_EACH_RESULT(c, r, node) {
		ctx_message_parse_content(&m, c->result->body);
		for (size_t k = 0, named = 0; k < m.n; k++) {
			if (!ctx_render_media_sent(&m.parts[k], CTX_PROVIDER_GEMINI))
				continue;
			if (named++ == 0)
				put_origin(w->b, c);
			write_gemini_part(w->b, &m.parts[k]);
		}
	}
	ctx_message_release(&m);
}

/* Writes a call. Since Gemini 3, the first call of a step must have a signature. A call
 * that another model made gets the documented replacement (Gemini, "Thought signatures",
 * FAQ). */
static void
write_gemini_call(struct ctx_buf *b, const struct ctx_part *p, bool first)
{
	write_gemini_part(b, p);
	if (!first || get_gemini_signature(p).n > 2)
		return;
	b->n--;
	/* an empty signature counts as missing */
	if (get_gemini_signature(p).p != NULL) {
		static const size_t n = sizeof(",\"thoughtSignature\":\"\"") - 1;
		b->n -= n;
	}
	ctx_json_add_str(b, "thoughtSignature", "skip_thought_signature_validator");
	ctx_buf_addc(b, '}');
}

static void
write_gemini_parts(
    const struct render *r, const struct render_node *node, struct writer *w)
{
	RENDER_EACH_PART(it, r, node) {
		begin_part(w, node->kind);
		if (it.is_extra || it.part->type != CTX_PART_TOOL_CALL) {
			write_gemini_part(w->b, it.part);
			continue;
		}
		write_gemini_call(w->b, it.part, !w->called && !r->o->transcript);
		w->called = true;
	}
}

static void
put_system_parts(struct render *r, struct ctx_span given, struct ctx_buf *b)
{
	ctx_json_put_open(b, '[');
	if (ctx_json_type(given) == CTX_JSON_STRING) {
		if (!ctx_message_blank(given))
			write_gemini_text(b, given);
	} else if (ctx_json_type(given) == CTX_JSON_OBJECT) {
		ctx_json_put_raw(b, given);
	} else {
		CTX_JSON_EACH(it, given)
			ctx_json_put_raw(b, it.value);
	}
	for (size_t i = 0; i < r->n_system; i++) {
		const struct ctx_message *m = &r->msgs[r->system[i]];
		for (size_t k = 0; k < m->n; k++)
			if (m->parts[k].type == CTX_PART_TEXT &&
			    !ctx_message_blank(m->parts[k].body))
				write_gemini_text(b, m->parts[k].body);
	}
	ctx_json_put_close(b, ']');
}

static void
put_gemini_system(struct render *r, struct ctx_span given, struct ctx_buf *b)
{
	struct ctx_span parts = ctx_json_get(given, "parts");

	ctx_json_put_open(b, '{');
	if (parts.p == NULL) {
		ctx_json_put_key(b, "parts");
		put_system_parts(r, given, b);
	}
	CTX_JSON_EACH_WHILE(parts.p != NULL, it, given) {
		ctx_json_put_name(b, it.key);
		if (it.value.p == parts.p)
			put_system_parts(r, parts, b);
		else
			ctx_buf_addspan(b, it.value);
	}
	ctx_json_put_close(b, '}');
}

static int
put_gemini_contents(struct render *r, struct ctx_buf *b)
{
	struct writer w = {b, false, NODE_USER, false};

	ctx_json_add_open(b, "contents", '[');
	for (size_t i = 0; i < r->n_nodes; i++) {
		if (r->nodes[i].kind == NODE_RESULTS)
			put_results(r, &r->nodes[i], &w);
		else
			write_gemini_parts(r, &r->nodes[i], &w);
	}
	close_content(&w);
	ctx_json_put_close(b, ']');
	return 0;
}

/* True if the part holds any data: an answer may contain an empty part, which is not
 * sent. Also false for calls and responses, which are written elsewhere. */
static bool
has_gemini_data(const struct ctx_part *p)
{
	if (ctx_json_get(p->raw, "functionResponse").p != NULL ||
	    ctx_json_get(p->raw, "functionCall").p != NULL)
		return false;
	CTX_JSON_EACH(it, p->raw)
		if (!ctx_json_is(it.key, "type"))
			return true;
	return false;
}

static int
is_gemini_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	enum ctx_render_shape shape;

	if (p->type == CTX_PART_TEXT)
		return ctx_json_type(p->body) == CTX_JSON_STRING &&
			       ctx_json_get(p->raw, "thoughtSignature").p != NULL
			   ? 1
			   : -1;
	shape = ctx_render_shape(p);
	if (shape == SHAPE_GEMINI_PART)
		return has_gemini_data(p);
	if (shape == SHAPE_GEMINI_THOUGHT)
		return ctx_render_thinking_sent(r, node, p);
	return node->kind == NODE_ASSISTANT
		   ? ctx_render_media_sent(p, CTX_PROVIDER_GEMINI)
		   : -1;
}

/* Recognizes blocks that ctx stored from an answer: "thought" for a thought, "part" for
 * any part that is not text, a call or an image. */
static enum ctx_render_shape
get_gemini_shape(struct ctx_span type, struct ctx_span block)
{
	if (ctx_span_is(type, "thought") && ctx_json_get(block, "signature").p == NULL &&
	    ctx_json_get(block, "summary").p == NULL)
		return SHAPE_GEMINI_THOUGHT;
	return ctx_span_is(type, "part") ? SHAPE_GEMINI_PART : SHAPE_UNKNOWN;
}

const struct ctx_render_kind ctx_render_gemini = {
    .messages = put_gemini_contents,
    .system = put_gemini_system,
    .shape = get_gemini_shape,
    .part_sent = is_gemini_part_sent,
    .own = SHAPE_GEMINI_PART,
    .reasoning = SHAPE_GEMINI_THOUGHT,
    .assistant_media = true,
    .result_text = true,
};
