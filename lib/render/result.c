/* The text of a tool result, for providers whose results are text. */
#include <strings.h>

#include "json/json.h"
#include "render/internal.h"

/* Appends the text of a content, including that of documents and search results. */
static void
put_content(struct ctx_span content, struct ctx_buf *out)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	if (ctx_json_type(content) != CTX_JSON_ARRAY) {
		ctx_content_text(content, out);
		return;
	}
	ctx_message_parse_content(&m, content);
	for (size_t i = 0; i < m.n; i++) {
		if (out->n > 0)
			ctx_buf_addc(out, '\n');
		if (m.parts[i].type == CTX_PART_TEXT) {
			ctx_json_decode(m.parts[i].body, out);
			continue;
		}
		ctx_buf_reset(&text);
		ctx_render_stand_in(&text, &m.parts[i]);
		ctx_json_decode(ctx_buf_span(&text), out);
	}
	ctx_buf_release(&text);
	ctx_message_release(&m);
}

bool
ctx_render_result_list(struct ctx_message *m, const struct ctx_part *result)
{
	if (ctx_json_type(result->body) != CTX_JSON_ARRAY)
		return false;
	ctx_message_parse_content(m, result->body);
	return m->n > 0 && ctx_message_count(m, CTX_PART_TEXT) < m->n;
}

void
ctx_render_result_text(struct ctx_buf *b, const struct ctx_part *result, bool error)
{
	struct ctx_buf text = CTX_BUF_INIT;

	if (ctx_json_type(result->body) != CTX_JSON_NULL) {
		if (ctx_json_type(result->body) == CTX_JSON_STRING && !error) {
			ctx_buf_addspan(b, result->body);
			return;
		}
		put_content(result->body, &text);
	}
	ctx_buf_addc(b, '"');
	if (error && (text.n < 5 || strncasecmp(text.p, "error", 5) != 0))
		ctx_buf_adds(b, text.n > 0 ? "Error: " : "Error");
	if (text.n > 0)
		ctx_json_escape(b, ctx_buf_span(&text));
	ctx_buf_addc(b, '"');
	ctx_buf_release(&text);
}
