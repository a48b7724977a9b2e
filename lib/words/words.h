/* Words of text, as full text and recall see them: runs of letters, digits and marks
 * (Unicode general categories L, N, M and Co); in scripts that put no spaces between words
 * (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) pairs of neighbouring characters,
 * and the last character of a run alone; and emoji, each a word without what varies it (skin
 * tone, text or picture), flags by their two letters. */
#ifndef CTX_WORDS_WORDS_H
#define CTX_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct ctx_words {
	/* of the word that ctx_words_next found */
	struct ctx_span raw; /* its bytes in the text */
	bool upper;          /* begins with a capital letter */
	bool pair;           /* of a script without spaces between words */
	bool emoji;
	bool more; /* the next pair of the same run overlaps this one */
	/* private */
	const char *p, *end;
};

/* Text need not be well formed: other bytes separate words. Borrows text. */
void ctx_words_init(struct ctx_words *w, struct ctx_span text);
bool ctx_words_next(struct ctx_words *w);

/* Append the word in the form that is compared: case folded, without diacritics; for an
 * emoji, characters of plane 16 (private use) that stand for it. */
void ctx_words_fold(struct ctx_span raw, struct ctx_buf *out);

/* Reduce an English word, lower case, to its stem in place; returns its new length. Words
 * with other bytes than a-z stay. Porter, An algorithm for suffix stripping, 1980. */
size_t ctx_words_stem(char *word, size_t n);

/* How much it tells that a word is in a text, when "with" of n texts hold it: the inverse
 * document frequency of Okapi BM25, ln(1 + (n - with + 0.5) / (with + 0.5)). */
double ctx_words_rarity(double n, double with);

/* Append the text with a space on either side of each word of the scripts that have none,
 * and in the place of each character from U+0800 on that is of no word, so that a tokenizer
 * that knows nothing of them finds the same words: FTS5's takes signs that are younger than
 * its Unicode 6.1 for letters. Of emoji it takes some for letters, others not: characters of
 * plane 16 (private use) stand for them. With the full case folding of letters that it does
 * not know ("ß" is "ss"). */
void ctx_words_space(struct ctx_span text, struct ctx_buf *out);

/* Append at most max bytes of the text, on one line, around the place where most of the
 * query's words stand ("begin*" stands for all that begin so), or its beginning; "…" where
 * something is left out. No control characters, no marks that turn the direction of
 * writing: it can be shown on a terminal. */
void ctx_words_snippet(
    struct ctx_span text, struct ctx_span query, size_t max, struct ctx_buf *out);

/* Finds the words of a query in a text: up to max of them into found, in their order. Each is
 * bytes [start, end) of the text, and which word of the query it is. Returns how many. */
struct ctx_words_found {
	size_t start, end, term;
};
size_t ctx_words_find(struct ctx_span text, struct ctx_span query,
    struct ctx_words_found *found, size_t max);

#endif
