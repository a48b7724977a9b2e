#include "words/fold.h"

#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "words/category.h"

enum kind { KIND_WORD, KIND_SPACE, KIND_SINGLE, KIND_MARK };

/* Returns true for characters of scripts without spaces, in which each character counts
 * as a word. Judged by Unicode block. */
static bool
is_unspaced(uint32_t c)
{
	return (c >= 0x0e00 && c <= 0x0eff) || /* Thai, Lao */
	       (c >= 0x1000 && c <= 0x109f) || /* Myanmar */
	       (c >= 0x1780 && c <= 0x17ff) || /* Khmer */
	       (c >= 0x2e80 && c <= 0x2fdf) || /* radicals */
	       (c >= 0x3005 && c <= 0x3007) || (c >= 0x3021 && c <= 0x30ff) || /* Kana */
	       (c >= 0x31c0 && c <= 0x31ff) || (c >= 0x3400 && c <= 0x4dbf) ||
	       (c >= 0x4e00 && c <= 0x9fff) || /* Han */
	       (c >= 0xf900 && c <= 0xfaff) || (c >= 0xff66 && c <= 0xff9f) ||
	       (c >= 0x20000 && c <= 0x3ffff);
}

static inline bool
is_ascii_word(uint32_t c)
{
	return (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_';
}

static enum kind
kind_of(uint32_t c)
{
	uint32_t category;

	if (c < 0x80) {
		if (is_ascii_word(c))
			return KIND_WORD;
		return c == ' ' || c - '\t' < 5 ? KIND_SPACE : KIND_SINGLE;
	}
	category = UINT32_C(1) << utf8proc_category((utf8proc_int32_t)c);
	if (category & CTX_CATEGORIES_MARK)
		return KIND_MARK;
	if (category & (CTX_CATEGORIES_LETTER | CTX_CATEGORIES_NUMBER | CTX_CATEGORY(PC)))
		return is_unspaced(c) ? KIND_SINGLE : KIND_WORD;
	return category & CTX_CATEGORIES_SPACE || c == 0x85 ? KIND_SPACE : KIND_SINGLE;
}

static size_t
decode_fold_char(struct ctx_span text, size_t at, uint32_t *cp)
{
	size_t len = ctx_utf8_decode(text.p + at, text.n - at, cp);

	if (len == 0) {
		/* an invalid byte: mapped to a value above all code points */
		*cp = 0x110000 + (unsigned char)text.p[at];
		len = 1;
	}
	return len;
}

static enum kind
kind_at(struct ctx_span text, size_t at, size_t *len)
{
	uint32_t c = (unsigned char)text.p[at];

	*len = 1;
	if (c >= 0x80)
		*len = decode_fold_char(text, at, &c);
	return c >= 0x110000 ? KIND_SINGLE : kind_of(c);
}

/* Returns the end of the token that begins at at. */
static size_t
token_end(struct ctx_span text, size_t at, bool *space)
{
	size_t len;
	enum kind first = kind_at(text, at, &len), k;

	*space = first == KIND_SPACE;
	if (first == KIND_MARK)
		first = KIND_WORD;
	for (at += len; at < text.n; at += len) {
		k = kind_at(text, at, &len);
		if (k == KIND_MARK ? first == KIND_SPACE : k != first || k == KIND_SINGLE)
			break;
	}
	return at;
}

static unsigned char
ascii_lower(unsigned char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
}

static uint64_t
hash_folded_bytes(const char *s, size_t n, uint64_t h)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ascii_lower((unsigned char)s[i])) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

