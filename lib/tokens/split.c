#include "tokens/split.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tokens/classes.h"

enum ctx_split
ctx_split_of_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;

	return strncmp(base, "cl100k", 6) == 0 ? CTX_SPLIT_CL100K : CTX_SPLIT_O200K;
}

typedef const unsigned char *bytes;

#define M(class) (1u << CTX_CLASS_##class)
#define LETTER (M(UPPER) | M(LOWER) | M(BOTH))
#define BLANK (M(SPACE) | M(NEWLINE))
#define SYMBOL (M(OTHER) | M(MARK))

static inline bytes
scan_class_run(bytes p, bytes end, unsigned set)
{
	size_t len;

	while (p < end && (set >> ctx_class_at(p, &len) & 1) != 0)
		p += len;
	return p;
}

/* Like scan, for sets that include all of a to z and no ASCII characters other than
 * letters. With fold, the set includes A to Z too. */
static inline bytes
scan_letters(bytes p, bytes end, unsigned set, int fold)
{
#ifdef __SSE2__
	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		if (fold)
			v = _mm_or_si128(v, _mm_set1_epi8(0x20));
		/* signed comparison: bytes from 0x80 on are below 'a' */
		__m128i in = _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('a' - 1)),
		    _mm_cmplt_epi8(v, _mm_set1_epi8('z' + 1)));
		unsigned out = (unsigned)_mm_movemask_epi8(in) ^ 0xffff;
		if (out == 0) {
			p += 16;
			continue;
		}
		p += __builtin_ctz(out);
		if (*p < 0x80)
			return p;
		break;
	}
#else
	(void)fold;
#endif
	return scan_class_run(p, end, set);
}

/* Returns the length of a match of (?i:'s|'t|'re|'ve|'m|'ll|'d) at p, or 0. Case folding
 * is Unicode's, so the long s matches s. */
static size_t
match_contraction(bytes p, bytes end)
{
	size_t n = (size_t)(end - p);
	int a, b;

	if (n < 2 || p[0] != '\'')
		return 0;
	a = p[1] | 0x20;
	if (a == 's' || a == 't' || a == 'm' || a == 'd')
		return 2;
	if (n < 3)
		return 0;
	if (p[1] == 0xc5 && p[2] == 0xbf)
		return 3;
	b = p[2] | 0x20;
	return (b == 'e' && (a == 'r' || a == 'v')) || (b == 'l' && a == 'l') ? 3 : 0;
}

/* \p{N}{1,3} */
static size_t
match_digits(bytes p, bytes end)
{
	bytes q = p;
	size_t len;

	for (int i = 0; i < 3 && q < end && ctx_class_at(q, &len) == CTX_CLASS_NUMBER;
	     i++)
		q += len;
	return (size_t)(q - p);
}

/* \s*[\r\n]+|\s+(?!\S)|\s+ */
static size_t
match_blanks(bytes p, bytes end)
{
	bytes q = p, last = p, after_newline = p;
	size_t len;

	while (q < end) {
		enum ctx_class c = ctx_class_at(q, &len);
		if ((BLANK >> c & 1) == 0)
			break;
		last = q;
		q += len;
		if (c == CTX_CLASS_NEWLINE)
			after_newline = q;
	}
	if (after_newline > p)
		return (size_t)(after_newline - p);
	return (size_t)((q == end || last == p ? q : last) - p);
}

/* Matches [^\s\p{L}\p{N}]+[\r\n]* from q, in a piece that begins at p; with slash, the
 * end is [\r\n/]*. */
static size_t
match_symbols(bytes p, bytes q, bytes end, int slash)
{
	q = scan_class_run(q, end, SYMBOL);
	while (q < end && (*q == '\r' || *q == '\n' || (slash && *q == '/')))
		q++;
	return (size_t)(q - p);
}

size_t
ctx_split_cl100k(const char *text, const char *text_end)
{
	bytes p = (bytes)text, end = (bytes)text_end, next;
	size_t len, n;
	enum ctx_class c = ctx_class_at(p, &len), d;

	if ((LETTER >> c & 1) != 0)
		return (size_t)(scan_letters(p + len, end, LETTER, 1) - p);
	if (c == CTX_CLASS_NUMBER)
		return match_digits(p, end);
	if (c == CTX_CLASS_NEWLINE)
		return match_blanks(p, end);
	if ((n = match_contraction(p, end)) != 0)
		return n;
	next = p + len;
	if (next < end) {
		d = ctx_class_at(next, &n);
		if ((LETTER >> d & 1) != 0)
			return (size_t)(scan_letters(next + n, end, LETTER, 1) - p);
		if (*p == ' ' && (SYMBOL >> d & 1) != 0)
			return match_symbols(p, next, end, 0);
	}
	return c == CTX_CLASS_SPACE ? match_blanks(p, end) : match_symbols(p, p, end, 0);
}

/* Returns the end of a match of one of the two word alternatives of o200k, without the
 * character before and the contraction after them:
 *
 *   [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+
 *   [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*
 *
 * If the run of the first set ends before a character that is not Ll, backtracking gives
 * back the capitals after its last character that is in both sets. If it has no such
 * character, the second alternative matches the run of capitals, unless first_only.
 * Returns NULL if neither alternative matches. */
static inline bytes
match_letter_word(bytes p, bytes end, int first_only)
{
	bytes q = p, after_both = NULL;
	size_t len;

	while (q < end) {
		enum ctx_class c = ctx_class_at(q, &len);
		if (c == CTX_CLASS_LOWER)
			return scan_letters(
			    q + len, end, M(LOWER) | M(BOTH) | M(MARK), 0);
		if (c != CTX_CLASS_UPPER && c != CTX_CLASS_BOTH && c != CTX_CLASS_MARK)
			break;
		q += len;
		if (c != CTX_CLASS_UPPER)
			after_both = q;
	}
	if (after_both != NULL)
		return after_both;
	return q > p && !first_only ? q : NULL;
}

static inline size_t
with_contraction(bytes p, bytes q, bytes end)
{
	return (size_t)(q - p) + (q < end && *q == '\'' ? match_contraction(q, end) : 0);
}

size_t
ctx_split_o200k(const char *text, const char *text_end)
{
	bytes p = (bytes)text, end = (bytes)text_end, q;
	size_t len, n;
	enum ctx_class c = ctx_class_at(p, &len);

	q = (LETTER >> c & 1) != 0 ? match_letter_word(p, end, 0) : NULL;
	if (q != NULL)
		return with_contraction(p, q, end);
	if (c == CTX_CLASS_NUMBER)
		return match_digits(p, end);
	if (c == CTX_CLASS_NEWLINE)
		return match_blanks(p, end);
	/* a mark can be the character before a word or part of the word */
	q = match_letter_word(p + len, end, c == CTX_CLASS_MARK);
	if (q == NULL && c == CTX_CLASS_MARK)
		q = match_letter_word(p, end, 0);
	if (q != NULL)
		return with_contraction(p, q, end);
	if (*p == ' ' && p + 1 < end && ctx_class_at(p + 1, &n) == CTX_CLASS_OTHER)
		return match_symbols(p, p + 1, end, 1);
	return c == CTX_CLASS_SPACE ? match_blanks(p, end) : match_symbols(p, p, end, 1);
}
