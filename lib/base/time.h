/* Time: the one place that reads a clock, parses or prints a date or a duration.
 * An instant is an int64_t of milliseconds since 1970-01-01T00:00:00Z. */
#ifndef CTX_BASE_TIME_H
#define CTX_BASE_TIME_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_TIME_NONE INT64_MIN               /* no instant given */
#define CTX_TIME_MAX INT64_C(253402300799999) /* the last instant; the longest span */
#define CTX_TIME_LEN 24                       /* strlen("2026-01-02T03:04:05.678Z") */

/* The system's real-time clock. */
int64_t ctx_time_now(void);

/* A clock for measuring spans: milliseconds since some start, never backwards. */
int64_t ctx_time_monotonic(void);

/* The same clock in microseconds. */
int64_t ctx_time_monotonic_us(void);

/* Processor time that this thread has used, in microseconds. */
int64_t ctx_time_cpu(void);

/* RFC 3339 in UTC with milliseconds. Years 0000 to 9999; others are clamped. */
void ctx_time_format(int64_t ms, char out[CTX_TIME_LEN + 1]);

/* RFC 3339 date-time with 'Z' or an offset, fraction optional (digits past
 * milliseconds are dropped), 'T' or a space between; or a bare date (midnight UTC). */
int ctx_time_parse(struct ctx_span s, int64_t *out, struct ctx_err *err);

/* A duration: a non-negative whole number and a unit of ms, s, m (minutes), h, d (24
 * hours) or w; several may follow each other ("1h30m"). A bare "0" is allowed.
 * Result in milliseconds. */
int ctx_time_parse_duration(struct ctx_span s, int64_t *out, struct ctx_err *err);

#endif
