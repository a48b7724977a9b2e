#include "base/time.h"

#include <string.h>
#include <time.h>

/* From 0000-01-01 to 9999-12-31T23:59:59.999, the range that RFC 3339 can express. */
#define MIN_MS INT64_C(-62167219200000)

/* Returns the time in microseconds. */
static int64_t
read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t
ctx_time_now(void)
{
	return read_clock(CLOCK_REALTIME) / 1000;
}

int64_t
ctx_time_monotonic(void)
{
	return read_clock(CLOCK_MONOTONIC) / 1000;
}

int64_t
ctx_time_monotonic_us(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t
ctx_time_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar. Counts
 * years from March, so that the leap day is the last day of a year. */
static int64_t
days_of(int64_t y, int m, int d)
{
	int64_t era, yoe, doy;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = y - era * 400;
	doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static void
date_of(int64_t days, int *y, int *m, int *d)
{
	int64_t era, doe, yoe, doy, mp;

	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = days - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	*d = (int)(doy - (153 * mp + 2) / 5 + 1);
	*m = (int)(mp < 10 ? mp + 3 : mp - 9);
	*y = (int)(yoe + era * 400 + (*m <= 2));
}

void
ctx_time_format(int64_t ms, char out[CTX_TIME_LEN + 1])
{
	static const size_t at[] = {0, 2, 5, 8, 11, 14, 17, 20}; /* of each two digits */
	int64_t days, rest;
	int y, mo, d, sec;

	if (ms < MIN_MS)
		ms = MIN_MS;
	if (ms > CTX_TIME_MAX)
		ms = CTX_TIME_MAX;
	days = ms / 86400000 - (ms % 86400000 < 0);
	rest = ms - days * 86400000;
	date_of(days, &y, &mo, &d);
	sec = (int)(rest / 1000);
	const int v[] = {y / 100, y % 100, mo, d, sec / 3600, sec / 60 % 60, sec % 60,
	    (int)(rest % 1000 / 10)};
	memcpy(out, "0000-00-00T00:00:00.000Z", CTX_TIME_LEN + 1);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		out[at[i]] = (char)('0' + v[i] / 10);
		out[at[i] + 1] = (char)('0' + v[i] % 10);
	}
	out[CTX_TIME_LEN - 2] = (char)('0' + rest % 10);
}

/* Parses exactly this many digits and advances *s; returns -1 if they are missing. */
static int
take_time_digits(struct ctx_span *s, int digits)
{
	int v = 0;

	if (s->n < (size_t)digits)
		return -1;
	for (int i = 0; i < digits; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return -1;
		v = v * 10 + (s->p[i] - '0');
	}
	s->p += digits;
	s->n -= (size_t)digits;
	return v;
}

static bool
skip_time_char(struct ctx_span *s, const char *any)
{
	if (s->n == 0 || s->p[0] == '\0' || strchr(any, s->p[0]) == NULL)
		return false;
	s->p++;
	s->n--;
	return true;
}

static int
parse_date(struct ctx_span *s, int64_t *days)
{
	static const int len[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int y, m, d, leap;

	y = take_time_digits(s, 4);
	if (y < 0 || !skip_time_char(s, "-"))
		return -1;
	m = take_time_digits(s, 2);
	if (m < 1 || m > 12 || !skip_time_char(s, "-"))
		return -1;
	d = take_time_digits(s, 2);
	leap = m == 2 && y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
	if (d < 1 || d > len[m - 1] + leap)
		return -1;
	*days = days_of(y, m, d);
	return 0;
}

/* Parses hh:mm:ss with an optional fraction into milliseconds. */
static int
parse_clock(struct ctx_span *s, int64_t *ms)
{
	int h, m, sec, frac = 0, scale = 100;

	h = take_time_digits(s, 2);
	if (h < 0 || h > 23 || !skip_time_char(s, ":"))
		return -1;
	m = take_time_digits(s, 2);
	if (m < 0 || m > 59 || !skip_time_char(s, ":"))
		return -1;
	sec = take_time_digits(s, 2);
	/* 60 is a leap second, which POSIX time does not count */
	if (sec < 0 || sec > 60)
		return -1;
	if (skip_time_char(s, ".")) {
		int digit = take_time_digits(s, 1);
		if (digit < 0)
			return -1;
		for (; digit >= 0; digit = take_time_digits(s, 1), scale /= 10)
			frac += digit * scale;
	}
	*ms = ((int64_t)h * 3600 + m * 60 + sec) * 1000 + frac;
	return 0;
}

static int
parse_zone(struct ctx_span *s, int64_t *ms)
{
	int sign, h, m;

	*ms = 0;
	if (skip_time_char(s, "Zz"))
		return 0;
	if (s->n == 0)
		return -1;
	sign = s->p[0] == '-' ? -1 : 1;
	if (!skip_time_char(s, "+-"))
		return -1;
	h = take_time_digits(s, 2);
	if (h < 0 || h > 23 || !skip_time_char(s, ":"))
		return -1;
	m = take_time_digits(s, 2);
	if (m < 0 || m > 59)
		return -1;
	*ms = sign * ((int64_t)h * 60 + m) * 60000;
	return 0;
}

int
ctx_time_parse(struct ctx_span in, int64_t *out, struct ctx_err *err)
{
	struct ctx_span s = in;
	int64_t days, clock = 0, zone = 0;

	if (parse_date(&s, &days) == 0 &&
	    (s.n == 0 || (skip_time_char(&s, "Tt ") && parse_clock(&s, &clock) == 0 &&
			     parse_zone(&s, &zone) == 0 && s.n == 0))) {
		*out = days * 86400000 + clock - zone;
		/* the offset may have moved the instant out of the range */
		if (*out >= MIN_MS && *out <= CTX_TIME_MAX)
			return 0;
	}
	return ctx_err_set(err, CTX_EINPUT, "'%.*s' is not an RFC 3339 time",
	    (int)(in.n > 60 ? 60 : in.n), in.p == NULL ? "" : in.p);
}

static int64_t
unit_ms(struct ctx_span *s)
{
	static const struct {
		const char *name;
		int64_t ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000},
	    {"d", 86400000}, {"w", 604800000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i].name);
		if (s->n >= n && memcmp(s->p, units[i].name, n) == 0) {
			s->p += n;
			s->n -= n;
			return units[i].ms;
		}
	}
	return -1;
}

int
ctx_time_parse_duration(struct ctx_span in, int64_t *out, struct ctx_err *err)
{
	struct ctx_span s = in;
	int64_t total = 0;

	if (ctx_span_is(in, "0")) {
		*out = 0;
		return 0;
	}
	if (s.n == 0)
		goto bad;
	while (s.n > 0) {
		int64_t v = 0, unit, part;
		int digit = take_time_digits(&s, 1);
		if (digit < 0)
			goto bad;
		for (; digit >= 0; digit = take_time_digits(&s, 1))
			if (__builtin_mul_overflow(v, 10, &v) ||
			    __builtin_add_overflow(v, digit, &v))
				goto bad;
		unit = unit_ms(&s);
		if (unit < 0 || __builtin_mul_overflow(v, unit, &part) ||
		    __builtin_add_overflow(total, part, &total) || total > CTX_TIME_MAX)
			goto bad;
	}
	*out = total;
	return 0;
bad:
	return ctx_err_set(err, CTX_EUSAGE,
	    "'%.*s' is not a duration such as 90d, 24h, 10m or 1h30m",
	    (int)(in.n > 60 ? 60 : in.n), in.p == NULL ? "" : in.p);
}
