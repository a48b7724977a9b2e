/* Prices of models, in US dollars per million tokens. They are compiled in from
 * prices.ndjson; a user's table can add and replace rows. Pure: no I/O. */
#ifndef CTX_MODEL_PRICE_H
#define CTX_MODEL_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_price {
	/* dollars per million tokens; < 0: unknown. input is for tokens neither read from
	 * a cache nor written to one */
	double input, cache_read, cache_write_5m, cache_write_1h, output;
	struct ctx_span row; /* the whole row, a JSON object; absent if no row matched */
};

/* Finds the price that applies at time at (ms since the epoch) to a request with this
 * many input tokens: the first row whose pattern matches the name and whose "until", if
 * present, is later than at. If the request has more tokens than the "over" of the row's
 * "long" object, the prices in "long" apply. user is the user's table, or absent. Returns
 * false if no row matches. */
bool ctx_price_find(struct ctx_price *out, struct ctx_span name, int64_t at,
    int64_t tokens, struct ctx_span user);

#endif
