/* Marks of a text: hashes of its words and of its rare tokens, by which another text can
 * be recognised as made from it. */
#ifndef CTX_STATS_MARKS_H
#define CTX_STATS_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Hashes. Words are compared by their stems (words/words.h), without short ones and those of
 * the English words that any text holds. A token, which stands between white space, quotes,
 * brackets, commas and colons, is special when it is
 *   a number or anything else with three digits; four characters with a digit and a letter,
 *   or with '_', '@', '\' or a capital behind a small letter inside,
 *   a path: with two '/', or beginning with "/" or "~/",
 *   a file or host name: a '.' behind two letters or digits and before a small one. */
struct ctx_marks {
	uint64_t *list;
	size_t n, cap;
};

#define CTX_MARKS_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ctx_marks_release(struct ctx_marks *m);
void ctx_marks_reset(struct ctx_marks *m); /* empty, memory kept */

void ctx_marks_add(struct ctx_marks *m, struct ctx_span text);

/* Sorts the marks and removes duplicates. Call before the functions below. */
void ctx_marks_settle(struct ctx_marks *m);
bool ctx_marks_have(const struct ctx_marks *m, uint64_t mark);

static inline bool
ctx_mark_special(uint64_t mark)
{
	return mark & 1;
}

#endif
