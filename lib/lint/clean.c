/* Text that is not well-formed, such as the rest of a character that was cut. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "lint/doc.h"

struct clean {
	struct ctx_buf *out;
	size_t *at;
	size_t n, cap;
};

static void
mark_cleaned_place(struct clean *c, size_t offset, const char *by)
{
	CTX_MEM_GROW(c->at, c->n, c->cap);
	c->at[c->n++] = offset;
	ctx_buf_adds(c->out, by);
}

/* Returns the code unit of a \uXXXX escape at p, or -1 if there is none. */
static int
read_json_escape_unit(struct ctx_span s, size_t p)
{
	char digits[5] = "";

	if (p + 6 > s.n || s.p[p] != '\\' || s.p[p + 1] != 'u')
		return -1;
	memcpy(digits, s.p + p + 2, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") < 4)
		return -1;
	return (int)strtol(digits, NULL, 16);
}

/* Copies or replaces the escape at p. Returns its length in bytes. */
static size_t
clean_json_escape(struct clean *c, struct ctx_span s, size_t p)
{
	int first = read_json_escape_unit(s, p), second;
	size_t len = first < 0 ? 2 : 6;

	if (p + len > s.n)
		len = s.n - p;
	if (first >= 0xd800 && first <= 0xdbff) {
		second = read_json_escape_unit(s, p + 6);
		if (second >= 0xdc00 && second <= 0xdfff)
			len = 12;
	}
	if (first >= 0xd800 && first <= 0xdfff && len == 6)
		mark_cleaned_place(c, p, "\\ufffd");
	else if (len == 2 && (unsigned char)s.p[p + 1] >= 0x80)
		ctx_buf_add(c->out, s.p + p, len = 1);
	else
		ctx_buf_add(c->out, s.p + p, len);
	return len;
}

size_t
ctx_lint_clean_text(struct ctx_span text, struct ctx_buf *out, size_t **at)
{
	struct clean c = {out, NULL, 0, 0};
	bool string = false;

	for (size_t p = 0; p < text.n;) {
		size_t len;
		if (string && text.p[p] == '\\') {
			p += clean_json_escape(&c, text, p);
			continue;
		}
		if (text.p[p] == '"')
			string = !string;
		len = ctx_utf8_decode(text.p + p, text.n - p, NULL);
		if (len == 0)
			mark_cleaned_place(&c, p, "\xef\xbf\xbd");
		else
			ctx_buf_add(out, text.p + p, len);
		p += len == 0 ? 1 : len;
	}
	*at = c.at;
	return c.n;
}
