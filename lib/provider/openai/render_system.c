/* Renders the system text for Chat Completions as one message: strict compatible servers
 * require this. */
#include "json/json.h"
#include "provider/openai/internal.h"

/* Writes the system text as two parts: the messages that the next run begins with too,
 * followed by a cache breakpoint, and the rest, such as a summary. */
static void
put_system_parts(const struct render *r, struct ctx_buf *b)
{
	struct ctx_buf text = CTX_BUF_INIT;
	size_t front = ctx_render_front(r), n = 0;

	ctx_json_put_open(b, '[');
	if (front > 0) {
		ctx_render_system_text(r, 0, front, &text);
		n = text.n;
		ctx_json_print(b, "{'type':'text','text':%t}]", ctx_buf_span(&text));
		ctx_render_put_breakpoint(r, b, 0);
		b->n--;
	}
	if (front < r->n_system) {
		ctx_render_system_text(r, front, r->n_system, &text);
		ctx_json_print(b, "{'type':'text','text':%t}",
		    (struct ctx_span){text.p + n, text.n - n});
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
		ctx_render_system_text(r, 0, r->n_system, &text);
		ctx_json_put_string(&content, ctx_buf_span(&text));
	}
	ctx_json_print(b, "{'role':%j,'content':%j}",
	    ctx_openai_system_role(r, r->system[0]), ctx_buf_span(&content));
	ctx_buf_release(&content);
	ctx_buf_release(&text);
}
