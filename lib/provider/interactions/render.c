/* Renders a conversation for Gemini's Interactions API as a list of steps (Gemini API
 * reference, "Creating an interaction"). Thoughts are sent back unchanged and in place
 * ("Thinking", stateless mode), even to another model. */
#include <string.h>

#include "json/json.h"
#include "render/internal.h"

struct step_writer {
	struct ctx_buf *b;
	bool open; /* a "model_output" step is being written */
};

static void
close_step(struct step_writer *w)
{
	if (w->open)
		ctx_buf_adds(w->b, "]}");
	w->open = false;
}

static void
open_output(struct step_writer *w)
{
	if (w->open)
		return;
	ctx_json_print(w->b, "{'type':'model_output','content':[");
	w->open = true;
}

/* ---- content ---- */

static const char *
get_media_kind(const struct render_media *m)
{
	static const struct {
		const char *head, *kind;
	} kinds[] = {{"image/", "image"}, {"audio/", "audio"}, {"video/", "video"}};

	if (m->image)
		return "image";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].head);
		if (m->mime.n > n && memcmp(m->mime.p, kinds[i].head, n) == 0)
			return kinds[i].kind;
	}
	return "document";
}

static void
write_step_media(struct ctx_buf *b, const struct ctx_part *p)
{
	struct render_media m;

	if (!ctx_render_media_sent(p, CTX_PROVIDER_INTERACTIONS)) {
		ctx_render_put_stand_in(b, p);
		return;
	}
	ctx_render_media_of(&m, p);
	ctx_json_print(b, "{'type':%s", get_media_kind(&m));
	if (m.mime.n > 0)
		ctx_json_add_string(b, "mime_type", m.mime);
	ctx_json_add_string(b, m.kind == MEDIA_URL ? "uri" : "data", m.data);
	ctx_json_put_close(b, '}');
	ctx_render_media_release(&m);
}

static void
write_step_content(struct ctx_buf *b, const struct ctx_part *p, bool own)
{
	struct ctx_span annotations = ctx_json_get(p->raw, "annotations");

	if (p->type != CTX_PART_TEXT)
		write_step_media(b, p);
	else
		ctx_json_print(b, "{'type':'text','text':%j,'annotations':%j}", p->body,
		    own && ctx_json_type(annotations) == CTX_JSON_ARRAY ? annotations
									: CTX_SPAN_NONE);
}

/* ---- steps ---- */

static void
write_user_step(
    const struct render *r, const struct render_node *node, struct step_writer *w)
{
	close_step(w);
	ctx_json_print(w->b, "{'type':'user_input','content':[");
	RENDER_EACH_PART(it, r, node)
		write_step_content(w->b, it.part, false);
	ctx_buf_adds(w->b, "]}");
}

static void
write_call_step(struct step_writer *w, const struct render_call *c)
{
	close_step(w);
	ctx_json_print(w->b, "{'type':'function_call','id':%t,'name':", c->sent);
	ctx_render_put_name(w->b, c->part->name, CTX_PROVIDER_INTERACTIONS);
	ctx_json_put_key(w->b, "arguments");
	ctx_render_args(w->b, c->part);
	ctx_json_print(w->b, "'signature':%j}",
	    c->part->openai ? CTX_SPAN_NONE
			    : ctx_json_get_string(c->part->raw, "signature"));
}

static void
write_model_steps(
    const struct render *r, const struct render_node *node, struct step_writer *w)
{
	size_t call = node->call;

	close_step(w);
	RENDER_EACH_PART(it, r, node) {
		const struct ctx_part *p = it.part;
		enum ctx_render_shape shape = p->type == CTX_PART_OTHER
						  ? ctx_render_shape(p)
						  : SHAPE_UNKNOWN;
		if (p->type == CTX_PART_TOOL_CALL) {
			write_call_step(w, &r->calls[call++]);
		} else if (shape == SHAPE_STEP || shape == SHAPE_STEP_THOUGHT) {
			close_step(w);
			ctx_json_put_raw(w->b,
			    shape == SHAPE_STEP ? ctx_json_get(p->raw, "step") : p->raw);
		} else {
			open_output(w);
			write_step_content(w->b, p, true);
		}
	}
	close_step(w);
}

