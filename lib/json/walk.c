/* Reads checked JSON text. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/plain.h"

enum ctx_json_type
ctx_json_type(struct ctx_span v)
{
	if (v.p == NULL || v.n == 0)
		return CTX_JSON_NONE;
	switch (v.p[0]) {
	case '{':
		return CTX_JSON_OBJECT;
	case '[':
		return CTX_JSON_ARRAY;
	case '"':
		return CTX_JSON_STRING;
	case 't':
	case 'f':
		return CTX_JSON_BOOL;
	case 'n':
		return CTX_JSON_NULL;
	default:
		return CTX_JSON_NUMBER;
	}
}

/* Returns the position after the closing quote of the string that begins at p. */
static const char *
skip_string(const char *p, const char *end)
{
	p++;
	for (;;) {
#ifdef __SSE2__
		const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');
		while (end - p >= 16) {
			__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
			int mask = _mm_movemask_epi8(_mm_or_si128(
			    _mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back)));
			if (mask != 0) {
				p += __builtin_ctz((unsigned)mask);
				break;
			}
			p += 16;
		}
#endif
		while (p < end && *p != '"' && *p != '\\')
			p++;
		if (p >= end || *p == '"')
			return p + 1;
		p += 2;
	}
}

static const char *
skip_value(const char *p, const char *end)
{
	size_t depth = 0;

	do {
		switch (*p) {
		case '"':
			p = skip_string(p, end);
			break;
		case '{':
		case '[':
			depth++;
			p++;
			break;
		case '}':
		case ']':
			depth--;
			p++;
			break;
		case ' ':
		case '\t':
		case '\r':
		case '\n':
		case ',':
		case ':':
			p++;
			break;
		default:
			while (p < end && *p != ',' && *p != '}' && *p != ']' &&
			       *p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
				p++;
		}
	} while (depth > 0 && p < end);
	return p;
}

static const char *
skip_walked_json_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

struct ctx_json_iter
ctx_json_iter_of(struct ctx_span c)
{
	enum ctx_json_type t = ctx_json_type(c);

	if (t != CTX_JSON_OBJECT && t != CTX_JSON_ARRAY)
		return (struct ctx_json_iter){.p = NULL};
	return (struct ctx_json_iter){
	    .p = c.p + 1, .end = c.p + c.n - 1, .object = t == CTX_JSON_OBJECT};
}

bool
ctx_json_iter_next(struct ctx_json_iter *it)
{
	const char *start;

	it->p = skip_walked_json_space(it->p, it->end);
	if (it->p < it->end && *it->p == ',')
		it->p = skip_walked_json_space(it->p + 1, it->end);
	if (it->p >= it->end)
		return false;
	if (it->object) {
		start = it->p;
		it->p = skip_string(it->p, it->end);
		it->key = (struct ctx_span){start, (size_t)(it->p - start)};
		it->p = skip_walked_json_space(it->p, it->end);
		it->p = skip_walked_json_space(it->p + 1, it->end); /* skip the colon */
	}
	start = it->p;
	it->p = skip_value(it->p, it->end);
	it->value = (struct ctx_span){start, (size_t)(it->p - start)};
	return true;
}

/* Returns whether a string without escapes equals the C string. */
static bool
is_plain_json_string(struct ctx_span v, const char *s)
{
	for (size_t i = 1; i < v.n - 1; i++, s++)
		if (v.p[i] != *s || *s == '\0')
			return false;
	return *s == '\0';
}

static bool
is_escaped(struct ctx_span v, const char *s)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool same;

	ctx_json_decode(v, &tmp);
	same = ctx_span_is(ctx_buf_span(&tmp), s);
	ctx_buf_release(&tmp);
	return same;
}

static bool
has_escapes(struct ctx_span v)
{
	return memchr(v.p, '\\', v.n) != NULL;
}

bool
ctx_json_is(struct ctx_span v, const char *s)
{
	if (v.n < 2 || v.p[0] != '"')
		return false;
	if (!has_escapes(v))
		return is_plain_json_string(v, s);
	return is_escaped(v, s);
}

bool
ctx_json_is_any(struct ctx_span v, const char *const list[])
{
	for (; *list != NULL; list++)
		if (ctx_json_is(v, *list))
			return true;
	return false;
}

size_t
ctx_json_count(struct ctx_span container)
{
	size_t n = 0;

	CTX_JSON_EACH(it, container)
		n++;
	return n;
}

size_t
ctx_json_key_find(struct ctx_span key, const char *const keys[], size_t n)
{
	const char *text = key.p + 1;
	size_t len = key.n - 2, i = 0;
	char first = len > 0 ? *text : '\0';

	while (i < n && (keys[i][0] != first || strncmp(keys[i], text, len) != 0 ||
			    keys[i][len] != '\0'))
		i++;
	if (i == n && has_escapes(key))
		for (i = 0; i < n && !is_escaped(key, keys[i]);)
			i++;
	return i;
}

struct ctx_span
ctx_json_first(struct ctx_span container)
{
	struct ctx_json_iter it = ctx_json_iter_of(container);

	return ctx_json_iter_next(&it) ? it.value : CTX_SPAN_NONE;
}

