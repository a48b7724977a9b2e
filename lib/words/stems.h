/* The words of a text as hashes of their stems, for comparing texts. */
#ifndef CTX_WORDS_STEMS_H
#define CTX_WORDS_STEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_stems {
	uint64_t *list; /* in text order, with duplicates */
	size_t n, cap;
};

#define CTX_STEMS_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ctx_stems_release(struct ctx_stems *w);

/* Appends the hashed stem (ctx_words_stem) of each word of text. A word with inner
 * capitals, such as "searchWorkflow", is split into several words. Unless all is true,
 * common English words (the, and, please, …) are left out. */
void ctx_stems_add(struct ctx_stems *w, struct ctx_span text, bool all);

/* Sorts the list, which ctx_stems_count requires. */
void ctx_stems_sort(struct ctx_stems *w);
size_t ctx_stems_count(const struct ctx_stems *sorted, uint64_t word);

#endif
