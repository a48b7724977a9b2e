#include "recall/internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009), with the constant of the
 * paper: positions near the top of either list count most, and the scores of the lists
 * need not be comparable. */
#define RRF_K 60.0

/* Neighboring turns are usually about the same subject. These are the weights that proved
 * useful for words. */
static const double near_weights[] = {1, 0.6, 0.4, 0.2};
#define REACH 3

/* Returns the weighted mean of the similarities of the turn and its neighbors in the same
 * sitting; < 0 if the turn has no similarity. */
static double
smooth_similarity(
    const struct ctx_recall_turn *turns, size_t n, const double *similarity, size_t i)
{
	double sum = 0, total = 0;

	if (similarity[i] < 0)
		return -1;
	for (int d = -REACH; d <= REACH; d++) {
		size_t k = i + (size_t)d; /* wraps below 0 to a number above n */
		double weight = near_weights[abs(d)];
		if (k >= n || turns[k].sitting != turns[i].sitting || similarity[k] < 0)
			continue;
		sum += weight * similarity[k];
		total += weight;
	}
	return sum / total;
}

/* Adds to each turn's fused score the value of its position in the list. */
static void
add_places(struct recall_place *list, size_t n, double *fused)
{
	qsort(list, n, sizeof(*list), ctx_recall_best_first);
	for (size_t i = 0; i < n; i++)
		fused[list[i].at] += 1 / (RRF_K + (double)(i + 1));
}

void
ctx_recall_fuse(struct ctx_recall_turn *turns, size_t n, const double *similarity)
{
	struct recall_place *words = ctx_mem_new((n + 1) * sizeof(*words));
	struct recall_place *vectors = ctx_mem_new((n + 1) * sizeof(*vectors));
	double *fused = ctx_mem_new((n + 1) * sizeof(*fused));
	size_t n_words = 0, n_vectors = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		double s = smooth_similarity(turns, n, similarity, i);
		if (turns[i].score > CTX_RECALL_NOTHING)
			words[n_words++] = (struct recall_place){turns[i].score, i};
		if (s > 0)
			vectors[n_vectors++] = (struct recall_place){s, i};
	}
	add_places(words, n_words, fused);
	add_places(vectors, n_vectors, fused);
	for (size_t i = 0; i < n; i++)
		if (fused[i] > 0)
			vectors[count++] = (struct recall_place){fused[i], i};
	qsort(vectors, count, sizeof(*vectors), ctx_recall_best_first);
	/* ctx_recall_fill compares scores with costs, so the scores of the ranking by
	 * words are kept and assigned in the new order. */
	for (size_t i = 0; i < count; i++)
		turns[vectors[i].at].score = i < n_words ? words[i].score
							 : -log((double)(i + 1));
	free(words);
	free(vectors);
	free(fused);
}
