#include "entity/relevance.h"

#include <math.h>

#include "base/time.h"

#define DAY_MS 86400000.0

static double
get_entity_type_bonus(struct ctx_span type)
{
	static const struct {
		const char *type;
		double bonus;
	} table[] = {
	    {"device", 3}, {"site", 2}, {"rack", 2}, {"ip_address", 1}, {"interface", 1}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (ctx_span_is(type, table[i].type))
			return table[i].bonus;
	}
	return 0;
}

double
ctx_entity_relevance(struct ctx_span type, int64_t now, int64_t last_mention,
    uint64_t mentions, uint64_t relations)
{
	double days, fresh = 0;

	if (last_mention != CTX_TIME_NONE) {
		days = ((double)now - (double)last_mention) / DAY_MS;
		fresh = days <= 0 ? 10 : days >= 10 ? 0 : 10 - days;
	}
	return fresh + 2 * log((double)mentions + 1) + 0.5 * (double)relations +
	       get_entity_type_bonus(type);
}
