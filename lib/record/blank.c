/* Texts: those without visible content, and texts as blocks. */
#include "base/utf8.h"
#include "json/json.h"
#include "record/message.h"

static bool
is_unicode_space(uint32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 ||
	       c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
	       c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

static bool
all_space(struct ctx_span s)
{
	while (s.n > 0) {
		uint32_t c = 0;
		size_t len = ctx_utf8_decode(s.p, s.n, &c);
		if (len == 0 || !is_unicode_space(c))
			return false;
		s.p += len;
		s.n -= len;
	}
	return true;
}

bool
ctx_message_blank(struct ctx_span string)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s;
	bool blank;

	if (ctx_json_type(string) != CTX_JSON_STRING)
		return true;
	/* Most texts are decided by their first characters, without decoding. */
	s = (struct ctx_span){string.p + 1, string.n - 2};
	while (s.n > 0 && *s.p == ' ') {
		s.p++;
		s.n--;
	}
	if (s.n > 0 && *s.p > ' ' && *s.p != '\\')
		return false;
	s = ctx_json_text(string, &tmp);
	blank = all_space(s);
	ctx_buf_release(&tmp);
	return blank;
}

void
ctx_message_put_text(struct ctx_buf *b, struct ctx_span string)
{
	ctx_json_print(b, "{'type':'text','text':%j}", string);
}

void
ctx_message_put_blocks(struct ctx_buf *b, struct ctx_span content)
{
	if (!ctx_message_blank(content))
		ctx_message_put_text(b, content);
	CTX_JSON_EACH_WHILE(!it.object, it, content)
		ctx_json_put_raw(b, it.value);
}
