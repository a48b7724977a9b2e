#include "model/price.h"

#include "base/time.h"
#include "json/json.h"
#include "model/row.h"

static const char builtin_prices[] = {
#include "model/prices.ndjson.inc"
};

static bool
applies_at(const void *arg, struct ctx_span row)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span until = ctx_json_text(ctx_json_get(row, "until"), &text);
	int64_t end;
	bool applies = until.p == NULL || (ctx_time_parse(until, &end, NULL) == 0 &&
					      *(const int64_t *)arg < end);

	ctx_buf_release(&text);
	return applies;
}

static double
read_price(struct ctx_span row, const char *key)
{
	double v;

	return ctx_json_double(ctx_json_get(row, key), &v) && v >= 0 ? v : -1;
}

bool
ctx_price_find(struct ctx_price *out, struct ctx_span name, int64_t at, int64_t tokens,
    struct ctx_span user)
{
	struct ctx_span row, large;
	int64_t over;

	*out = (struct ctx_price){-1, -1, -1, -1, -1, CTX_SPAN_NONE};
	if (!ctx_model_row_find(&row, name, user,
		(struct ctx_span){builtin_prices, sizeof(builtin_prices) - 1}, applies_at,
		&at))
		return false;
	out->row = row;
	large = ctx_json_get(row, "long");
	if (ctx_json_int(ctx_json_get(large, "over"), &over) && tokens > over)
		row = large;
	out->input = read_price(row, "input");
	out->cache_read = read_price(row, "cache_read");
	out->cache_write_5m = read_price(row, "cache_write_5m");
	out->cache_write_1h = read_price(row, "cache_write_1h");
	out->output = read_price(row, "output");
	return true;
}
