#include "test.h"

#include "base/time.h"

static int64_t
parse(const char *s)
{
	struct ctx_err err = CTX_ERR_INIT;
	int64_t ms;

	return ctx_time_parse(ctx_span_of(s), &ms, &err) < 0 ? CTX_TIME_NONE : ms;
}

static int64_t
duration(const char *s)
{
	struct ctx_err err = CTX_ERR_INIT;
	int64_t ms;

	return ctx_time_parse_duration(ctx_span_of(s), &ms, &err) < 0 ? -1 : ms;
}

static void
known_times(void)
{
	CHECK_INT(parse("1970-01-01T00:00:00Z"), 0);
	CHECK_INT(parse("2026-11-27T22:40:00.123Z"), 1795819200123);
	CHECK_INT(parse("2000-02-29T12:00:00+01:30"), 951820200000);
	CHECK_INT(parse("2024-05-15"), 1715731200000);
	CHECK_INT(parse("2024-05-15 00:00:00.9999z"), 1715731200999);
}

static void
bad_times(void)
{
	static const char *const bad[] = {"", "2024", "2024-13-01", "2023-02-29",
	    "2024-05-15T", "2024-05-15T25:00:00Z", "2024-05-15T00:00:00",
	    "2024-05-15T00:00:00Zx", "2024-05-15T00:00:00.Z", "2024-05-15T00:00:00+1:00"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(parse(bad[i]) == CTX_TIME_NONE);
}

static void
round_trip(void)
{
	char text[CTX_TIME_LEN + 1];

	for (int64_t ms = -62167219200000; ms < 253402300799999; ms += 86399999999) {
		ctx_time_format(ms, text);
		CHECK_INT(parse(text), ms);
	}
}

static void
durations(void)
{
	CHECK_INT(duration("90d"), 7776000000);
	CHECK_INT(duration("1h30m"), 5400000);
	CHECK_INT(duration("10ms"), 10);
	CHECK_INT(duration("0"), 0);
	CHECK_INT(duration("2w"), 1209600000);
	CHECK_INT(duration("90"), -1);
	CHECK_INT(duration("-1d"), -1);
	CHECK_INT(duration("99999999999999999999d"), -1);
	CHECK_INT(duration("1y"), -1);
	CHECK_INT(duration(""), -1);
}

static void
clocks(void)
{
	int64_t ms = ctx_time_monotonic(), us = ctx_time_monotonic_us();

	CHECK(us / 1000 >= ms);
	CHECK(us / 1000 <= ctx_time_monotonic());
}

int
main(void)
{
	RUN(known_times);
	RUN(bad_times);
	RUN(round_trip);
	RUN(durations);
	RUN(clocks);
	return TEST_END();
}
