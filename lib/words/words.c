#include "words/words.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "words/category.h"

/* All scripts below U+0E00 put spaces between words; so scripts without spaces have
 * characters of three or more bytes. */
static bool
is_unspaced_script(uint32_t c)
{
	static const uint32_t ranges[][2] = {{0x0e00, 0x0eff}, {0x1000, 0x109f},
	    {0x1100, 0x11ff}, {0x1780, 0x17ff}, {0x3005, 0x3007}, {0x3041, 0x309f},
	    {0x30a1, 0x30fa}, {0x30fc, 0x31ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff},
	    {0xac00, 0xd7ff}, {0xf900, 0xfaff}, {0xff66, 0xff9f}, {0x20000, 0x3ffff}};

	if (c < 0x0e00)
		return false;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	return false;
}

/* 1: a letter or digit of ASCII. A table, because most bytes of most texts are tested. */
/* clang-format off */
static const uint8_t ascii_letters[256] = {
	['0'] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	['A'] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	['a'] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};
/* clang-format on */

static inline bool
is_ascii_letter(char c)
{
	return ascii_letters[(unsigned char)c];
}

static bool
is_word_letter(uint32_t c)
{
	static const uint32_t word = CTX_CATEGORIES_LETTER | CTX_CATEGORIES_MARK |
				     CTX_CATEGORIES_NUMBER | CTX_CATEGORY(CO);

	if (c < 0x80)
		return is_ascii_letter((char)c);
	return (word >> utf8proc_category((utf8proc_int32_t)c) & 1) != 0;
}

/* Returns true for characters that select text or emoji style, or a key cap. */
static bool
is_selector(uint32_t c)
{
	return c == 0xfe0e || c == 0xfe0f || c == 0x20e3;
}

static bool
is_flag_letter(uint32_t c)
{
	return c >= 0x1f1e6 && c <= 0x1f1ff;
}

/* Returns true for Unicode's Extended_Pictographic, except characters used as punctuation
 * in texts: "(c)" and "(tm)", arrows, and bullets. */
static bool
is_emoji(uint32_t c)
{
	if (c < 0x231a || (c >= 0x24c2 && c < 0x2600))
		return false;
	return is_flag_letter(c) ||
	       utf8proc_get_property((utf8proc_int32_t)c)->boundclass ==
		   UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

enum kind { OUTSIDE, LETTER, PAIRED, EMOJI };

/* Classifies the character at p, and stores its length in bytes. An invalid byte is
 * OUTSIDE. */
static enum kind
classify_word_char(const char *p, const char *end, size_t *len, uint32_t *cp)
{
	unsigned char b = (unsigned char)*p;

	if (b < 0x80) {
		*len = 1;
		*cp = b;
		return is_word_letter(b) ? LETTER : OUTSIDE;
	}
	*len = ctx_utf8_decode(p, (size_t)(end - p), cp);
	if (*len == 0) {
		*len = 1;
		return OUTSIDE;
	}
	if (!is_word_letter(*cp))
		return is_emoji(*cp) ? EMOJI : OUTSIDE;
	if (is_selector(*cp))
		return OUTSIDE;
	return is_unspaced_script(*cp) ? PAIRED : LETTER;
}

static inline const char *
skip_letters(const char *p, const char *end)
{
	while (p < end && is_ascii_letter(*p))
		p++;
	return p;
}

static inline const char *
skip_separators(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p < 0x80 && !is_ascii_letter(*p))
		p++;
	return p;
}

void
ctx_words_init(struct ctx_words *w, struct ctx_span text)
{
	memset(w, 0, sizeof(*w));
	w->p = text.p;
	w->end = text.p + text.n;
}

/* Adds the second letter to a flag. */
static void
end_emoji(struct ctx_words *w, uint32_t cp)
{
	uint32_t next;
	size_t len = ctx_utf8_decode(w->p, (size_t)(w->end - w->p), &next);

	if (len > 0 && is_flag_letter(cp) && is_flag_letter(next)) {
		w->raw.n += len;
		w->p += len;
	}
}

bool
ctx_words_next(struct ctx_words *w)
{
	enum kind kind = OUTSIDE, next = OUTSIDE;
	uint32_t cp = 0, other;
	const char *q = skip_separators(w->p, w->end);
	size_t len = 0;

	while (q < w->end && (kind = classify_word_char(q, w->end, &len, &cp)) == OUTSIDE)
		q = skip_separators(q + len, w->end);
	w->p = q;
	if (q >= w->end)
		return false;
	w->raw = (struct ctx_span){w->p, len};
	w->pair = kind == PAIRED;
	w->emoji = kind == EMOJI;
	w->upper = cp < 0x80
		       ? cp >= 'A' && cp <= 'Z'
		       : utf8proc_category((utf8proc_int32_t)cp) == UTF8PROC_CATEGORY_LU;
	w->more = false;
	q += len;
	if (kind == EMOJI) {
		w->p = q;
		end_emoji(w, cp);
		return true;
	}
	if (kind == PAIRED) {
		w->p = q;
		if (q < w->end &&
		    (next = classify_word_char(q, w->end, &len, &other)) == PAIRED)
			w->raw.n += len;
		w->more = next == PAIRED;
		return true;
	}
	q = skip_letters(q, w->end);
	while (q < w->end && (unsigned char)*q >= 0x80 &&
	       classify_word_char(q, w->end, &len, &other) == LETTER)
		q = skip_letters(q + len, w->end);
	w->raw.n = (size_t)(q - w->p);
	w->p = q;
	return true;
}

/* Returns true if the word's script is Latin, Greek or Cyrillic, in which marks are
 * accents; in other scripts marks can be vowels. */
