/* Prices of models, in US dollars per million tokens. They are compiled in from
 * prices.ndjson; a user's table can add and replace rows. Pure: no I/O. */
#ifndef CTX_MODEL_PRICE_H
#define CTX_MODEL_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_price {
	/* Dollars per million tokens; negative: unknown. input: the price of input tokens
	 * that are neither read from a cache nor written to one. */
	double input, cache_read, cache_write_5m, cache_write_1h, output;
	struct ctx_span row; /* the whole row, a JSON object; absent if no row matched */
};

/* Finds the prices of a request.
 *
 * name: name of the model;
 * at: time of the request (ms since the epoch);
 * tokens: number of input tokens of the request;
 * user: text of the user's price table, or absent.
 *
 * Uses the first row that has a pattern matching the name and is valid at this time:
 * "until" is missing or later. A row can have other prices for long requests in its
 * member "long". These prices are used if the request has more input tokens than the
 * number in the member "over" of "long". Returns true, or false if there is no such
 * row. */
bool ctx_price_find(struct ctx_price *out, struct ctx_span name, int64_t at,
    int64_t tokens, struct ctx_span user);

#endif
