/* The validating parser: one pass, without allocation. */
#include "json/json.h"

#include <string.h>

#include "base/utf8.h"
#include "json/plain.h"

struct scan {
	const char *base, *p, *end;
	const char *why; /* set on an error, which is at p */
	bool spaced;
	struct ctx_json_members members; /* to be found in the top-level object */
	struct ctx_span *open; /* that of the values which the scan is in; NULL: none */
};

static struct scan
scan_of(struct ctx_span text)
{
	const char *p = text.p == NULL ? "" : text.p;

	return (struct scan){.base = p, .p = p, .end = p + text.n};
}

static bool
fail_json_check(struct scan *s, const char *why)
{
	s->why = why;
	return false;
}

static void
skip_checked_json_space(struct scan *s)
{
	while (s->p < s->end &&
	       (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
		s->p++;
}

static bool
scan_escape(struct scan *s)
{
	unsigned u, low;

	if (s->end - s->p < 2)
		return fail_json_check(s, "unterminated string");
	if (s->p[1] != 'u') {
		if (s->p[1] == '\0' || strchr("\"\\/bfnrt", s->p[1]) == NULL)
			return fail_json_check(s, "invalid escape");
		s->p += 2;
		return true;
	}
	if (!ctx_json_hex4(s->p + 2, s->end, &u))
		return fail_json_check(s, "invalid \\u escape");
	if (u >= 0xdc00 && u < 0xe000)
		return fail_json_check(s, "lone surrogate escape");
	if (u >= 0xd800 && u < 0xdc00) {
		if (s->end - s->p < 12 || s->p[6] != '\\' || s->p[7] != 'u' ||
		    !ctx_json_hex4(s->p + 8, s->end, &low) || low < 0xdc00 ||
		    low >= 0xe000)
			return fail_json_check(s, "lone surrogate escape");
		s->p += 6;
	}
	s->p += 6;
	return true;
}

static bool
scan_string(struct scan *s)
{
	s->p++;
	for (;;) {
		s->p = ctx_json_skip_plain(s->p, s->end);
		if (s->p == s->end)
			return fail_json_check(s, "unterminated string");
		if (*s->p == '"') {
			s->p++;
			return true;
		}
		if (*s->p == '\\') {
			if (!scan_escape(s))
				return false;
		} else if ((unsigned char)*s->p < 0x20) {
			return fail_json_check(
			    s, *s->p == '\0' ? "NUL byte"
					     : "a string contains a control character");
		} else {
			size_t len = ctx_utf8_decode(s->p, (size_t)(s->end - s->p), NULL);
			if (len == 0)
				return fail_json_check(s, "invalid UTF-8");
			s->p += len;
		}
	}
}

static bool
scan_json_digits(struct scan *s)
{
	const char *start = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > start || fail_json_check(s, "malformed number");
}

static bool
scan_number(struct scan *s)
{
	if (*s->p == '-')
		s->p++;
	if (s->p < s->end && *s->p == '0')
		s->p++;
	else if (!scan_json_digits(s))
		return false;
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (!scan_json_digits(s))
			return false;
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		if (!scan_json_digits(s))
			return false;
	}
	return true;
}

static bool
scan_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return fail_json_check(s, "not a JSON value");
	s->p += n;
	return true;
}

static bool
scan_scalar(struct scan *s)
{
	switch (*s->p) {
	case '"':
		return scan_string(s);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	case '\0':
		return fail_json_check(s, "NUL byte");
	default:
		if (*s->p == '-' || (*s->p >= '0' && *s->p <= '9'))
			return scan_number(s);
		return fail_json_check(s, "not a JSON value");
	}
}

/* Skips white space between tokens, and notes whether there was any. */
static bool
skip_json_gap(struct scan *s)
{
	const char *start = s->p;

	skip_checked_json_space(s);
	s->spaced |= s->p != start;
	return s->p < s->end || fail_json_check(s, "incomplete value");
}

/* Notes where the value of a member of the top-level object begins, if it is wanted. */
static void
open_value(struct scan *s, struct ctx_span key)
{
	size_t i = ctx_json_key_find(key, s->members.keys, s->members.n);

	s->open = i < s->members.n ? &s->members.out[i] : NULL;
	if (s->open != NULL)
		s->open->p = s->p;
}

static void
close_value(struct scan *s)
{
	if (s->open != NULL)
		s->open->n = (size_t)(s->p - s->open->p);
	s->open = NULL;
}

