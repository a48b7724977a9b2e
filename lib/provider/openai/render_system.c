/* Renders the system text for Chat Completions as one message: strict compatible servers
 * require this. */
#include "json/json.h"
#include "provider/openai/internal.h"

static void
put_text_part(struct ctx_buf *b, const struct ctx_buf *text)
{
	struct ctx_buf string = CTX_BUF_INIT;

	ctx_json_put_string(&string, ctx_buf_span(text));
	ctx_message_put_text(b, ctx_buf_span(&string));
	ctx_buf_release(&string);
}

/* Appends the texts of system messages first to before end, separated by empty lines. */
static void
join_system(const struct render *r, size_t first, size_t end, struct ctx_buf *text)
{
	for (size_t i = first; i < end; i++) {
		if (i > 0)
			ctx_buf_adds(text, "\n\n");
		ctx_message_text(&r->msgs[r->system[i]], text);
	}
}

/* Writes the system text as two parts: the messages that the next run begins with too,
 * followed by a cache breakpoint, and the rest, such as a summary. */
static void
put_system_parts(const struct render *r, struct ctx_buf *b)
{
	struct ctx_buf text = CTX_BUF_INIT;
	size_t front = ctx_render_front(r);

	ctx_json_put_open(b, '[');
	if (front > 0) {
		join_system(r, 0, front, &text);
		put_text_part(b, &text);
		ctx_json_put_close(b, ']');
		ctx_render_put_breakpoint(r, b, 0);
		b->n--;
	}
	if (front < r->n_system) {
		ctx_buf_reset(&text);
		join_system(r, front, r->n_system, &text);
		put_text_part(b, &text);
	}
	ctx_json_put_close(b, ']');
	ctx_buf_release(&text);
}

/* Writes one system message at the start, because strict compatible servers allow only
 * one. */
void
ctx_openai_put_system(const struct render *r, struct ctx_buf *b)
{
	struct ctx_buf content = CTX_BUF_INIT, text = CTX_BUF_INIT;
	struct render_node node = {.kind = NODE_USER};

	if (r->n_system == 0)
		return;
	if (r->n_system == 1) {
		node.item = r->system[0];
		ctx_openai_put_message(r, &node, b);
		return;
	}
	if (r->o->system_parts) {
		put_system_parts(r, &content);
	} else {
		join_system(r, 0, r->n_system, &text);
		ctx_json_put_string(&content, ctx_buf_span(&text));
	}
	ctx_json_put_open(b, '{');
	ctx_json_add_raw(b, "role", ctx_openai_system_role(r, r->system[0]));
	ctx_json_add_raw(b, "content", ctx_buf_span(&content));
	ctx_json_put_close(b, '}');
	ctx_buf_release(&content);
	ctx_buf_release(&text);
}
