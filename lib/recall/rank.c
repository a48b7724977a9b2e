#include "recall/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Log-linear, as "tests/bench/recall --fit" prints them for four conversations of LoCoMo:
 * fitted so that turns which hold the evidence of a question stand out among all turns.
 * For a conversation that was left out of the fit they do less than a point worse. Single
 * weights mean little, since features overlap: words count by F_BEST, F_COVERAGE, F_GRAMS
 * and F_RAREST together. F_LATE is below 0 as what was said lately tends to be known
 * without recall. */
static const double weights[F_COUNT] = {
    [F_WORDS] = -0.89,
    [F_WORDS_1] = -0.32,
    [F_WORDS_2] = 1.03,
    [F_WORDS_3] = -0.64,
    [F_SITTING] = 1.94,
    [F_COVERAGE] = 0.64,
    [F_COVERAGE_1] = 0.89,
    [F_COVERAGE_3] = 2.99,
    [F_SPEAKER] = 1.24,
    [F_SPEAKER_WORDS] = 0.10,
    [F_SPEAKER_NEAR] = -0.37,
    [F_ANSWER] = 2.80,
    [F_ASKS] = -0.70,
    [F_ASKS_WORDS] = 0.03,
    [F_TIME] = 1.62,
    [F_TIME_WORDS] = 0.81,
    [F_DAY] = 1.97,
    [F_MONTH] = 3.11,
    [F_NUMBER] = 0.88,
    [F_GRAMS] = 1.21,
    [F_GRAMS_1] = 0.80,
    [F_PAIR] = 0.29,
    [F_LENGTH] = 1.22,
    [F_LATE] = -0.49,
    [F_EDGE] = 0.37,
    [F_PROPER] = 0.78,
    [F_RAREST] = 0.84,
    [F_BEST] = 1.52,
    [F_NEAR] = -0.14,
};

/* How much a turn's cost counts against its score, per factor of e. With 0 the best turns
 * are taken whatever their length, with 1 those that say most per token. A long turn costs
 * more than in proportion: one that is read whole for a sentence displaces many short ones. */
#define COST_WEIGHT 0.5
#define LONG_WEIGHT 3.0
#define LONG 100 /* tokens */

void
ctx_recall_rank(struct ctx_recall_turn *turns, size_t n, struct ctx_span query)
{
	double(*f)[F_COUNT] = ctx_mem_new((n + 1) * sizeof(*f));
	bool any = ctx_recall_measure(turns, n, query, f);

	for (size_t i = 0; i < n; i++) {
		turns[i].score = any ? 0 : CTX_RECALL_NOTHING;
		turns[i].keep = false;
		for (size_t k = 0; any && k < F_COUNT; k++)
			turns[i].score += weights[k] * f[i][k];
	}
	free(f);
}

int
ctx_recall_best_first(const void *a, const void *b)
{
	const struct recall_place *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->at > y->at ? -1 : x->at < y->at;
}

static double
price_of(int64_t cost)
{
	double tokens = cost > 1 ? (double)cost : 1;

	return COST_WEIGHT * log(tokens) +
	       (cost > LONG ? LONG_WEIGHT * log(tokens / LONG) : 0);
}

int64_t
ctx_recall_fill(
    struct ctx_recall_turn *turns, size_t n, int64_t budget, int64_t sitting_cost)
{
	struct recall_place *order = ctx_mem_new((n + 1) * sizeof(*order));
	bool *open = ctx_mem_new(
	    n + 1); /* sittings with a turn kept, by their first turn */
	size_t count = 0;
	int64_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (turns[i].score > CTX_RECALL_NOTHING)
			order[count++] = (struct recall_place){
			    turns[i].score - price_of(turns[i].cost), i};
		turns[i].keep = false;
	}
	qsort(order, count, sizeof(*order), ctx_recall_best_first);
	for (size_t i = 0; i < count; i++) {
		struct ctx_recall_turn *t = &turns[order[i].at];
		int64_t cost = t->cost + (open[t->sitting] ? 0 : sitting_cost);
		if (t->cost > budget || cost > budget - used)
			continue;
		t->keep = open[t->sitting] = true;
		used += cost;
	}
	free(open);
	free(order);
	return used;
}