static bool
scan_key(struct scan *s, int depth)
{
	const char *start = s->p;
	size_t n;

	if (*s->p != '"')
		return fail_json_check(s, "a key must be a string");
	if (!scan_string(s))
		return false;
	n = (size_t)(s->p - start);
	if (!skip_json_gap(s))
		return false;
	if (*s->p != ':')
		return fail_json_check(s, "':' expected");
	s->p++;
	if (!skip_json_gap(s))
		return false;
	if (depth == 1 && s->members.n > 0)
		open_value(s, (struct ctx_span){start, n});
	return true;
}

static bool
scan_value(struct scan *s)
{
	/* one bit for each level: 1 means object, 0 array */
	unsigned char object[CTX_JSON_DEPTH / 8 + 1] = {0};
	int depth = 0;

	for (;;) {
		/* a value begins at p */
		if (*s->p == '{' || *s->p == '[') {
			bool obj = *s->p == '{';
			if (depth == CTX_JSON_DEPTH)
				return fail_json_check(s, "nested too deeply");
			object[depth >> 3] = (unsigned char)((object[depth >> 3] &
								 ~(1u << (depth & 7))) |
							     (unsigned)obj
								 << (depth & 7));
			depth++;
			s->p++;
			if (!skip_json_gap(s))
				return false;
			if (*s->p != (obj ? '}' : ']')) {
				if (obj && !scan_key(s, depth))
					return false;
				continue;
			}
			s->p++;
			depth--;
		} else if (!scan_scalar(s)) {
			return false;
		}
		/* a value has ended at p: close the containers that end here, then go to
		 * the next value */
		for (;; depth--, s->p++) {
			bool obj;
			if (depth == 0)
				return true;
			if (depth == 1)
				close_value(s);
			if (!skip_json_gap(s))
				return false;
			obj = object[(depth - 1) >> 3] >> ((depth - 1) & 7) & 1;
			if (*s->p == (obj ? '}' : ']'))
				continue;
			if (*s->p != ',')
				return fail_json_check(s,
				    obj ? "',' or '}' expected" : "',' or ']' expected");
			s->p++;
			if (!skip_json_gap(s) || (obj && !scan_key(s, depth)))
				return false;
			break;
		}
	}
}

static int
report_json_fault(const struct scan *s, struct ctx_err *err)
{
	return ctx_err_set(
	    err, CTX_EINPUT, "%s at byte %zu", s->why, (size_t)(s->p - s->base) + 1);
}

int
ctx_json_check_next(struct ctx_span text, struct ctx_span *value, struct ctx_span *rest,
    struct ctx_err *err)
{
	struct scan s = scan_of(text);
	const char *start;

	skip_checked_json_space(&s);
	start = s.p;
	*value = CTX_SPAN_NONE;
	if (s.p < s.end) {
		if (!scan_value(&s))
			return report_json_fault(&s, err);
		*value = (struct ctx_span){start, (size_t)(s.p - start)};
	}
	skip_checked_json_space(&s);
	*rest = (struct ctx_span){s.p, (size_t)(s.end - s.p)};
	return 0;
}

/* Checks that the text is exactly one value, at *value. */
static int
check_only_value(struct scan *s, struct ctx_span *value, struct ctx_err *err)
{
	const char *start;

	skip_checked_json_space(s);
	if (s->p == s->end) {
		fail_json_check(s, "no JSON value");
		return report_json_fault(s, err);
	}
	start = s->p;
	if (!scan_value(s))
		return report_json_fault(s, err);
	*value = (struct ctx_span){start, (size_t)(s->p - start)};
	skip_checked_json_space(s);
	if (s->p != s->end) {
		fail_json_check(s,
		    *s->p == '\0' ? "NUL byte" : "more than one JSON value on the line");
		return report_json_fault(s, err);
	}
	return 0;
}

int
ctx_json_check(
    struct ctx_span text, struct ctx_span *value, bool *spaced, struct ctx_err *err)
{
	return ctx_json_check_get(text, value, spaced, NULL, err);
}

int
ctx_json_check_get(struct ctx_span text, struct ctx_span *value, bool *spaced,
    const struct ctx_json_members *members, struct ctx_err *err)
{
	struct scan s = scan_of(text);
	struct ctx_span found;

	if (members != NULL) {
		s.members = *members;
		for (size_t i = 0; i < members->n; i++)
			members->out[i] = CTX_SPAN_NONE;
	}
	if (check_only_value(&s, &found, err) < 0)
		return -1;
	if (value != NULL)
		*value = found;
	if (spaced != NULL)
		*spaced = s.spaced;
	return 0;
}
