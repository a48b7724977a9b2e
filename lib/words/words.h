/* Splits text into words for full-text search and recall. A word is a sequence of
 * letters, digits and combining marks (Unicode general categories L, N, M and Co). In
 * scripts without spaces between words (Chinese, Japanese, Korean, Thai, Lao, Khmer,
 * Burmese), each pair of adjacent characters is a word, and so is the last character of a
 * sequence of such characters. An emoji is a word; its modifiers (skin tone, text or
 * emoji style) are ignored. A flag is a word that consists of the two letters that encode
 * the flag. */
#ifndef CTX_WORDS_WORDS_H
#define CTX_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct ctx_words {
	/* The word that ctx_words_next found last: */
	struct ctx_span raw; /* the word's bytes in the text */
	bool upper;          /* true: the word's first letter is a capital */
	bool pair; /* true: the word is in a script without spaces between words */
	bool emoji;
	/* true: the next word is a pair that begins with this pair's second character */
	bool more;
	/* private */
	const char *p, *end;
};

/* ctx_words_init starts a pass over the words of a text; the text must stay valid during
 * the pass. Bytes that are not valid UTF-8 separate words. ctx_words_next finds the next
 * word and returns true; at the end of the text, it returns false. */
void ctx_words_init(struct ctx_words *w, struct ctx_span text);
bool ctx_words_next(struct ctx_words *w);

/* Appends the form of a word that is used for comparisons: case-folded and without
 * diacritics. raw: the word as written. An emoji is converted to characters of plane 16
 * (private use). */
void ctx_words_fold(struct ctx_span raw, struct ctx_buf *out);

/* Reduces an English word in lower case to its stem, in place. n: the word's length in
 * bytes. Returns the length of the stem. A word that has bytes other than a-z is not
 * changed. The algorithm is Porter, An algorithm for suffix stripping, 1980. */
size_t ctx_words_stem(char *word, size_t n);

/* list: n words, which must be sorted because the function searches by bisection. Returns
 * true if the argument "word" is one of them. */
bool ctx_words_listed(const char *const *list, size_t n, struct ctx_span word);

/* Returns the inverse document frequency of a word, as in Okapi BM25: ln(1 + (n - with +
 * 0.5) / (with + 0.5)). n: number of all texts; with: number of texts that contain the
 * word. */
double ctx_words_rarity(double n, double with);

/* Appends the text in a form for the simple tokenizer of SQLite's FTS5: in this form,
 * FTS5 finds the same words as ctx_words_next. A space is put on either side of words in
 * scripts without spaces. Characters from U+0800 on that do not belong to a word become
 * spaces: FTS5 uses Unicode 6.1, and treats newer characters as letters. Emoji become
 * characters of plane 16 (private use), because FTS5 recognizes only some of them.
 * Letters that FTS5 does not fold completely are case-folded ("ß" becomes "ss"). */
void ctx_words_space(struct ctx_span text, struct ctx_buf *out);

/* Appends a snippet of the text: at most max bytes, on one line. The snippet is the part
 * of the text that has the most words of the query or, if the text has no word of the
 * query, the beginning of the text. In the query, "begin*" matches all words that begin
 * with "begin". "…" marks omitted text. Control characters and characters that change the
 * direction of writing are removed, so that the snippet is safe to print on a
 * terminal. */
void ctx_words_snippet(
    struct ctx_span text, struct ctx_span query, size_t max, struct ctx_buf *out);

/* A hit of ctx_words_find: the byte range [start, end) of a word in the text, and the
 * index (term) of the matching word in the query. */
struct ctx_words_found {
	size_t start, end, term;
};
/* Finds the words of the query in the text, in the order of the text. found: array in
 * which the first hits, at most max, are stored. Returns the number of hits stored. */
size_t ctx_words_find(struct ctx_span text, struct ctx_span query,
    struct ctx_words_found *found, size_t max);

#endif
