/* What parses as a time prints as one that parses to the same instant. */

#include "fuzz.h"

#include "base/time.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_span s = {(const char *)data, n};
	struct ctx_err err = CTX_ERR_INIT;
	char text[CTX_TIME_LEN + 1];
	int64_t ms, again;

	if (ctx_time_parse(s, &ms, &err) == 0) {
		ctx_time_format(ms, text);
		MUST(ctx_time_parse(ctx_span_of(text), &again, &err) == 0 && again == ms);
	}
	if (ctx_time_parse_duration(s, &ms, &err) == 0)
		MUST(ms >= 0);
	return 0;
}