/* Writes the result of a call: a text, an object, or a list if it holds more than
 * text. */
static void
write_result_step(struct step_writer *w, const struct render_call *c)
{
	const struct ctx_part *p = c->result;
	struct ctx_message m = CTX_MESSAGE_INIT;
	bool list = ctx_render_result_list(&m, p);

	close_step(w);
	ctx_json_print(w->b, "{'type':'function_result','call_id':%t,'name':", c->sent);
	ctx_render_put_name(w->b, c->part->name, CTX_PROVIDER_INTERACTIONS);
	ctx_json_put_key(w->b, "result");
	if (list) {
		ctx_json_put_open(w->b, '[');
		for (size_t i = 0; i < m.n; i++)
			write_step_content(w->b, &m.parts[i], false);
		ctx_json_put_close(w->b, ']');
	} else if (ctx_json_type(p->body) == CTX_JSON_OBJECT) {
		ctx_buf_addspan(w->b, p->body);
	} else {
		ctx_render_result_text(w->b, p, false);
	}
	if (p->error)
		ctx_json_add_bool(w->b, "is_error", true);
	ctx_json_put_close(w->b, '}');
	ctx_message_release(&m);
}

static int
put_steps(struct render *r, struct ctx_buf *b)
{
	struct step_writer w = {b, false};

	ctx_json_add_open(b, "input", '[');
	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct render_node *node = &r->nodes[i];
		if (node->kind == NODE_USER)
			write_user_step(r, node, &w);
		else if (node->kind == NODE_ASSISTANT)
			write_model_steps(r, node, &w);
		else
			RENDER_EACH_RESULT(c, r, node)
				write_result_step(&w, c);
	}
	close_step(&w);
	ctx_json_put_close(b, ']');
	return 0;
}

/* Writes "system_instruction", which is one text: the user's value first, then the system
 * messages. */
static void
put_system_text(struct render *r, struct ctx_span given, struct ctx_buf *b)
{
	struct ctx_buf text = CTX_BUF_INIT;

	if (ctx_json_type(given) == CTX_JSON_STRING)
		ctx_json_decode(given, &text);
	ctx_render_system_text(r, 0, r->n_system, &text);
	ctx_json_put_string(b, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

/* ---- parts that are sent ---- */

static enum ctx_render_shape
get_step_shape(struct ctx_span type, struct ctx_span block)
{
	bool thought = ctx_json_get(block, "signature").p != NULL ||
		       ctx_json_get(block, "summary").p != NULL;

	if (ctx_span_is(type, "step") &&
	    ctx_json_type(ctx_json_get(block, "step")) == CTX_JSON_OBJECT)
		return SHAPE_STEP;
	return ctx_span_is(type, "thought") && thought ? SHAPE_STEP_THOUGHT
						       : SHAPE_UNKNOWN;
}

static int
is_step_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	enum ctx_render_shape shape;
	bool assistant = node->kind == NODE_ASSISTANT;

	if (p->type != CTX_PART_OTHER)
		return -1;
	shape = ctx_render_shape(p);
	if (shape == SHAPE_STEP)
		return assistant;
	if (shape == SHAPE_STEP_THOUGHT)
		return assistant && r->o->thinking != CTX_THINKING_STRIP &&
		       (r->o->thinking == CTX_THINKING_KEEP ||
			   ctx_json_get(p->raw, "signature").n > 2);
	return assistant ? ctx_render_media_sent(p, CTX_PROVIDER_INTERACTIONS) : -1;
}

const struct ctx_render_kind ctx_render_interactions = {
    .messages = put_steps,
    .system = put_system_text,
    .shape = get_step_shape,
    .part_sent = is_step_part_sent,
    .reasoning = SHAPE_STEP_THOUGHT,
    .assistant_media = true,
};
