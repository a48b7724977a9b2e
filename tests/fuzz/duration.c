/* What is taken for a duration is what a second reading of the grammar gives, and nothing
 * else is. */
#include "fuzz.h"

#include <string.h>

#include "base/time.h"

#define MAX_MS 253402300799999.0 /* a time must be left to add it to */

/* Milliseconds, or -1: digits and a unit, at least once; or "0". Doubles hold
 * every whole number that matters here. */
static double
reference(const char *p, const char *end)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = {
	    {"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 36e5}, {"d", 864e5}, {"w", 6048e5}};
	double sum = 0;

	if (end - p == 1 && *p == '0')
		return 0;
	if (p == end)
		return -1;
	while (p < end) {
		const char *digits = p;
		double v = 0;
		size_t u = 0, len = 0;
		for (; p < end && *p >= '0' && *p <= '9'; p++)
			v = v * 10 + (*p - '0');
		if (p == digits)
			return -1;
		for (; u < sizeof(units) / sizeof(units[0]); u++) {
			len = strlen(units[u].name);
			if ((size_t)(end - p) >= len &&
			    memcmp(p, units[u].name, len) == 0)
				break;
		}
		if (u == sizeof(units) / sizeof(units[0]))
			return -1;
		sum += v * units[u].ms;
		p += len;
	}
	return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* a copy of its own, so that reading past it is seen */
	char *copy = malloc(n);
	struct ctx_span s = {copy, n};
	struct ctx_err err = CTX_ERR_INIT;
	double want;
	int64_t ms;

	if (n > 0)
		memcpy(copy, data, n);
	want = reference(s.p, s.p + n);
	if (ctx_time_parse_duration(s, &ms, &err) == 0)
		MUST(want >= 0 && (double)ms == want);
	else
		MUST(err.code == CTX_EUSAGE && (want < 0 || want > MAX_MS));
	free(copy);
	return 0;
}
