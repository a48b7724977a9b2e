/* Reads clocks, parses dates and durations, and prints dates. Other files do not read
 * clocks themselves. An instant is an int64_t: milliseconds since
 * 1970-01-01T00:00:00Z. */
#ifndef CTX_BASE_TIME_H
#define CTX_BASE_TIME_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_TIME_NONE INT64_MIN /* value that means "no instant" */
/* the latest time (9999-12-31T23:59:59.999Z), in ms since the epoch; also the longest
 * duration, in ms */
#define CTX_TIME_MAX INT64_C(253402300799999)
#define CTX_TIME_LEN 24 /* strlen("2026-01-02T03:04:05.678Z") */

/* Returns the current time (real-time clock), in ms since the epoch. */
int64_t ctx_time_now(void);

/* Returns the time in ms of a clock that never goes backward, for measuring durations.
 * The clock's starting point is arbitrary. */
int64_t ctx_time_monotonic(void);

/* Returns the time of the same clock as ctx_time_monotonic, in microseconds. */
int64_t ctx_time_monotonic_us(void);

/* Returns the processor time used by this thread, in microseconds. */
int64_t ctx_time_cpu(void);

/* Writes an instant in the format of RFC 3339, in UTC with milliseconds. Instants outside
 * the years 0000 to 9999 are clamped. */
void ctx_time_format(int64_t ms, char out[CTX_TIME_LEN + 1]);

/* Parses an RFC 3339 date and time with 'Z' or an offset, or a date alone (midnight UTC).
 * The fraction of a second is optional; its digits after the milliseconds are dropped. A
 * space may replace the 'T'. */
int ctx_time_parse(struct ctx_span s, int64_t *out, struct ctx_err *err);

/* Parses a duration, and sets *out to its length in ms. A duration, such as "90d" or
 * "1h30m", consists of non-negative whole numbers, each with one of the units ms, s, m
 * (minutes), h, d (24 hours) and w. "0" needs no unit. Fails with CTX_EUSAGE if s is not
 * a duration. */
int ctx_time_parse_duration(struct ctx_span s, int64_t *out, struct ctx_err *err);

#endif
