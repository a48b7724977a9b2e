#include "recall/internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009), with their constant: places
 * near the top of either list count most, and no scale has to fit another. */
#define RRF_K 60.0

/* What a turn is about shows in those around it, too: the same weights that help words. */
static const double near_weights[] = {1, 0.6, 0.4, 0.2};
#define REACH 3

/* The mean over those around it in its sitting; below 0 when it has none itself. */
static double
smooth_similarity(
    const struct ctx_recall_turn *turns, size_t n, const double *similarity, size_t i)
{
	double sum = 0, total = 0;

	if (similarity[i] < 0)
		return -1;
	for (int d = -REACH; d <= REACH; d++) {
		size_t k = i + (size_t)d; /* wraps below 0, beyond n */
		double weight = near_weights[abs(d)];
		if (k >= n || turns[k].sitting != turns[i].sitting || similarity[k] < 0)
			continue;
		sum += weight * similarity[k];
		total += weight;
	}
	return sum / total;
}

/* Add to each turn's fused score what its place in the list is worth. */
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
	/* The scores stay those of words, given out in the new order, as ctx_recall_fill sets
	 * them against costs. */
	for (size_t i = 0; i < count; i++)
		turns[vectors[i].at].score = i < n_words ? words[i].score
							 : -log((double)(i + 1));
	free(words);
	free(vectors);
	free(fused);
}
