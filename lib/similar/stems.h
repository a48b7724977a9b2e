/* The significant words of a text, as hashes of their stems. */
#ifndef CTX_SIMILAR_STEMS_H
#define CTX_SIMILAR_STEMS_H

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

/* Appends the words of text (see similar.h); with all, also words without a subject of
 * their own. */
void ctx_stems_add(struct ctx_stems *w, struct ctx_span text, bool all);

/* Sorts the list for ctx_stems_has. */
void ctx_stems_sort(struct ctx_stems *w);
size_t ctx_stems_count(const struct ctx_stems *sorted, uint64_t word);

#endif