void
ctx_json_get_all(
    struct ctx_span object, const char *const keys[], struct ctx_span out[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = CTX_SPAN_NONE;
	if (ctx_json_type(object) != CTX_JSON_OBJECT)
		return;
	CTX_JSON_EACH(it, object) {
		size_t i = ctx_json_key_find(it.key, keys, n);

		if (i < n)
			out[i] = it.value;
	}
}

struct ctx_span
ctx_json_get(struct ctx_span object, const char *key)
{
	struct ctx_span v;

	ctx_json_get_all(object, &key, &v, 1);
	return v;
}

struct ctx_span
ctx_json_find(struct ctx_span object, const char *key)
{
	struct ctx_span v = ctx_json_get(object, key);

	return ctx_json_type(v) == CTX_JSON_NULL ? CTX_SPAN_NONE : v;
}

struct ctx_span
ctx_json_get_string(struct ctx_span object, const char *key)
{
	struct ctx_span v = ctx_json_get(object, key);

	return ctx_json_type(v) == CTX_JSON_STRING ? v : CTX_SPAN_NONE;
}

bool
ctx_json_has_type(struct ctx_span object, const char *type)
{
	return ctx_json_is(ctx_json_get(object, "type"), type);
}

bool
ctx_json_hex4(const char *p, const char *end, unsigned *v)
{
	unsigned char lower;

	*v = 0;
	for (int i = 0; i < 4; i++) {
		unsigned char c = p < end ? (unsigned char)*p++ : 0;
		if ((unsigned char)(c - '0') < 10) {
			*v = *v << 4 | (c - '0');
			continue;
		}
		lower = (unsigned char)((c | 0x20) - 'a');
		if (lower >= 6)
			return false;
		*v = *v << 4 | (lower + 10U);
	}
	return true;
}

/* Decodes the escape at p, which begins with a backslash. Returns the length of the
 * escape in bytes. */
static size_t
decode_json_escape(const char *p, const char *end, struct ctx_buf *out)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *at;
	char utf8[4];
	unsigned u, low;
	size_t used = 6;

	if (end - p < 2)
		return 1;
	if (p[1] != 'u') {
		at = strchr(from, p[1]);
		ctx_buf_addc(out, at != NULL && *at ? to[at - from] : p[1]);
		return 2;
	}
	if (!ctx_json_hex4(p + 2, end, &u))
		return 2;
	if (u >= 0xd800 && u < 0xdc00 && end - p > 8 && ctx_json_hex4(p + 8, end, &low) &&
	    low >= 0xdc00 && low < 0xe000) {
		u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
		used = 12;
	}
	if (u < 0xd800 || u >= 0xe000)
		ctx_buf_add(out, utf8, ctx_utf8_encode(u, utf8));
	return used;
}

void
ctx_json_unescape(struct ctx_span text, struct ctx_buf *out)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end) {
		const char *back = memchr(p, '\\', (size_t)(end - p));
		size_t plain = (size_t)((back == NULL ? end : back) - p);
		ctx_buf_add(out, p, plain);
		p += plain;
		if (back != NULL)
			p += decode_json_escape(p, end, out);
	}
}

void
ctx_json_decode(struct ctx_span v, struct ctx_buf *out)
{
	if (v.n >= 2 && v.p[0] == '"')
		ctx_json_unescape((struct ctx_span){v.p + 1, v.n - 2}, out);
}

struct ctx_span
ctx_json_text(struct ctx_span v, struct ctx_buf *tmp)
{
	if (ctx_json_type(v) != CTX_JSON_STRING)
		return CTX_SPAN_NONE;
	if (memchr(v.p, '\\', v.n) == NULL)
		return (struct ctx_span){v.p + 1, v.n - 2};
	ctx_buf_reset(tmp);
	ctx_json_decode(v, tmp);
	return ctx_buf_span(tmp);
}

bool
ctx_json_is_text(struct ctx_span value)
{
	if (ctx_json_type(value) != CTX_JSON_STRING)
		return false;
	for (size_t i = 1; i + 6 < value.n; i++)
		if (value.p[i] == '\\' && memcmp(value.p + ++i, "u0000", 5) == 0)
			return false;
	return true;
}

char *
ctx_json_strdup(struct ctx_span v)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	if (!ctx_json_is_text(v))
		return NULL;
	ctx_json_decode(v, &tmp);
	return ctx_buf_detach(&tmp);
}

int
ctx_json_member(char **out, struct ctx_span v, const char *name, struct ctx_err *err)
{
	*out = ctx_json_strdup(v);
	if (*out != NULL || ctx_json_type(v) <= CTX_JSON_NULL)
		return 0;
	return ctx_err_set(err, CTX_EINPUT, "%s must be a string%s", name,
	    ctx_json_type(v) == CTX_JSON_STRING ? " without NUL characters" : "");
}

bool
ctx_json_int(struct ctx_span v, int64_t *out)
{
	int64_t n = 0;
	size_t i = 0;
	bool neg;

	if (ctx_json_type(v) != CTX_JSON_NUMBER)
		return false;
	neg = v.p[0] == '-';
	for (i = neg; i < v.n; i++) {
		int d = v.p[i] - '0';
		/* negative numbers: the range is larger by one */
		if (d < 0 || d > 9 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_sub_overflow(n, d, &n))
			return false;
	}
	if (n < -CTX_JSON_INT_MAX)
		return false;
	*out = neg ? n : -n;
	return true;
}

bool
ctx_json_double(struct ctx_span v, double *out)
{
	char *s;

	if (ctx_json_type(v) != CTX_JSON_NUMBER)
		return false;
	s = ctx_mem_dup(v.p, v.n);
	*out = strtod(s, NULL);
	free(s);
	return true;
}

bool
ctx_json_true(struct ctx_span v)
{
	return ctx_span_is(v, "true");
}

void
ctx_json_minify(struct ctx_span v, struct ctx_buf *out)
{
	const char *p, *end;

	if (v.n == 0) /* absent spans have no pointer */
		return;
	p = v.p;
	end = v.p + v.n;
	ctx_buf_reserve(out, v.n);
	while (p < end) {
		const char *start = p;
		if (*p == '"') {
			p = skip_string(p, end);
			ctx_buf_add(out, start, (size_t)(p - start));
			continue;
		}
		if (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
			ctx_buf_addc(out, *p);
		p++;
	}
}
