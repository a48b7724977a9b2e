#include "stats/cost.h"

/* Adds the price of some tokens. Returns false if the price is not known. */
static bool
add_tokens_cost(double *sum, int64_t tokens, double per_million)
{
	if (tokens > 0 && per_million < 0)
		return false;
	if (tokens > 0)
		*sum += (double)tokens * per_million / 1e6;
	return true;
}

bool
ctx_cost_add(struct ctx_cost *sum, struct ctx_span model, int64_t at,
    const struct ctx_usage *u, struct ctx_span prices)
{
	struct ctx_price p;
	double cost = 0;
	bool known = model.p != NULL && ctx_price_find(&p, model, at, u->input, prices) &&
		     add_tokens_cost(&cost, u->uncached, p.input) &&
		     add_tokens_cost(&cost, u->read, p.cache_read) &&
		     add_tokens_cost(
			 &cost, u->written - u->written_1h, p.cache_write_5m) &&
		     add_tokens_cost(&cost, u->written_1h, p.cache_write_1h) &&
		     add_tokens_cost(&cost, u->output, p.output);

	sum->answers++;
	sum->unpriced += !known;
	sum->usage.input += u->input;
	sum->usage.read += u->read;
	sum->usage.written += u->written;
	sum->usage.written_1h += u->written_1h;
	sum->usage.uncached += u->uncached;
	sum->usage.output += u->output;
	if (known)
		sum->dollars += cost;
	return known;
}