struct ctx_token
ctx_fold_token(struct ctx_span text, size_t at, uint64_t seed, struct ctx_buf *tmp)
{
	struct ctx_token t = {at, at, seed, false, true};
	uint64_t h = seed;

	/* fast path for ASCII words */
	while (t.end < text.n) {
		unsigned char c = ascii_lower((unsigned char)text.p[t.end]);

		if (!is_ascii_word(c))
			break;
		h = (h ^ c) * UINT64_C(0x9e3779b97f4a7c15);
		t.end++;
	}
	if (t.end > at && (t.end == text.n || (unsigned char)text.p[t.end] < 0x80)) {
		t.hash = h ^ h >> 29;
		return t;
	}
	t.end = token_end(text, at, &t.space);
	if (t.space) {
		t.hash = hash_folded_bytes(" ", 1, seed);
		return t;
	}
	for (size_t i = at; i < t.end; i++)
		t.ascii = t.ascii && (unsigned char)text.p[i] < 0x80;
	if (t.ascii) {
		t.hash = hash_folded_bytes(text.p + at, t.end - at, seed);
		return t;
	}
	ctx_buf_reset(tmp);
	ctx_fold_add(text, &t, tmp);
	t.hash = hash_folded_bytes(tmp->p, tmp->n, seed);
	return t;
}

/* Sorts the marks at the end of n code points into canonical order (Unicode 3.11,
 * D109). */
static void
order_last(utf8proc_int32_t *cp, size_t n)
{
	int ccc = utf8proc_get_property(cp[n - 1])->combining_class;

	while (ccc != 0 && n > 1 &&
	       utf8proc_get_property(cp[n - 2])->combining_class > ccc) {
		utf8proc_int32_t c = cp[n - 1];
		cp[n - 1] = cp[n - 2];
		cp[n - 2] = c;
		n--;
	}
}

static void
put_folded_chars(const utf8proc_int32_t *cp, size_t n, struct ctx_buf *out)
{
	char bytes[4];

	for (size_t i = 0; i < n; i++)
		ctx_buf_add(out, bytes, ctx_utf8_encode((uint32_t)cp[i], bytes));
}

static void
add_unicode(struct ctx_span text, size_t at, size_t end, struct ctx_buf *out)
{
	utf8proc_int32_t cp[80]; /* longer clusters are not reordered */
	size_t n = 0;

	while (at < end) {
		utf8proc_int32_t part[8];
		utf8proc_ssize_t got;
		uint32_t c;
		int last = 0;
		size_t len = decode_fold_char(text, at, &c);

		if (n + 8 > sizeof(cp) / sizeof(cp[0])) {
			put_folded_chars(cp, n, out);
			n = 0;
		}
		got = c >= 0x110000
			  ? -1
			  : utf8proc_decompose_char((utf8proc_int32_t)c, part, 8,
				UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD,
				&last);
		if (got <= 0 || got > 8) {
			put_folded_chars(cp, n, out);
			n = 0;
			ctx_buf_add(out, text.p + at, len);
		}
		for (utf8proc_ssize_t i = 0; i < got && got <= 8; i++) {
			cp[n++] = part[i];
			order_last(cp, n);
		}
		at += len;
	}
	put_folded_chars(cp, n, out);
}

void
ctx_fold_add(struct ctx_span text, const struct ctx_token *t, struct ctx_buf *out)
{
	if (t->space) {
		ctx_buf_addc(out, ' ');
		return;
	}
	if (!t->ascii) {
		add_unicode(text, t->offset, t->end, out);
		return;
	}
	ctx_buf_reserve(out, t->end - t->offset);
	for (size_t i = t->offset; i < t->end; i++)
		ctx_buf_addc(out, (char)ascii_lower((unsigned char)text.p[i]));
}

struct ctx_span
ctx_fold_trim(struct ctx_span text)
{
	size_t len, i;

	while (text.n > 0 && kind_at(text, 0, &len) == KIND_SPACE) {
		text.p += len;
		text.n -= len;
	}
	while (text.n > 0) {
		for (i = text.n - 1; i > 0 && ((unsigned char)text.p[i] & 0xc0) == 0x80;)
			i--;
		if (kind_at(text, i, &len) != KIND_SPACE || i + len != text.n)
			break;
		text.n = i;
	}
	return text;
}

void
ctx_fold_text(struct ctx_span text, struct ctx_buf *out)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	text = ctx_fold_trim(text);
	for (size_t at = 0; at < text.n;) {
		struct ctx_token t = ctx_fold_token(text, at, 0, &tmp);

		ctx_fold_add(text, &t, out);
		at = t.end;
	}
	ctx_buf_release(&tmp);
}
