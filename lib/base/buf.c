#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct ctx_span
ctx_span_of(const char *s)
{
	return (struct ctx_span){s, s == NULL ? 0 : strlen(s)};
}

bool
ctx_span_eq(struct ctx_span a, struct ctx_span b)
{
	return a.n == b.n && (a.p == NULL) == (b.p == NULL) &&
	       (a.p == NULL || memcmp(a.p, b.p, a.n) == 0);
}

bool
ctx_span_is(struct ctx_span a, const char *s)
{
	size_t n = strlen(s);

	return a.p != NULL && a.n == n && memcmp(a.p, s, n) == 0;
}

char *
ctx_span_dup(struct ctx_span s)
{
	return s.p == NULL ? NULL : ctx_mem_dup(s.p, s.n);
}

static bool
is_buf_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct ctx_span
ctx_span_trim(struct ctx_span s)
{
	while (s.n > 0 && is_buf_space(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_buf_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool
ctx_span_begins(struct ctx_span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool
ctx_span_ends(struct ctx_span s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

bool
ctx_list_next(const char **list, struct ctx_span *word)
{
	const char *end = *list;

	while (*end != '\0' && *end != '|') /* faster than strcspn for short words */
		end++;
	*word = (struct ctx_span){*list, (size_t)(end - *list)};
	*list = end + (*end != '\0');
	return word->n > 0;
}

bool
ctx_span_is_any(struct ctx_span s, const char *list)
{
	struct ctx_span word;

	while (ctx_list_next(&list, &word))
		if (ctx_span_eq(s, word))
			return true;
	return false;
}

size_t
ctx_span_begins_any(struct ctx_span s, const char *list)
{
	struct ctx_span word;

	while (ctx_list_next(&list, &word))
		if (s.n >= word.n && memcmp(s.p, word.p, word.n) == 0)
			return word.n;
	return 0;
}

size_t
ctx_span_ends_any(struct ctx_span s, const char *list)
{
	struct ctx_span word;

	while (ctx_list_next(&list, &word))
		if (s.n >= word.n && memcmp(s.p + s.n - word.n, word.p, word.n) == 0)
			return word.n;
	return 0;
}

size_t
ctx_span_digits(struct ctx_span s)
{
	size_t n = 0;

	while (n < s.n && ctx_is_digit(s.p[n]))
		n++;
	return n;
}

bool
ctx_span_has_digit(struct ctx_span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (ctx_is_digit(s.p[i]))
			return true;
	return false;
}

bool
ctx_span_begins_like(struct ctx_span s, const char *shape)
{
	size_t i = 0;

	for (; i < s.n && shape[i] != '\0'; i++) {
		char c = s.p[i];
		bool digit = ctx_is_digit(c);
		bool hex = digit || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
		if (shape[i] == 'd' ? !digit : shape[i] == 'h' ? !hex : c != shape[i])
			return false;
	}
	return shape[i] == '\0';
}

bool
ctx_span_split(struct ctx_span *rest, char end, struct ctx_span *part)
{
	const char *at;

	if (rest->n == 0)
		return false;
	at = memchr(rest->p, end, rest->n);
	*part = (struct ctx_span){rest->p, at == NULL ? rest->n : (size_t)(at - rest->p)};
	rest->p += part->n + (at != NULL);
	rest->n -= part->n + (at != NULL);
	return true;
}

size_t
ctx_span_count(struct ctx_span s, char c)
{
	size_t count = 0;

	for (size_t i = 0; i < s.n; i++)
		count += s.p[i] == c;
	return count;
}

void
ctx_buf_release(struct ctx_buf *b)
{
	free(b->p);
	b->p = NULL;
	b->n = b->cap = 0;
}

void
ctx_buf_reset(struct ctx_buf *b)
{
	b->n = 0;
	if (b->p != NULL)
		b->p[0] = '\0';
}

void
ctx_buf_cut(struct ctx_buf *b, size_t n)
{
	b->n = n;
	if (b->p != NULL)
		b->p[n] = '\0';
}

void
ctx_buf_set(struct ctx_buf *b, struct ctx_span s)
{
	ctx_buf_reset(b);
	ctx_buf_addspan(b, s);
}

void
ctx_buf_reserve(struct ctx_buf *b, size_t more)
{
	size_t need = b->n + more + 1, cap = b->cap;

	if (need <= cap)
		return;
	if (cap == 0)
		cap = 64;
	while (cap < need)
		cap *= 2;
	b->p = ctx_mem_resize(b->p, cap, 1);
	b->cap = cap;
}

void
ctx_buf_adds(struct ctx_buf *b, const char *s)
{
	ctx_buf_add(b, s, strlen(s));
}

void
ctx_buf_addspan(struct ctx_buf *b, struct ctx_span s)
{
	ctx_buf_add(b, s.p, s.n);
}

void
ctx_buf_addi(struct ctx_buf *b, int64_t v)
{
	char tmp[24], *e = tmp + sizeof(tmp), *s = e;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do
		*--s = (char)('0' + u % 10);
	while ((u /= 10) != 0);
	if (v < 0)
		*--s = '-';
	ctx_buf_add(b, s, (size_t)(e - s));
}

void
ctx_buf_addf(struct ctx_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	ctx_buf_reserve(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

struct ctx_span
ctx_buf_span(const struct ctx_buf *b)
{
	return (struct ctx_span){b->p == NULL ? "" : b->p, b->n};
}

char *
ctx_buf_detach(struct ctx_buf *b)
{
	char *p = b->p;

	if (p == NULL)
		p = ctx_mem_dup("", 0);
	b->p = NULL;
	b->n = b->cap = 0;
	return p;
}
