/* The words of a text that count, as hashes of their stems. */
#ifndef CTX_SIMILAR_WORDS_H
#define CTX_SIMILAR_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_words {
	uint64_t *list; /* in the order of the text, as often as they come */
	size_t n, cap;
};

#define CTX_WORDS_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ctx_words_release(struct ctx_words *w);

/* Append the words of text (see similar.h); all: also those that say nothing about a
 * subject. */
void ctx_words_add(struct ctx_words *w, struct ctx_span text, bool all);

/* Sort, for looking up with ctx_words_has. */
void ctx_words_sort(struct ctx_words *w);
size_t ctx_words_count(const struct ctx_words *sorted, uint64_t word);

#endif
