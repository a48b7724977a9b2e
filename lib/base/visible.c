#include "base/visible.h"

#include "base/utf8.h"

void
ctx_visible_add(struct ctx_buf *out, struct ctx_span s)
{
	size_t i = 0;

	while (i < s.n) {
		uint32_t c = 0;
		size_t len = ctx_utf8_decode(s.p + i, s.n - i, &c);
		if (len == 0) {
			ctx_buf_adds(out, "\xef\xbf\xbd");
			i++;
			continue;
		}
		if (c == '\r' && i + 1 < s.n && s.p[i + 1] == '\n')
			; /* the newline follows */
		else if (c == 0x2028 || c == 0x2029)
			ctx_buf_addc(out, '\n');
		else if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0))
			ctx_buf_addf(out, "\\x%02x", (unsigned)c);
		else
			ctx_buf_add(out, s.p + i, len);
		i += len;
	}
}

void
ctx_visible_add_line(struct ctx_buf *out, struct ctx_span text)
{
	size_t start = out->n;

	ctx_visible_add(out, text);
	for (size_t i = start; i < out->n; i++)
		if (out->p[i] == '\n' || out->p[i] == '\t')
			out->p[i] = ' ';
}
