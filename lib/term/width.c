#include "term/term.h"

#include <utf8proc.h>

#include "base/utf8.h"

/* variation selector 16: shows the previous character as a picture */
#define EMOJI_STYLE 0xfe0f

/* Returns the columns of one cluster: the sum of its characters' widths, as most
 * terminals and pagers compute it. A terminal that joins emoji into one picture leaves
 * columns unused. */
static size_t
measure_cluster(const char *p, size_t n)
{
	size_t width = 0, at = 0;
	int last = 0;
	uint32_t c;

	while (at < n) {
		size_t len = ctx_utf8_decode(p + at, n - at, &c);
		int w = len == 0 ? 1 : utf8proc_charwidth((utf8proc_int32_t)c);
		if (len > 0 && c == EMOJI_STYLE)
			w = last == 1;
		else if (len > 0 && c >= 0x1f1e6 && c <= 0x1f1ff)
			w = 1; /* half of a flag */
		if (w > 0)
			width += (size_t)w;
		last = w;
		at += len == 0 ? 1 : len;
	}
	return width;
}

/* Returns the length in bytes of the cluster at the beginning of text, which must not be
 * empty. */
static size_t
find_cluster(struct ctx_span text, size_t *width)
{
	size_t n;

	if (text.n == 1 ||
	    ((unsigned char)text.p[0] < 0x80 && (unsigned char)text.p[1] < 0x80)) {
		*width = (unsigned char)text.p[0] >= ' ' && text.p[0] != 0x7f;
		return 1;
	}
	n = ctx_grapheme_after(text.p, text.n < 256 ? text.n : 256, 1);
	*width = measure_cluster(text.p, n);
	return n;
}

size_t
ctx_term_fit(struct ctx_span text, size_t columns, size_t *width)
{
	size_t at = 0, used = 0;

	while (at < text.n) {
		size_t w,
		    n = find_cluster((struct ctx_span){text.p + at, text.n - at}, &w);
		if (used + w > columns)
			break;
		used += w;
		at += n;
	}
	*width = used;
	return at;
}

size_t
ctx_term_width(struct ctx_span text)
{
	size_t width;

	ctx_term_fit(text, SIZE_MAX / 2, &width);
	return width;
}

/* ---- clean text ---- */

static bool
turns_direction(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0xfeff;
}

/* Returns an ASCII replacement for a typographic character, or NULL. */
static const char *
find_likeness(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		const char *like;
	} table[] = {{0xa0, 0xa0, " "}, {0xb7, 0xb7, "*"}, {0xdf, 0xdf, "ss"},
	    {0x2010, 0x2013, "-"}, {0x2014, 0x2014, "--"}, {0x2018, 0x2019, "'"},
	    {0x201c, 0x201e, "\""}, {0x2022, 0x2022, "*"}, {0x2026, 0x2026, "..."},
	    {0x2192, 0x2192, "->"}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (c >= table[i].first && c <= table[i].last)
			return table[i].like;
	return NULL;
}

static void
put_ascii(struct ctx_buf *out, uint32_t c)
{
	utf8proc_int32_t parts[8];
	const char *like = find_likeness(c);
	int class = 0;
	utf8proc_ssize_t n;

	if (like != NULL) {
		ctx_buf_adds(out, like);
		return;
	}
	if (utf8proc_charwidth((utf8proc_int32_t)c) == 0)
		return; /* a combining character, part of the previous one */
	n = utf8proc_decompose_char(
	    (utf8proc_int32_t)c, parts, 8, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, &class);
	if (n > 0 && n <= 8 && parts[0] < 0x80)
		ctx_buf_addc(out, (char)parts[0]);
	else
		ctx_buf_addc(out, '?');
}

void
ctx_term_clean(struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text)
{
	struct ctx_buf visible = CTX_BUF_INIT;
	size_t len;

	ctx_visible_add(&visible, text);
	for (size_t i = 0; i < visible.n; i += len) {
		uint32_t c;
		len = ctx_utf8_decode(visible.p + i, visible.n - i, &c);
		if (c < 0x80)
			ctx_buf_addc(out, (char)c);
		else if (turns_direction(c))
			continue;
		else if (term->utf8)
			ctx_buf_add(out, visible.p + i, len);
		else
			put_ascii(out, c);
	}
	ctx_buf_release(&visible);
}

void
ctx_term_clean_line(
    struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text)
{
	struct ctx_buf clean = CTX_BUF_INIT;
	size_t start = out->n;
	bool space = false;

	ctx_term_clean(&clean, term, text);
	for (size_t i = 0; i < clean.n; i++) {
		if (clean.p[i] == ' ' || clean.p[i] == '\n' || clean.p[i] == '\t') {
			space = out->n > start;
			continue;
		}
		if (space)
			ctx_buf_addc(out, ' ');
		space = false;
		ctx_buf_addc(out, clean.p[i]);
	}
	ctx_buf_release(&clean);
}

size_t
ctx_term_put_cut(struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text,
    size_t columns)
{
	const char *mark = term->utf8 ? "…" : "...";
	size_t marked = term->utf8 ? 1 : 3, width, n;

	n = ctx_term_fit(text, columns, &width);
	if (n == text.n) {
		ctx_buf_addspan(out, text);
		return width;
	}
	if (columns < marked)
		return 0;
	n = ctx_term_fit(text, columns - marked, &width);
	while (n > 0 && text.p[n - 1] == ' ') {
		n--;
		width--;
	}
	ctx_buf_add(out, text.p, n);
	ctx_buf_adds(out, mark);
	return width + marked;
}

void
ctx_term_pad(struct ctx_buf *out, size_t columns)
{
	while (columns-- > 0)
		ctx_buf_addc(out, ' ');
}
