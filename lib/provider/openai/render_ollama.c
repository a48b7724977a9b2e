/* Renders messages for Ollama's own API, /api/chat (its API reference, "Generate a chat
 * completion"). There, contents are strings, arguments are objects, images are plain
 * base64 without a data URL, and results name the tool. */
#include "json/json.h"
#include "provider/openai/internal.h"

static void
put_ollama_images(struct ctx_buf *b, const struct ctx_message *m, size_t *n)
{
	for (size_t i = 0; i < m->n; i++) {
		struct render_media media;
		if (!ctx_render_media_sent(&m->parts[i], CTX_PROVIDER_OPENAI))
			continue;
		ctx_render_media_of(&media, &m->parts[i]);
		if (media.image && media.kind == MEDIA_BASE64) {
			if ((*n)++ == 0)
				ctx_json_put_open(b, '[');
			ctx_json_put_string(b, media.data);
		}
		ctx_render_media_release(&media);
	}
}

static void
put_ollama_calls(
    const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	struct ctx_buf args = CTX_BUF_INIT, name = CTX_BUF_INIT;

	if (node->calls == 0)
		return;
	ctx_json_add_open(b, "tool_calls", '[');
	for (size_t i = node->call; i < node->call + node->calls; i++) {
		ctx_buf_reset(&args);
		ctx_buf_reset(&name);
		ctx_render_args(&args, r->calls[i].part);
		ctx_render_put_name(&name, r->calls[i].part->name, r->o->provider);
		ctx_json_print(b, "{'function':{'name':%j,'arguments':%j}}",
		    ctx_buf_span(&name), ctx_buf_span(&args));
	}
	ctx_json_put_close(b, ']');
	ctx_buf_release(&args);
	ctx_buf_release(&name);
}

static void
add_text_of(const struct ctx_message *m, struct ctx_buf *text)
{
	if (text->n > 0)
		ctx_buf_adds(text, "\n\n");
	ctx_message_text(m, text);
}

static void
write_ollama_message(
    const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	const struct ctx_message *m = &r->msgs[node->item];
	struct ctx_span thinking = ctx_json_get(m->json, "thinking");
	struct ctx_buf text = CTX_BUF_INIT, images = CTX_BUF_INIT;
	size_t n = 0;

	for (size_t i = node->extra; i < node->extra + node->extras; i++) {
		const struct ctx_message *v = &r->msgs[r->extra[i].item];
		add_text_of(v, &text);
		put_ollama_images(&images, v, &n);
	}
	add_text_of(m, &text);
	put_ollama_images(&images, m, &n);
	ctx_json_print(b, "{'role':%s,'content':%t",
	    m->role == CTX_ROLE_ASSISTANT ? "assistant" : "user", ctx_buf_span(&text));
	if (n > 0) {
		ctx_json_put_close(&images, ']');
		ctx_json_add_raw(b, "images", ctx_buf_span(&images));
	}
	if (ctx_json_type(thinking) == CTX_JSON_STRING && node->kept &&
	    r->o->thinking != CTX_THINKING_STRIP)
		ctx_json_add_raw(b, "thinking", thinking);
	put_ollama_calls(r, node, b);
	ctx_json_put_close(b, '}');
	ctx_buf_release(&text);
	ctx_buf_release(&images);
}

static void
write_ollama_result(
    const struct render *r, const struct render_call *c, struct ctx_buf *b)
{
	struct ctx_buf name = CTX_BUF_INIT, text = CTX_BUF_INIT;

	ctx_render_put_name(&name, c->part->name, r->o->provider);
	ctx_render_result_text(&text, c->result, c->result->error);
	ctx_json_print(b, "{'role':'tool','tool_name':%j,'content':%j}",
	    ctx_buf_span(&name), ctx_buf_span(&text));
	ctx_buf_release(&name);
	ctx_buf_release(&text);
}

void
ctx_openai_ollama(const struct render *r, struct ctx_buf *b)
{
	struct ctx_buf system = CTX_BUF_INIT;

	ctx_json_add_open(b, "messages", '[');
	ctx_render_system_text(r, 0, r->n_system, &system);
	if (r->n_system > 0)
		ctx_json_print(
		    b, "{'role':'system','content':%t}", ctx_buf_span(&system));
	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct render_node *node = &r->nodes[i];
		if (node->kind != NODE_RESULTS) {
			write_ollama_message(r, node, b);
			continue;
		}
		RENDER_EACH_RESULT(c, r, node)
			write_ollama_result(r, c, b);
	}
	ctx_json_put_close(b, ']');
	ctx_buf_release(&system);
}
