/* Sums up the cost of answers. */
#ifndef CTX_STATS_COST_H
#define CTX_STATS_COST_H

#include "model/price.h"
#include "record/usage.h"

struct ctx_cost {
	int64_t answers; /* answers with known token usage */
	/* answers among these without a known price; dollars leaves them out */
	int64_t unpriced;
	struct ctx_usage usage;
	double dollars;
};

/* Adds one answer: its model, its time (ms since the epoch) and its usage. prices is the
 * user's price table, or absent. Returns false if the price is not known. */
bool ctx_cost_add(struct ctx_cost *sum, struct ctx_span model, int64_t at,
    const struct ctx_usage *u, struct ctx_span prices);

#endif
