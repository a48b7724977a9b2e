/* Estimates token counts without a vocabulary. Text is split into the same pieces as for
 * o200k_base. Each piece has features, here called terms: its kind and length, its pairs
 * of letters or symbols, its characters by script. Each term has a weight, and the
 * estimate for a piece is the sum of the weights of its terms. The weights were fitted by
 * least squares (tests/bench/tokens). */
#ifndef CTX_TOKENS_APPROX_H
#define CTX_TOKENS_APPROX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tokens/classes.h"

#define CTX_APPROX_FIT "2" /* version of the weights; increment it whenever they change */

/* Returns an estimate of the number of o200k_base tokens in the n bytes of well-formed
 * UTF-8 at p. */
int64_t ctx_approx_text(const char *p, size_t n);

/* ---- the terms of a piece ----
 *
 * The program that fits the weights also uses this part. */

#define CTX_APPROX_UNIT 1024 /* weights are in 1/1024 token */
/* words of up to this number of letters have a separate term for each length */
#define CTX_APPROX_LEN 16
/* runs of up to this number of symbols have a separate term for each length */
#define CTX_APPROX_RUN 8
/* number of kinds of characters before a letter: one kind for each letter a to z, and the
 * kinds "no character", "a space" and "any other character" */
#define CTX_APPROX_LETTERS 29
/* number of symbols: 32 ASCII symbols, space and newline */
#define CTX_APPROX_SYMBOLS 34
/* number of kinds of Cyrillic letters: one for each of 32 Russian letters, one for the
 * letter yo, and one for all others */
#define CTX_APPROX_CYRILLIC 34
/* number of Latin letters with a term of their own, from U+00C0 on */
#define CTX_APPROX_MARKED 192

/* Groups of non-ASCII characters. All characters of a group need about the same number of
 * tokens. A group is named after the script of its characters, if the characters have
 * one. */
enum ctx_approx_script {
	CTX_SCRIPT_LATIN,
	CTX_SCRIPT_VIETNAMESE,
	CTX_SCRIPT_IPA,
	CTX_SCRIPT_GREEK,
	CTX_SCRIPT_CYRILLIC,
	CTX_SCRIPT_ARMENIAN,
	CTX_SCRIPT_HEBREW,
	CTX_SCRIPT_ARABIC,
	CTX_SCRIPT_DEVANAGARI,
	CTX_SCRIPT_BENGALI,
	CTX_SCRIPT_GURMUKHI,
	CTX_SCRIPT_GUJARATI,
	CTX_SCRIPT_TAMIL,
	CTX_SCRIPT_TELUGU,
	CTX_SCRIPT_KANNADA,
	CTX_SCRIPT_MALAYALAM,
	CTX_SCRIPT_SINHALA,
	CTX_SCRIPT_THAI,
	CTX_SCRIPT_TIBETAN,
	CTX_SCRIPT_MYANMAR,
	CTX_SCRIPT_GEORGIAN,
	CTX_SCRIPT_ETHIOPIC,
	CTX_SCRIPT_KHMER,
	CTX_SCRIPT_HANGUL,
	CTX_SCRIPT_HIRAGANA,
	CTX_SCRIPT_KATAKANA,
	CTX_SCRIPT_HAN,
	CTX_SCRIPT_OTHER,
	CTX_SCRIPT_PUNCTUATION,
	CTX_SCRIPT_CJK_PUNCTUATION,
	CTX_SCRIPT_WIDE_FORM,
	CTX_SCRIPT_DRAWING,
	CTX_SCRIPT_PICTURE,
	CTX_SCRIPT_JOINER,
	CTX_SCRIPT_ASTRAL,
	CTX_SCRIPTS
};

