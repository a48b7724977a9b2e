#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "redact/internal.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define ESCAPE 0x1b

static void
add_mark(struct view *v, size_t from, uint32_t n, uint32_t len)
{
	CTX_MEM_GROW(v->mark, v->n, v->cap);
	v->mark[v->n++] = (struct view_mark){v->text.n, from, n, len};
}

/* Returns the first backslash, percent sign or escape character. */
static const char *
skip_copied(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i back = _mm_set1_epi8('\\'), percent = _mm_set1_epi8('%');
	const __m128i escape = _mm_set1_epi8(ESCAPE);

	while (end - p >= 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, back),
		    _mm_or_si128(_mm_cmpeq_epi8(x, percent), _mm_cmpeq_epi8(x, escape)));
		int mask = _mm_movemask_epi8(hit);
		if (mask != 0)
			return p + __builtin_ctz((unsigned)mask);
		p += 16;
	}
#endif
	while (p < end && *p != '\\' && *p != '%' && *p != ESCAPE)
		p++;
	return p;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int32_t
hex_number(const char *p, const char *end, int digits)
{
	int32_t x = 0;

	if (end - p < digits)
		return -1;
	for (int i = 0; i < digits; i++) {
		int d = hex_digit(p[i]);
		if (d < 0)
			return -1;
		x = x << 4 | d;
	}
	return x;
}

/* p follows an escape character. Returns the length of a sequence that sets colors or the
 * like; 0 if it is not one. */
static size_t
colour_length(const char *p, const char *end)
{
	const char *q = p;

	if (q == end || *q != '[')
		return 0;
	for (q++; q < end && q - p < 32; q++) {
		if ((*q >= 'A' && *q <= 'Z') || (*q >= 'a' && *q <= 'z'))
			return (size_t)(q - p) + 1;
		if ((*q < '0' || *q > '9') && *q != ';' && *q != ':' && *q != '?')
			return 0;
	}
	return 0;
}

/* Returns the character that the escape at p stands for, where p follows one or more
 * backslashes; -1 if it is not an escape. *len is the number of bytes of the escape at
 * p. */
static int32_t
read_escape(const char *p, const char *end, size_t *len)
{
	static const char letters[] = "nrtbf\"'`/$", chars[] = "\n\r\t  \"'`/$";
	const char *letter = p == end || *p == '\0' ? NULL : strchr(letters, *p);
	int32_t x;

	*len = 1;
	if (letter != NULL)
		return chars[letter - letters];
	switch (p == end ? 0 : *p) {
	case 'u':
		*len = 5;
		return hex_number(p + 1, end, 4);
	case 'x':
		*len = 3;
		x = hex_number(p + 1, end, 2);
		return x >= 0x80 ? -1 : x;
	case '0':
		*len = 3;
		return end - p >= 3 && p[1] == '3' && p[2] == '3' ? ESCAPE : -1;
	case 'e':
		return colour_length(p + 1, end) > 0 ? ESCAPE : -1;
	default:
		return -1;
	}
}

/* Decodes percent-encoded bytes at p. Returns the character if it is printable or a
 * newline, else -1. *len is set to the encoded length. */
static int32_t
read_percent(const char *p, const char *end, size_t *len)
{
	char utf8[4];
	size_t n = 0;
	uint32_t cp;

	while (n < 4 && end - p >= 3 && *p == '%') {
		int32_t x = hex_number(p + 1, end, 2);
		if (x < 0 || (n > 0 && (x & 0xc0) != 0x80))
			break;
		utf8[n++] = (char)x;
		p += 3;
	}
	n = ctx_utf8_decode(utf8, n, &cp);
	*len = 3 * n;
	return n > 0 && (cp == '\n' || (cp >= 0x20 && cp != 0x7f)) ? (int32_t)cp : -1;
}

/* Appends the decoded form of the sequence at p, and returns the position after it. */
static const char *
undo_one(struct view *v, const char *start, const char *p, const char *end)
{
	const char *q = p, *rest;
	size_t len = 0, n;
	char utf8[4];
	int32_t x;

	if (*p == '%') {
		x = read_percent(p, end, &len);
		rest = p + (x < 0 ? 1 : len);
		x = x < 0 ? '%' : x;
	} else if (*p == '\\') {
		while (q < end && *q == '\\')
			q++;
		x = read_escape(q, end, &len);
		rest = x < 0 ? q : q + len;
		x = x < 0 ? '\\' : x;
	} else {
		x = ESCAPE;
		rest = p + 1;
	}
	n = x == ESCAPE ? colour_length(rest, end) : 0;
	if (n > 0) {
		rest += n;
		add_mark(v, (size_t)(p - start), 0, (uint32_t)(rest - p));
		return rest;
	}
	n = ctx_utf8_encode(x >= 0xd800 && x < 0xe000 ? 0xfffd : (uint32_t)x, utf8);
	if (rest - p != 1)
		add_mark(v, (size_t)(p - start), (uint32_t)n, (uint32_t)(rest - p));
	ctx_buf_add(&v->text, utf8, n);
	return rest;
}

void
ctx_redact_view(struct view *v, struct ctx_span text)
{
	const char *p = text.p, *end = text.p + text.n;

	ctx_buf_reset(&v->text);
	ctx_buf_reserve(&v->text, text.n + 1);
	v->n = 0;
	while (p < end) {
		const char *stop = skip_copied(p, end);
		ctx_buf_add(&v->text, p, (size_t)(stop - p));
		p = stop < end ? undo_one(v, text.p, stop, end) : stop;
	}
}

/* Returns the last mark at or before byte at of the view, or NULL. */
static const struct view_mark *
find_mark(const struct view *v, size_t at)
{
	size_t i;

	CTX_BOUND(i, v->n, v->mark[i].at <= at);
	return i == 0 ? NULL : &v->mark[i - 1];
}

/* Returns where the text of byte at of the view begins or, with after = true, ends. */
static size_t
find_place(const struct view *v, size_t at, bool after)
{
	const struct view_mark *m = find_mark(v, at);

	if (m == NULL)
		return at + after;
	if (at < m->at + m->n)
		return m->from + (after ? m->len : 0);
	return m->from + m->len + (at - m->at - m->n) + after;
}

void
ctx_redact_view_place(
    const struct view *v, size_t from, size_t to, size_t *begin, size_t *end)
{
	*begin = find_place(v, from, false);
	*end = find_place(v, to - 1, true);
}

bool
ctx_redact_view_colour(const struct view *v, size_t at)
{
	const struct view_mark *m = find_mark(v, at);

	for (; m != NULL && m->at == at; m = m > v->mark ? m - 1 : NULL)
		if (m->n == 0)
			return true;
	return false;
}

void
ctx_redact_view_release(struct view *v)
{
	ctx_buf_release(&v->text);
	free(v->mark);
	memset(v, 0, sizeof(*v));
}
