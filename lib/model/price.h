/* Prices of models, in US dollars per million tokens. They are compiled in from
 * prices.ndjson; a file of the user's can add rows and replace them. Pure: no I/O. */
#ifndef CTX_MODEL_PRICE_H
#define CTX_MODEL_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_price {
	/* below 0: not known; input is what was neither read from a cache nor written to
	 * one */
	double input, cache_read, cache_write_5m, cache_write_1h, output;
	struct ctx_span row; /* the whole row; absent: there is none */
};

/* Finds the price of a model at a time (ms) for a request of so many tokens: the first row
 * that matches the name and whose "until", if any, is later. A row's "long" replaces prices
 * of requests over so many tokens. Returns false if no row matches. */
bool ctx_price_find(struct ctx_price *out, struct ctx_span name, int64_t at,
    int64_t tokens, struct ctx_span user);

#endif
