/* Sums up the cost of answers. */
#ifndef CTX_STATS_COST_H
#define CTX_STATS_COST_H

#include "model/price.h"
#include "record/usage.h"

struct ctx_cost {
	int64_t answers; /* number of answers with known token usage */
	/* number of those answers whose price is not known; the member dollars does not
	 * include the cost of these answers */
	int64_t unpriced;
	struct ctx_usage usage;
	double dollars;
};

/* Adds the cost and the usage of one answer to *sum. model: name of the model; at: time
 * of the answer (ms since the epoch); prices: the user's price table, or absent. Returns
 * false if the price is not known. */
bool ctx_cost_add(struct ctx_cost *sum, struct ctx_span model, int64_t at,
    const struct ctx_usage *u, struct ctx_span prices);

#endif
