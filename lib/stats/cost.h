/* What answers cost. */
#ifndef CTX_STATS_COST_H
#define CTX_STATS_COST_H

#include "model/price.h"
#include "record/usage.h"

struct ctx_cost {
	int64_t answers;  /* with usage */
	int64_t unpriced; /* of these, those whose price is not known; not in the sum */
	struct ctx_usage usage;
	double dollars;
};

/* Adds an answer of a model at a time (ms). prices is the user's table, or absent. Returns
 * whether its price is known. */
bool ctx_cost_add(struct ctx_cost *sum, struct ctx_span model, int64_t at,
    const struct ctx_usage *u, struct ctx_span prices);

#endif