enum ctx_approx_term {
	/* Words. One term for each combination of the kind of character before the word
	 * (3 kinds), the case of the word (3 cases), and its length. */
	CTX_TERM_WORD = 0,
	/* Letters of a word after the first CTX_APPROX_LEN letters. One term for each of
	 * the 3 cases of the word. */
	CTX_TERM_WORD_MORE = CTX_TERM_WORD + 9 * CTX_APPROX_LEN,
	CTX_TERM_CONTRACTION = CTX_TERM_WORD_MORE + 3,
	CTX_TERM_LETTERS, /* pairs of adjacent letters */
	/* Runs of symbols. Two terms for each length: the second one is for runs of the
	 * same symbol. */
	CTX_TERM_RUN = CTX_TERM_LETTERS + CTX_APPROX_LETTERS * 26,
	CTX_TERM_RUN_MORE = CTX_TERM_RUN + 2 * CTX_APPROX_RUN,
	CTX_TERM_SYMBOLS = CTX_TERM_RUN_MORE + 2, /* pairs of adjacent symbols */
	CTX_TERM_NUMBER = CTX_TERM_SYMBOLS + CTX_APPROX_SYMBOLS * CTX_APPROX_SYMBOLS,
	CTX_TERM_NUMBER_WIDE,
	CTX_TERM_BLANK,
	/* bytes of white space in a piece after its first 16 bytes */
	CTX_TERM_BLANK_MORE,
	CTX_TERM_BLANK_WIDE, /* non-ASCII white space */
	/* Pieces with non-ASCII characters. Two terms for each script of the first
	 * non-ASCII character: the second one is for pieces that begin with an ASCII
	 * character. */
	CTX_TERM_WIDE,
	/* The first four characters of a sequence of characters in one script. One term
	 * for each script. */
	CTX_TERM_WIDE_FEW = CTX_TERM_WIDE + 2 * CTX_SCRIPTS,
	/* The characters after the first four of a sequence of characters in one script.
	 * One term for each script. */
	CTX_TERM_WIDE_MANY = CTX_TERM_WIDE_FEW + CTX_SCRIPTS,
	/* ASCII characters in a piece with non-ASCII characters. The first term is for
	 * letters, the second for other characters. */
	CTX_TERM_WIDE_ASCII = CTX_TERM_WIDE_MANY + CTX_SCRIPTS,
	/* A second set of the terms from CTX_TERM_WORD to CTX_TERM_LETTERS, for text with
	 * non-ASCII Latin letters. */
	CTX_TERM_FOREIGN = CTX_TERM_WIDE_ASCII + 2,
	/* one term for each non-ASCII Latin letter */
	CTX_TERM_MARKED = CTX_TERM_FOREIGN + CTX_TERM_RUN,
	/* Pairs of Cyrillic letters. At the beginning of a piece, the first letter is
	 * paired with "no character" or "ASCII character". */
	CTX_TERM_CYRILLIC = CTX_TERM_MARKED + CTX_APPROX_MARKED,
	CTX_TERM_CYRILLIC_UPPER = CTX_TERM_CYRILLIC +
				  (CTX_APPROX_CYRILLIC + 2) * CTX_APPROX_CYRILLIC,
	CTX_TERMS
};

/* After a word with a non-ASCII Latin letter, this number of pieces is assumed to be in
 * the same language. */
#define CTX_APPROX_NEAR 64

/* Adds occurrences of a term to a sum of the caller. arg: pointer to this sum; term:
 * number of the term (enum ctx_approx_term); count: number of occurrences. */
typedef void (*ctx_approx_add)(void *arg, unsigned term, unsigned count);

enum ctx_approx_script ctx_approx_script_of(uint32_t cp);

