#include "base/utf8.h"
#include "term/term.h"

void
ctx_term_html(struct ctx_buf *out, struct ctx_span s)
{
	size_t i = 0;

	while (i < s.n) {
		uint32_t c = 0;
		size_t len = ctx_utf8_decode(s.p + i, s.n - i, &c);
		if (len == 0 || c == 0x7f || (c >= 0x80 && c < 0xa0) ||
		    (c < 0x20 && c != '\n' && c != '\t' && c != '\r'))
			ctx_buf_adds(out, "\xef\xbf\xbd");
		else if (c == '<')
			ctx_buf_adds(out, "&lt;");
		else if (c == '>')
			ctx_buf_adds(out, "&gt;");
		else if (c == '&')
			ctx_buf_adds(out, "&amp;");
		else if (c == '"')
			ctx_buf_adds(out, "&quot;");
		else if (c == '\'')
			ctx_buf_adds(out, "&#39;");
		else if (c != '\r')
			ctx_buf_add(out, s.p + i, len);
		i += len == 0 ? 1 : len;
	}
}
