/* Splits text into words for full-text search and recall. A word is a run of letters,
 * digits and marks (Unicode general categories L, N, M and Co). In scripts without
 * spaces between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese), words
 * are pairs of adjacent characters, and the last character of a run. An emoji is a
 * word without its modifiers (skin tone, text or picture); a flag is its two letters. */
#ifndef CTX_WORDS_WORDS_H
#define CTX_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct ctx_words {
	/* the word that ctx_words_next found: */
	struct ctx_span raw; /* its bytes in the text */
	bool upper;          /* its first letter is a capital */
	bool pair; /* a pair of characters from a script without spaces between words */
	bool emoji;
	bool more; /* the next pair begins with the second character of this pair */
	/* private */
	const char *p, *end;
};

/* Starts a pass over text, which is borrowed. Bytes that are not valid UTF-8 separate
 * words. */
void ctx_words_init(struct ctx_words *w, struct ctx_span text);
bool ctx_words_next(struct ctx_words *w);

/* Appends the word in the form used for comparison: case folded, without diacritics.
 * An emoji is represented by characters of plane 16 (private use). */
void ctx_words_fold(struct ctx_span raw, struct ctx_buf *out);

/* Reduces an English word in lower case to its stem, in place. Returns its new length.
 * Words with bytes other than a-z are unchanged. Porter, An algorithm for suffix
 * stripping, 1980. */
size_t ctx_words_stem(char *word, size_t n);

/* Returns the inverse document frequency of a word that occurs in "with" of n texts,
 * as in Okapi BM25: ln(1 + (n - with + 0.5) / (with + 0.5)). */
double ctx_words_rarity(double n, double with);

/* Appends the text in a form in which a simple tokenizer finds the same words. Words
 * of scripts without spaces get a space on either side. Characters from U+0800 on that
 * belong to no word become spaces, because FTS5 takes signs newer than its Unicode 6.1
 * for letters. Emoji, of which FTS5 knows only some, become characters of plane 16
 * (private use). Letters that FTS5 does not know are fully case-folded ("ß" becomes
 * "ss"). */
void ctx_words_space(struct ctx_span text, struct ctx_buf *out);

/* Appends a snippet of at most max bytes on one line: the part of the text with the
 * most words of the query ("begin*" matches all words with this beginning), or its
 * start. "…" marks omitted text. Control characters and marks that change the
 * direction of writing are removed, so that the snippet is safe to print on a
 * terminal. */
void ctx_words_snippet(
    struct ctx_span text, struct ctx_span query, size_t max, struct ctx_buf *out);

/* Finds words of the query in text. Stores up to max hits in found, in text order: the
 * byte range [start, end) in text and the index of the word within the query. Returns the
 * number of hits stored. */
struct ctx_words_found {
	size_t start, end, term;
};
size_t ctx_words_find(struct ctx_span text, struct ctx_span query,
    struct ctx_words_found *found, size_t max);

#endif
