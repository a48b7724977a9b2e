#include "base/utf8.h"

#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

size_t
ctx_utf8_decode(const char *s, size_t n, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t c;
	size_t len;

	if (n == 0)
		return 0;
	if (p[0] < 0x80) {
		c = p[0];
		len = 1;
	} else if (p[0] >= 0xc2 && p[0] < 0xe0) {
		if (n < 2 || (p[1] & 0xc0) != 0x80)
			return 0;
		c = (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
		len = 2;
	} else if (p[0] >= 0xe0 && p[0] < 0xf0) {
		if (n < 3 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
			return 0;
		c = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 |
		    (p[2] & 0x3f);
		if (c < 0x800 || (c >= 0xd800 && c < 0xe000))
			return 0;
		len = 3;
	} else if (p[0] >= 0xf0 && p[0] < 0xf5) {
		if (n < 4 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80 ||
		    (p[3] & 0xc0) != 0x80)
			return 0;
		c = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
		    (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
		if (c < 0x10000 || c > 0x10ffff)
			return 0;
		len = 4;
	} else {
		return 0;
	}
	if (cp != NULL)
		*cp = c;
	return len;
}

size_t
ctx_utf8_encode(uint32_t cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

/* Skips three-byte characters at p for which the second byte needs no check (surrogates,
 * overlong forms): most East Asian characters. Returns their length in bytes. */
static size_t
skip_threes(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t i = 0;

	while (n - i >= 3 && u[i] > 0xe0 && u[i] < 0xf0 && u[i] != 0xed &&
	       ((u[i + 1] ^ 0x80) | (u[i + 2] ^ 0x80)) < 0x40)
		i += 3;
	return i;
}

size_t
ctx_utf8_valid(const char *p, size_t n)
{
	size_t i = 0, len;

	while (i < n) {
		uint64_t w;
		if (n - i >= sizeof(w)) {
			memcpy(&w, p + i, sizeof(w));
			if ((w & UINT64_C(0x8080808080808080)) == 0) {
				i += sizeof(w);
				continue;
			}
		}
		len = skip_threes(p + i, n - i);
		if (len == 0)
			len = ctx_utf8_decode(p + i, n - i, NULL);
		if (len == 0)
			break;
		i += len;
	}
	return i;
}

size_t
ctx_utf8_length(const char *p, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t i = 0, inside = 0; /* number of continuation bytes */

	for (; n - i >= sizeof(ones); i += sizeof(ones)) {
		uint64_t w;
		memcpy(&w, p + i, sizeof(w));
		inside += (size_t)(((w >> 7 & ~(w >> 6) & ones) * ones) >> 56);
	}
	for (; i < n; i++)
		inside += ((unsigned char)p[i] & 0xc0) == 0x80;
	return n - inside;
}

#define LOOK_BACK 4096 /* bytes; clusters in real text are shorter */

/* Returns a position at or before at from which boundaries can be computed: every ASCII
 * character except LF begins a cluster. */
static size_t
clean_start(const char *p, size_t at)
{
	size_t low = at > LOOK_BACK ? at - LOOK_BACK : 0, i = at;

	while (i > low && !((unsigned char)p[i] < 0x80 && p[i] != '\n'))
		i--;
	while (i > 0 && ((unsigned char)p[i] & 0xc0) == 0x80)
		i--;
	return i;
}

/* Finds the boundaries around at: *before <= at <= *after. */
static void
find_grapheme_borders(const char *p, size_t n, size_t at, size_t *before, size_t *after)
{
	utf8proc_int32_t state = 0;
	uint32_t prev = 0xfffd, cp;
	size_t i, len;

	if (at >= n) {
		*before = *after = n;
		return;
	}
	i = clean_start(p, at > 0 ? at - 1 : 0);
	*before = i;
	len = ctx_utf8_decode(p + i, n - i, &prev);
	for (i += len > 0 ? len : 1; i < n; i += len, prev = cp) {
		len = ctx_utf8_decode(p + i, n - i, &cp);
		if (len == 0) {
			cp = 0xfffd;
			len = 1;
		}
		if (!utf8proc_grapheme_break_stateful(
			(utf8proc_int32_t)prev, (utf8proc_int32_t)cp, &state))
			continue;
		if (i <= at)
			*before = i;
		if (i >= at) {
			*after = i;
			return;
		}
	}
	*after = n;
}

size_t
ctx_grapheme_before(const char *p, size_t n, size_t at)
{
	size_t before, after;

	find_grapheme_borders(p, n, at, &before, &after);
	return at == 0 ? 0 : before;
}

size_t
ctx_grapheme_after(const char *p, size_t n, size_t at)
{
	size_t before, after;

	find_grapheme_borders(p, n, at, &before, &after);
	return at == 0 ? 0 : after;
}

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