static bool
has_accents_only(struct ctx_span raw)
{
	uint32_t c;

	for (size_t i = 0, len; i < raw.n; i += len) {
		len = ctx_utf8_decode(raw.p + i, raw.n - i, &c);
		if (len == 0)
			return false;
		if (c >= 0x590 && (c < 0x1ab0 || c > 0x1fff))
			return false;
	}
	return true;
}

/* Appends an emoji as characters of plane 16, which FTS5 treats as letters because it has
 * no category for them. The lower 16 bits are kept, which differ for all emoji. */
static void
fold_emoji(struct ctx_span raw, struct ctx_buf *out)
{
	uint32_t c;
	char bytes[4];

	for (size_t i = 0, len; i < raw.n; i += len) {
		len = ctx_utf8_decode(raw.p + i, raw.n - i, &c);
		ctx_buf_add(out, bytes, ctx_utf8_encode(0x100000 | (c & 0xffff), bytes));
	}
}

void
ctx_words_fold(struct ctx_span raw, struct ctx_buf *out)
{
	utf8proc_option_t how = UTF8PROC_COMPAT | UTF8PROC_CASEFOLD;
	utf8proc_uint8_t *folded = NULL;
	size_t start = out->n;
	bool ascii = true;
	uint32_t first;

	if (raw.n >= 3 && ctx_utf8_decode(raw.p, raw.n, &first) >= 3 && is_emoji(first)) {
		fold_emoji(raw, out);
		return;
	}
	ctx_buf_add(out, raw.p, raw.n);
	for (size_t i = start; i < out->n; i++) {
		char c = out->p[i];
		if (c >= 'A' && c <= 'Z')
			out->p[i] = (char)(c + 'a' - 'A');
		ascii &= (unsigned char)c < 0x80;
	}
	if (ascii)
		return;
	how |= has_accents_only(raw) ? UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK
				     : UTF8PROC_COMPOSE;
	if (utf8proc_map((const utf8proc_uint8_t *)raw.p, (utf8proc_ssize_t)raw.n,
		&folded, how) > 0) {
		out->n = start;
		ctx_buf_adds(out, (const char *)folded);
	}
	free(folded);
}

bool
ctx_words_listed(const char *const *list, size_t n, struct ctx_span word)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = (unsigned char)list[mid][0] - (unsigned char)word.p[0];
		if (c == 0)
			c = strncmp(list[mid], word.p, word.n);
		if (c == 0 && list[mid][word.n] != '\0')
			c = 1;
		if (c == 0)
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

double
ctx_words_rarity(double n, double with)
{
	return log(1 + (n - with + 0.5) / (with + 0.5));
}

/* Returns true if case folding changes the character further than FTS5's lower case does,
 * as "ß" to "ss". Characters composed of a letter and marks are left to FTS5, which
 * removes the marks. */
static bool
folds_further(uint32_t cp)
{
	const utf8proc_property_t *is;

	if (cp < 0x800)
		return cp == 0xdf || cp == 0x149 || cp == 0x587;
	is = utf8proc_get_property((utf8proc_int32_t)cp);
	return is->casefold_seqindex != UINT16_MAX &&
	       (is->decomp_seqindex == UINT16_MAX || is->decomp_type != 0);
}

static void
add_folded(uint32_t cp, struct ctx_buf *out)
{
	utf8proc_int32_t folded[8];
	utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)cp, folded,
	    sizeof(folded) / sizeof(folded[0]), UTF8PROC_CASEFOLD, NULL);
	char bytes[4];

	for (utf8proc_ssize_t i = 0; i < n && i < 8; i++)
		ctx_buf_add(out, bytes, ctx_utf8_encode((uint32_t)folded[i], bytes));
}

/* Returns true for characters of one or two bytes that folds_further need not check: all
 * except three. */
static bool
is_plain_fold_char(const char *p, const char *end)
{
	unsigned char b = (unsigned char)*p, next = p + 1 < end ? (unsigned char)p[1] : 0;

	return b < 0xe0 && !(b == 0xc3 && next == 0x9f) && !(b == 0xc5 && next == 0x89) &&
	       !(b == 0xd6 && next == 0x87);
}

/* The next byte that is not plain. */
static const char *
skip_plain_chars(const char *p, const char *end)
{
	uint64_t eight;

	while (p < end && is_plain_fold_char(p, end)) {
		for (p++; end - p >= (ptrdiff_t)sizeof(eight); p += sizeof(eight)) {
			memcpy(&eight, p, sizeof(eight));
			if ((eight & UINT64_C(0x8080808080808080)) != 0)
				break;
		}
	}
	return p;
}

void
ctx_words_space(struct ctx_span text, struct ctx_buf *out)
{
	const char *done = text.p;
	struct ctx_words w;
	enum kind kind;
	uint32_t cp;
	size_t len;

	ctx_words_init(&w, text);
	for (;;) {
		w.p = skip_plain_chars(w.p, w.end);
		if (w.p >= w.end)
			break;
		kind = classify_word_char(w.p, w.end, &len, &cp);
		if (kind == LETTER && !folds_further(cp)) {
			w.p += len;
			continue;
		}
		if (kind == LETTER || kind == OUTSIDE) {
			ctx_buf_add(out, done, (size_t)(w.p - done));
			if (kind == LETTER)
				add_folded(cp, out);
			else
				ctx_buf_addc(out, ' ');
			done = w.p += len;
			continue;
		}
		ctx_words_next(&w);
		ctx_buf_add(out, done, (size_t)(w.raw.p - done));
		ctx_buf_addc(out, ' ');
		if (w.emoji)
			ctx_words_fold(w.raw, out);
		else
			ctx_buf_addspan(out, w.raw);
		ctx_buf_addc(out, ' ');
		done = w.p;
	}
	ctx_buf_add(out, done, (size_t)(text.p + text.n - done));
}
