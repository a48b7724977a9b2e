#include "recall/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"

/* Weights of a log-linear model, as "tests/bench/recall --fit" prints them, fitted to
 * distinguish turns with the evidence for a question from all other turns. The training
 * data are conversations of LoCoMo (short turns) and of BEAM (long answers). Single
 * weights mean little, because features overlap: F_BEST, F_RANK and F_COVERAGE all
 * measure words. F_LATE is negative because recent turns tend to be known without
 * recall. */
static const double weights[F_COUNT] = {
    [F_BEST] = 1.10,
    [F_RANK] = -1.69,
    [F_GRAMS_NEAR] = 0.80,
    [F_COVERAGE] = -0.66,
    [F_COVERAGE_NEAR] = 1.34,
    [F_SITTING] = 2.16,
    [F_PAIR] = 0.72,
    [F_PROPER] = 1.65,
    [F_SPEAKER] = 1.41,
    [F_SPEAKER_WORDS] = 2.14,
    [F_ANSWER] = 0.62,
    [F_TIME] = 1.30,
    [F_DAY] = 1.83,
    [F_MONTH] = 3.23,
    [F_COST] = -2.92,
    [F_LATE] = -0.88,
    [F_FEEDBACK] = 0.35,
    [F_SUMMARY] = 3.47,
    [F_STANDING] = 0.84,
    [F_FIRST_PERSON] = 0.33,
    [F_ASKS] = -0.53,
    [F_REACTION] = -0.36,
};

/* How much the logarithm of a turn's cost counts against its score. With 0 the best turns
 * are chosen whatever their length; with 1, those with the most information per token.
 * Long turns have a higher weight, because one long turn that is chosen for a single
 * sentence displaces many short ones. */
#define COST_WEIGHT 0.4
#define LONG_WEIGHT 0.9
#define LONG 60 /* tokens */

/* The minimum F_COVERAGE of an aside. One common word, such as "tests", is not enough. */
#define ASIDE_COVERAGE 0.2

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
		if (turns[i].aside && f[i][F_COVERAGE] < ASIDE_COVERAGE)
			turns[i].score = CTX_RECALL_NOTHING;
	}
	free(f);
}

int
ctx_recall_best_first(const void *a, const void *b)
{
	const struct recall_place *x = a, *y = b;

	return x->score != y->score ? CTX_ORDER(y->score, x->score)
				    : CTX_ORDER(y->at, x->at);
}

/* Turns with a score this far below the best one are not related to the query, and are
 * not chosen even if there is space. */
#define FAR_BELOW 9.0

static double
compute_recall_price(int64_t cost)
{
	double tokens = cost > 1 ? (double)cost : 1;

	return COST_WEIGHT * log(tokens) +
	       (cost > LONG ? LONG_WEIGHT * log(tokens / LONG) : 0);
}

static int64_t
get_recall_turn_cost(const struct ctx_recall_turn *t)
{
	return t->part_cost > 0 ? t->part_cost : t->cost;
}

static struct ctx_span
get_part_text(const struct ctx_recall_turn *t)
{
	return (struct ctx_span){t->text.p + t->from, t->to - t->from};
}

int64_t
ctx_recall_fill(
    struct ctx_recall_turn *turns, size_t n, int64_t budget, int64_t sitting_cost)
{
	struct recall_place *order = ctx_mem_new((n + 1) * sizeof(*order));
	bool *open = ctx_mem_new(
	    n + 1); /* sittings with a kept turn, by their first turn */
	struct ctx_map passages = {0}, messages = {0};
	size_t count = 0;
	int64_t used = 0;
	double best = CTX_RECALL_NOTHING;

	for (size_t i = 0; i < n; i++)
		if (turns[i].score > best)
			best = turns[i].score;
	for (size_t i = 0; i < n; i++) {
		if (turns[i].score > CTX_RECALL_NOTHING &&
		    turns[i].score > best - FAR_BELOW)
			order[count++] = (struct recall_place){
			    turns[i].score -
				compute_recall_price(get_recall_turn_cost(&turns[i])),
			    i};
		turns[i].keep = false;
	}
	qsort(order, count, sizeof(*order), ctx_recall_best_first);
	for (size_t i = 0; i < count; i++) {
		struct ctx_recall_turn *t = &turns[order[i].at];
		int64_t own = get_recall_turn_cost(t);
		int64_t cost = own + (open[t->sitting] ? 0 : sitting_cost);
		if (own > budget || cost > budget - used)
			continue;
		if (t->part_cost > 0 ? !ctx_recall_quote_once(&passages, get_part_text(t))
				     : !ctx_recall_quote_message_once(&messages, t))
			continue;
		t->keep = open[t->sitting] = true;
		used += cost;
	}
	ctx_map_release(&passages);
	ctx_map_release(&messages);
	free(open);
	free(order);
	return used;
}
