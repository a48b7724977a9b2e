/* The words of a text as hashes of their stems, so that texts can be compared. */
#ifndef CTX_WORDS_STEMS_H
#define CTX_WORDS_STEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_stems {
	uint64_t *list; /* in the order of the text, with repetitions */
	size_t n, cap;
};

#define CTX_STEMS_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ctx_stems_release(struct ctx_stems *w);

/* Appends the stem (ctx_words_stem) of each word of text. A word with capitals inside, such
 * as "searchWorkflow", is several words. Without all, common English words that say nothing
 * of a subject (the, and, please, …) are left out. */
void ctx_stems_add(struct ctx_stems *w, struct ctx_span text, bool all);

/* Sorts the list for ctx_stems_count. */
void ctx_stems_sort(struct ctx_stems *w);
size_t ctx_stems_count(const struct ctx_stems *sorted, uint64_t word);

#endif
