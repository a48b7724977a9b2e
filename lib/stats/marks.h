/* Marks of a text: hashes of the text's words and of its special tokens (described
 * below). If two texts have marks in common, one text was probably written from the
 * other. These marks have nothing to do with cache marks. */
#ifndef CTX_STATS_MARKS_H
#define CTX_STATS_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The set of marks of a text. The first kind of mark is the hash of a word; words are
 * compared by their stems (words/words.h), and short words and common English words are
 * left out. The second kind is the hash of a special token. Tokens are separated by white
 * space, quotes, brackets and most punctuation. A token is special if it has three or
 * more digits. A token of four or more characters, at least one of which is a letter, is
 * also special in these cases: it contains a digit, a '_', an '@', a '\', or a lower-case
 * letter followed by a capital; it looks like a path (it has two '/', or begins with "/"
 * or "~/"); or it looks like a file or host name (it has a '.' between a part of at least
 * two characters and a lower-case letter). */
struct ctx_marks {
	uint64_t *list;
	size_t n, cap;
};

#define CTX_MARKS_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ctx_marks_release(struct ctx_marks *m);
void ctx_marks_reset(struct ctx_marks *m); /* empties m but keeps its memory */

void ctx_marks_add(struct ctx_marks *m, struct ctx_span text);

/* Sorts the marks and removes duplicates. Must be called after the last
 * ctx_marks_add. */
void ctx_marks_settle(struct ctx_marks *m);

/* Returns true for ASCII letters and digits, and for the bytes of all non-ASCII
 * characters. */
static inline bool
ctx_mark_word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || (c & 0x80) != 0;
}

static inline bool
ctx_mark_special(uint64_t mark)
{
	return mark & 1;
}

#endif
