/* Puts text on one line of the document, so that it cannot begin a line of its own or end
 * the quotation around it. */
#include "summary/doc.h"

#include "base/utf8.h"
#include "json/json.h"

/* Returns the length of the longest prefix of at most max bytes that ends between words;
 * the whole length if text is short. */
static size_t
cut_at_word(struct ctx_span text, size_t max)
{
	size_t n = max;

	if (text.n <= max)
		return text.n;
	while (n > 0 && text.p[n] != ' ')
		n--;
	if (n == 0 && (unsigned char)text.p[0] >= 0x80) /* no spaces between words */
		n = ctx_grapheme_before(text.p, text.n, max);
	return n;
}

/* Appends text without line ends and control characters. instead is the character that
 * replaces those that would end the quotation, or 0. */
static void
put_quoted_line(struct ctx_buf *b, struct ctx_span text, char instead)
{
	bool space = true;
	uint32_t c;
	size_t n;

	text = ctx_span_trim(text);
	for (size_t i = 0; i < text.n; i += n) {
		n = ctx_utf8_decode(text.p + i, text.n - i, &c);
		if (n == 0) {
			n = 1;
			continue;
		}
		if (c == 0x1b && i + 1 < text.n && text.p[i + 1] == '[') {
			for (n = 2; i + n < text.n &&
				    (text.p[i + n] < '@' || text.p[i + n] > '~');)
				n++;
			n += i + n < text.n;
			continue;
		}
		if (c <= ' ' || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029) {
			if (!space)
				ctx_buf_addc(b, ' ');
			space = true;
			continue;
		}
		space = false;
		if ((instead == '"' && (c == 0x201c || c == 0x201d)) ||
		    (instead == '\'' && c == '`'))
			ctx_buf_addc(b, instead);
		else
			ctx_buf_add(b, text.p + i, n);
	}
}

void
ctx_doc_add_line(struct ctx_buf *b, struct ctx_span text)
{
	put_quoted_line(b, text, 0);
}

static void
put_enclosed(struct ctx_buf *b, struct ctx_span text, size_t max, const char *open,
    const char *close, char instead)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_span all;
	size_t n;

	put_quoted_line(&line, text, instead);
	all = ctx_buf_span(&line);
	n = cut_at_word(all, max);
	if (n > 0) {
		ctx_buf_adds(b, open);
		ctx_buf_add(b, all.p, n);
		ctx_buf_adds(b, n < all.n ? " …" : "");
		ctx_buf_adds(b, close);
	}
	ctx_buf_release(&line);
}

void
ctx_doc_add_quoted(struct ctx_buf *b, struct ctx_span text, size_t max)
{
	put_enclosed(b, text, max, "“", "”", '"');
}

void
ctx_doc_add_code(struct ctx_buf *b, struct ctx_span text, size_t max)
{
	put_enclosed(b, text, max, "`", "`", '\'');
}

static bool
has_space(struct ctx_span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ')
			return true;
	return false;
}

#define ELEMENTS_MAX 8

/* Appends the elements of an array, or the values of an object. A value that is too long
 * is omitted. */
static void
put_elements(struct ctx_buf *b, struct ctx_span value, size_t max)
{
	struct ctx_buf one = CTX_BUF_INIT;
	size_t n = 0, start = b->n;

	CTX_JSON_EACH(it, value) {
		ctx_buf_reset(&one);
		ctx_doc_add_value(&one, it.value, max);
		if (one.n == 0)
			continue;
		if (++n > ELEMENTS_MAX) {
			ctx_buf_adds(b, " …");
			break;
		}
		ctx_buf_adds(b, b->n > start ? " " : "");
		ctx_buf_addspan(b, ctx_buf_span(&one));
	}
	ctx_buf_release(&one);
}

void
ctx_doc_add_value(struct ctx_buf *b, struct ctx_span value, size_t max)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text;

	switch (ctx_json_type(value)) {
	case CTX_JSON_STRING:
		text = ctx_span_trim(ctx_json_text(value, &tmp));
		if (has_space(text))
			ctx_doc_add_quoted(b, text, max);
		else if (text.n <= max)
			ctx_doc_add_line(b, text);
		break;
	case CTX_JSON_NUMBER:
	case CTX_JSON_BOOL:
		ctx_buf_addspan(b, value);
		break;
	case CTX_JSON_ARRAY:
	case CTX_JSON_OBJECT:
		put_elements(b, value, max);
		break;
	default:
		break;
	}
	ctx_buf_release(&tmp);
}
