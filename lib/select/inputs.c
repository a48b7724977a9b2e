/* Cuts large inputs of tool calls. Otherwise a file that was written in full would stay
 * in its call for the rest of the session. */
#include "select/internal.h"

#include "base/utf8.h"
#include "json/json.h"

#define INPUT_MAX_CHARS 200
#define INPUT_HEAD_BYTES 100

static void
put_cut_text(struct ctx_buf *out, struct ctx_span text)
{
	size_t head = ctx_grapheme_before(text.p, text.n, INPUT_HEAD_BYTES);
	struct ctx_buf cut = CTX_BUF_INIT;

	ctx_put_cut(&cut, text, head, text.n, "");
	ctx_json_put_string(out, ctx_buf_span(&cut));
	ctx_buf_release(&cut);
}

/* Appends the value with its long texts cut. */
static void
put_cut_value(struct ctx_buf *out, struct ctx_span value)
{
	enum ctx_json_type type = ctx_json_type(value);
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text;

	if (type == CTX_JSON_OBJECT || type == CTX_JSON_ARRAY) {
		char bracket = type == CTX_JSON_OBJECT ? '{' : '[';
		size_t n = 0;
		ctx_buf_addc(out, bracket);
		CTX_JSON_EACH(it, value) {
			if (n++ > 0)
				ctx_buf_addc(out, ',');
			if (it.object) {
				ctx_buf_addspan(out, it.key);
				ctx_buf_addc(out, ':');
			}
			put_cut_value(out, it.value);
		}
		ctx_buf_addc(out, type == CTX_JSON_OBJECT ? '}' : ']');
		return;
	}
	text = ctx_json_text(value, &tmp);
	if (text.p != NULL && ctx_utf8_length(text.p, text.n) > INPUT_MAX_CHARS)
		put_cut_text(out, text);
	else
		ctx_buf_addspan(out, value);
	ctx_buf_release(&tmp);
}

/* Appends arguments: an object, or a string that contains one or is free text. */
static void
put_cut_arguments(struct ctx_buf *out, struct ctx_span body)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_buf tmp = CTX_BUF_INIT, cut = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(body, &tmp), value;

	if (text.p == NULL || ctx_json_check(text, &value, NULL, &ignored) < 0 ||
	    ctx_json_type(value) != CTX_JSON_OBJECT) {
		put_cut_value(out, body);
	} else if (ctx_utf8_length(text.p, text.n) <= INPUT_MAX_CHARS) {
		ctx_buf_addspan(out, body);
	} else {
		put_cut_value(&cut, value);
		if (cut.n < text.n)
			ctx_json_put_string(out, ctx_buf_span(&cut));
		else
			ctx_buf_addspan(out, body);
	}
	ctx_buf_release(&tmp);
	ctx_buf_release(&cut);
}

static void
replace_call_input(struct ctx_buf *out, const char **done, struct ctx_span body)
{
	struct ctx_buf cut = CTX_BUF_INIT;

	if (body.p == NULL || body.p < *done)
		return;
	ctx_buf_add(out, *done, (size_t)(body.p - *done));
	put_cut_arguments(&cut, body);
	ctx_buf_addspan(out, cut.n < body.n ? ctx_buf_span(&cut) : body);
	*done = body.p + body.n;
	ctx_buf_release(&cut);
}

void
ctx_cut_inputs(struct ctx_buf *out, struct ctx_span message)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	const char *done = message.p;

	if (ctx_message_parse(&m, message, &ignored) == 0)
		for (size_t i = 0; i < m.n; i++) {
			if (m.parts[i].type != CTX_PART_TOOL_CALL)
				continue;
			replace_call_input(out, &done, m.parts[i].body);
			if (!m.parts[i]
				 .openai) /* Responses: the text besides the object */
				replace_call_input(out, &done,
				    ctx_json_get(m.parts[i].raw, "arguments"));
		}
	ctx_buf_add(out, done, (size_t)(message.p + message.n - done));
	ctx_message_release(&m);
}
