#include "recall/similar.h"

#include <stdlib.h>

#include "base/mem.h"
#include "words/stems.h"
#include "words/words.h"

/* items are short, so the number of times that a word occurs matters less than that it
 * occurs */
#define K1 0.5
#define B 0.75
#define NAME_WEIGHT 3

struct ctx_similar {
	struct ctx_stems *items; /* sorted stems of each item */
	size_t n, cap, words;
};

struct ctx_similar *
ctx_similar_new(void)
{
	return ctx_mem_new(sizeof(struct ctx_similar));
}

void
ctx_similar_free(struct ctx_similar *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		ctx_stems_release(&s->items[i]);
	free(s->items);
	free(s);
}

void
ctx_similar_add(struct ctx_similar *s, struct ctx_span name, struct ctx_span text)
{
	struct ctx_stems w = CTX_STEMS_INIT;

	for (int i = 0; i < NAME_WEIGHT; i++)
		ctx_stems_add(&w, name, false);
	ctx_stems_add(&w, text, false);
	ctx_stems_sort(&w);
	CTX_MEM_GROW(s->items, s->n, s->cap);
	s->items[s->n++] = w;
	s->words += w.n;
}

/* Adds the word's contribution to the scores. Returns the word's weight. */
static double
add_similar_word_scores(const struct ctx_similar *s, uint64_t word, double scores[])
{
	double mean = (double)s->words / (double)s->n, w;
	size_t with = 0;

	for (size_t i = 0; i < s->n; i++)
		with += ctx_stems_count(&s->items[i], word) > 0;
	if (with == 0)
		return ctx_words_rarity((double)s->n, 1) / 4;
	w = ctx_words_rarity((double)s->n, (double)with);
	for (size_t i = 0; i < s->n; i++) {
		double f = (double)ctx_stems_count(&s->items[i], word);

		if (f > 0)
			scores[i] += w * f /
				     (f +
					 K1 * (1 - B + B * (double)s->items[i].n / mean));
	}
	return w;
}

void
ctx_similar_score(const struct ctx_similar *s, struct ctx_span message, double scores[])
{
	struct ctx_stems q = CTX_STEMS_INIT;
	double total = 0;

	ctx_stems_add(&q, message, false);
	ctx_stems_sort(&q);
	for (size_t i = 0; i < s->n; i++)
		scores[i] = 0;
	for (size_t i = 0; s->n > 0 && i < q.n; i++) {
		if (i == 0 || q.list[i] != q.list[i - 1])
			total += add_similar_word_scores(s, q.list[i], scores);
	}
	for (size_t i = 0; i < s->n && total > 0; i++)
		scores[i] /= total;
	ctx_stems_release(&q);
}
