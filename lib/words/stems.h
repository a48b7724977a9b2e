/* Converts the words of a text to hashes of their stems, for comparing texts. */
#ifndef CTX_WORDS_STEMS_H
#define CTX_WORDS_STEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_stems {
	uint64_t *list; /* hashes in the order of the text, with duplicates */
	size_t n, cap;
};

#define CTX_STEMS_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ctx_stems_release(struct ctx_stems *w);

/* For each word of the text, appends the hash of the word's stem (ctx_words_stem) to the
 * list. A word with capitals inside, such as "searchWorkflow", is split into several
 * words. all: if false, common English words (the, and, please, …) are left out. */
void ctx_stems_add(struct ctx_stems *w, struct ctx_span text, bool all);

/* ctx_stems_sort sorts the list. ctx_stems_count returns how often a hash occurs in a
 * sorted list; word: the hash. */
void ctx_stems_sort(struct ctx_stems *w);
size_t ctx_stems_count(const struct ctx_stems *sorted, uint64_t word);

#endif