static inline bool
ctx_approx_is_letter(unsigned char c)
{
	return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* Returns the index (0 to CTX_APPROX_SYMBOLS - 1) of an ASCII symbol, space or newline.
 * Other control characters count as a space. */
static inline unsigned
ctx_approx_symbol(unsigned char c)
{
	return c == '\n' || c == '\r'  ? 33
	       : c <= ' ' || c == 0x7f ? 32
	       : c < '0'               ? (unsigned)c - '!'
	       : c < 'A'               ? (unsigned)c - ':' + 15u
	       : c < 'a'               ? (unsigned)c - '[' + 22u
				       : (unsigned)c - '{' + 28u;
}

/* Adds the term for the length and case of a word. n: number of letters; upper: number of
 * capital letters; lead and base: see ctx_approx_word. */
static inline void
ctx_approx_length(
    size_t n, size_t upper, unsigned lead, unsigned base, ctx_approx_add add, void *arg)
{
	unsigned shape = upper == 0 ? 0 : upper == 1 && n > 1 ? 1 : 2;

	if (n > CTX_APPROX_LEN) {
		add(arg, base + CTX_TERM_WORD_MORE + shape,
		    (unsigned)(n - CTX_APPROX_LEN));
		n = CTX_APPROX_LEN;
	}
	add(arg,
	    base + CTX_TERM_WORD + (lead * 3 + shape) * CTX_APPROX_LEN + (unsigned)n - 1,
	    1);
}

/* Adds the terms of a word. The word consists of the letters at p; if other characters
 * follow before the address "end", they are a contraction (such as 's). lead: kind of the
 * character before the word (0: no character, 1: a space, 2: any other character); base:
 * CTX_TERM_FOREIGN if the text has non-ASCII Latin letters, otherwise 0. */
static inline void
ctx_approx_word(const unsigned char *p, const unsigned char *end, unsigned lead,
    unsigned base, ctx_approx_add add, void *arg)
{
	size_t n = 0, upper = 0;
	unsigned before = 26 + lead;

	do {
		unsigned letter = (*p | 0x20u) - 'a';
		upper += *p < 'a';
		add(arg, base + CTX_TERM_LETTERS + before * 26 + letter, 1);
		before = letter;
		n++;
	} while (++p < end && ctx_approx_is_letter(*p));
	if (p < end)
		add(arg, base + CTX_TERM_CONTRACTION, 1);
	ctx_approx_length(n, upper, lead, base, add, arg);
}

static inline void
ctx_approx_symbols(
    const unsigned char *p, const unsigned char *end, ctx_approx_add add, void *arg)
{
	size_t n = (size_t)(end - p);
	bool alike = true;
	unsigned before = ctx_approx_symbol(*p);
	const unsigned char first = n > 1 && *p == ' ' ? p[1] : *p;

	for (p++; p < end; p++) {
		unsigned s = ctx_approx_symbol(*p);
		add(arg, CTX_TERM_SYMBOLS + before * CTX_APPROX_SYMBOLS + s, 1);
		alike = alike && *p == first;
		before = s;
	}
	if (n > CTX_APPROX_RUN) {
		add(arg, CTX_TERM_RUN_MORE + alike, (unsigned)(n - CTX_APPROX_RUN));
		n = CTX_APPROX_RUN;
	}
	add(arg, CTX_TERM_RUN + alike * CTX_APPROX_RUN + (unsigned)n - 1, 1);
}

/* Returns the base letter (0 for a, 25 for z) of a Latin letter from U+00C0 to U+017F.
 * Returns 26 if the character has no base letter. */
static inline unsigned
ctx_approx_plain(uint32_t cp)
{
	static const char plain[] =
	    "aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuytyaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

	return cp >= 0xc0 && cp < 0x180 && plain[cp - 0xc0] != '.'
		   ? (unsigned)plain[cp - 0xc0] - 'a'
		   : 26;
}

/* For a word of Latin letters, some with diacritics: adds the terms of the word without
 * diacritics and a term for each letter with a diacritic, and returns true. If any
 * character is not a Latin letter, adds nothing and returns false. lead: see
 * ctx_approx_word. */
static inline bool
ctx_approx_marked(const unsigned char *p, const unsigned char *end, unsigned lead,
    ctx_approx_add add, void *arg)
{
	const unsigned base = CTX_TERM_FOREIGN;
	unsigned before = 26 + lead, n = 0, upper = 0;
	size_t len;

	for (const unsigned char *q = p; q < end; q += len) {
		uint32_t cp = ctx_class_decode(q, &len);
		if (cp < 0x80 ? !ctx_approx_is_letter((unsigned char)cp)
			      : ctx_approx_plain(cp) == 26)
			return false;
	}
	for (; p < end; p += len, n++) {
		uint32_t cp = ctx_class_decode(p, &len);
		unsigned letter = cp < 0x80 ? (cp | 0x20) - 'a' : ctx_approx_plain(cp);
		if (cp >= 0x80)
			add(arg, CTX_TERM_MARKED + cp - 0xc0, 1);
		upper += cp < 'a' || (cp >= 0xc0 && cp < 0xdf);
		add(arg, base + CTX_TERM_LETTERS + before * 26 + letter, 1);
		before = letter;
	}
	ctx_approx_length(n, upper, lead, base, add, arg);
	return true;
}

static inline unsigned
ctx_approx_cyrillic(uint32_t cp)
{
	return cp >= 0x410 && cp < 0x450    ? (cp - 0x410) % 32
	       : cp == 0x401 || cp == 0x451 ? 32
					    : 33;
}

/* Adds the terms of a piece that contains non-ASCII characters. near: see
 * ctx_approx_piece. */
static inline void
ctx_approx_wide(const unsigned char *p, const unsigned char *end, unsigned *near,
    ctx_approx_add add, void *arg)
{
	bool lead = *p < 0x80, first = true;
	unsigned run = 0, last = CTX_SCRIPTS, before = CTX_APPROX_CYRILLIC + lead, kind;
	size_t len;

	kind = ctx_approx_is_letter(*p) || !lead ? 0 : *p == ' ' ? 1 : 2;
	if (ctx_approx_marked(p + (kind > 0), end, kind, add, arg)) {
		*near = CTX_APPROX_NEAR;
		return;
	}

	for (; p < end; p += len) {
		uint32_t cp = ctx_class_decode(p, &len);
		unsigned s;
		if (cp < 0x80) {
			add(arg,
			    CTX_TERM_WIDE_ASCII +
				!ctx_approx_is_letter((unsigned char)cp),
			    1);
			continue;
		}
		s = ctx_approx_script_of(cp);
		if (s <= CTX_SCRIPT_VIETNAMESE)
			*near = CTX_APPROX_NEAR;
		if (first)
			add(arg, CTX_TERM_WIDE + 2 * s + lead, 1);
		first = false;
		if (s == CTX_SCRIPT_CYRILLIC) {
			unsigned letter = ctx_approx_cyrillic(cp);
			add(arg,
			    CTX_TERM_CYRILLIC + before * CTX_APPROX_CYRILLIC + letter, 1);
			if (cp < 0x430)
				add(arg, CTX_TERM_CYRILLIC_UPPER, 1);
			before = letter;
		}
		run = s == last ? run + 1 : 1;
		last = s;
		add(arg, (run <= 4 ? CTX_TERM_WIDE_FEW : CTX_TERM_WIDE_MANY) + s, 1);
	}
}

/* Adds the terms of one piece. *near is the number of following pieces that are assumed
 * to be in a language with non-ASCII Latin letters (CTX_APPROX_NEAR). The caller sets
 * *near to 0 before the first piece of a text; this function updates *near. */
static inline void
ctx_approx_piece(
    const char *text, size_t n, unsigned *near, ctx_approx_add add, void *arg)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + n;
	size_t wide = 0, len;
	unsigned base = *near > 0 ? CTX_TERM_FOREIGN : 0;
	enum ctx_class c = ctx_class_at(p, &len);

	*near -= *near > 0;
	for (size_t i = 0; i < n; i++)
		wide += p[i] >= 0xc0;
	if (c == CTX_CLASS_NUMBER) {
		add(arg, wide == 0 ? CTX_TERM_NUMBER : CTX_TERM_NUMBER_WIDE,
		    wide == 0 ? 1 : (unsigned)wide);
	} else if (wide > 0 && !(c == CTX_CLASS_SPACE && len == n)) {
		ctx_approx_wide(p, end, near, add, arg);
	} else if (ctx_approx_is_letter(*p)) {
		ctx_approx_word(p, end, 0, base, add, arg);
	} else if (n > 1 && ctx_approx_is_letter(p[1])) {
		ctx_approx_word(p + 1, end, *p == ' ' ? 1 : 2, base, add, arg);
	} else if ((c == CTX_CLASS_SPACE || c == CTX_CLASS_NEWLINE) &&
		   (n == 1 || p[1] <= ' ' || wide > 0)) {
		add(arg, CTX_TERM_BLANK, 1);
		if (n > 16)
			add(arg, CTX_TERM_BLANK_MORE, (unsigned)(n - 16));
		if (wide > 0)
			add(arg, CTX_TERM_BLANK_WIDE, (unsigned)wide);
	} else {
		ctx_approx_symbols(p, end, add, arg);
	}
}

#endif
