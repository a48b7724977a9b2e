/* Formats styles, numbers and times for people. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/buf.h"
#include "base/time.h"
#include "term/term.h"

void
ctx_term_style(struct ctx_buf *out, const struct ctx_term *term, enum ctx_style style)
{
	static const char *const codes[] = {
	    [CTX_STYLE_PLAIN] = "0",
	    [CTX_STYLE_BOLD] = "0;1",
	    [CTX_STYLE_DIM] = "0;2",
	    [CTX_STYLE_ITALIC] = "0;3",
	    [CTX_STYLE_CODE] = "0;36",
	    [CTX_STYLE_LINK] = "0;4",
	    [CTX_STYLE_USER] = "0;1;32",
	    [CTX_STYLE_ASSISTANT] = "0;1;35",
	    [CTX_STYLE_SYSTEM] = "0;1",
	    [CTX_STYLE_TOOL] = "0;36",
	    [CTX_STYLE_ERROR] = "0;31",
	    [CTX_STYLE_ADDED] = "0;32",
	    [CTX_STYLE_MATCH] = "0;1;31",
	};
	static const char *const middle_tones[] = {
	    [CTX_STYLE_CODE] = "0;38;5;31",
	    [CTX_STYLE_USER] = "0;1;38;5;28",
	    [CTX_STYLE_TOOL] = "0;38;5;31",
	    [CTX_STYLE_ADDED] = "0;38;5;28",
	    [CTX_STYLE_MATCH] = NULL,
	};
	const char *code = codes[style];

	if (term->many_colours && middle_tones[style] != NULL)
		code = middle_tones[style];
	if (term->colour)
		ctx_buf_addf(out, "\033[%sm", code);
}

void
ctx_term_age(struct ctx_buf *out, int64_t now, int64_t then)
{
	static const struct unit {
		/* length of the unit in seconds; age at which the next unit is used */
		int64_t s, below;
		const char *name;
	} units[] = {{60, 5400, "minute"}, {3600, 129600, "hour"},
	    {86400, 1209600, "day"}, {604800, 5184000, "week"},
	    {2629800, 63115200, "month"}, {31557600, INT64_MAX, "year"}};
	int64_t s = (now - then) / 1000, n;
	size_t i = 0;
	bool later = s < 0;

	s = later ? -s : s;
	if (s < 60) {
		ctx_buf_adds(out, later ? "in a minute" : "now");
		return;
	}
	while (s >= units[i].below)
		i++;
	n = (s + units[i].s / 2) / units[i].s;
	ctx_buf_addf(out, "%s%" PRId64 " %s%s", later ? "in " : "", n, units[i].name,
	    CTX_PLURAL(n));
}

void
ctx_term_count(struct ctx_buf *out, int64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRId64, v);

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
			ctx_buf_addc(out, ',');
		ctx_buf_addc(out, digits[i]);
	}
}

void
ctx_term_short_count(struct ctx_buf *out, int64_t n)
{
	double v = (double)n;
	const char *unit = "kMGT";

	if (n < 1000) {
		ctx_buf_addi(out, n);
		return;
	}
	for (v /= 1000; v >= 999.5 && unit[1] != '\0'; unit++)
		v /= 1000;
	ctx_buf_addf(out, v < 99.95 ? "%.1f%c" : "%.0f%c", v, *unit);
}

void
ctx_term_time(struct ctx_buf *out, int64_t ms)
{
	time_t s = (time_t)(ms / 1000 - (ms % 1000 < 0));
	char text[CTX_TIME_LEN + 1];
	struct tm tm;

	if (localtime_r(&s, &tm) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm) == 0)
		ctx_time_format(ms, text);
	ctx_buf_adds(out, text);
}
