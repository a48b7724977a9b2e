/* Byte strings: spans, which borrow their bytes, and buffers, which own their bytes. */
#ifndef CTX_BASE_BUF_H
#define CTX_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* n bytes at p, borrowed and not NUL-terminated. p == NULL means an absent span; an empty
 * span has p != NULL and n == 0. */
struct ctx_span {
	const char *p;
	size_t n;
};

#define CTX_SPAN_NONE ((struct ctx_span){NULL, 0})

/* Returns the span of the C string s, or an absent span if s is NULL. */
struct ctx_span ctx_span_of(const char *s);
bool ctx_span_eq(struct ctx_span a, struct ctx_span b);
/* Returns true if a has the same bytes as the C string s. */
bool ctx_span_is(struct ctx_span a, const char *s);
/* Returns a NUL-terminated heap copy of s, or NULL if s is absent. */
char *ctx_span_dup(struct ctx_span s);
/* Returns s without the spaces, tabs, CR and LF at its beginning and its end. */
struct ctx_span ctx_span_trim(struct ctx_span s);
bool ctx_span_begins(struct ctx_span s, const char *prefix);
bool ctx_span_ends(struct ctx_span s, const char *suffix);
/* Returns s without its first n bytes; n is at most s.n. */
static inline struct ctx_span
ctx_span_from(struct ctx_span s, size_t n)
{
	return (struct ctx_span){s.p + n, s.n - n};
}
/* Returns true if s begins with text of a given form. shape: the form; in it, 'd' stands
 * for any decimal digit, 'h' for any hexadecimal digit, and any other character for
 * itself. */
bool ctx_span_begins_like(struct ctx_span s, const char *shape);

/* ctx_span_is_any, ctx_span_begins_any, ctx_span_ends_any and ctx_list_next take a list
 * of words that are separated by '|'. */
/* Returns true if s equals one of the words in the list. */
bool ctx_span_is_any(struct ctx_span s, const char *list);
/* ctx_span_begins_any returns the length of the first word in the list that is a prefix
 * of s. ctx_span_ends_any returns the length of the first word in the list that is a
 * suffix of s. Both return 0 if there is no such word. */
size_t ctx_span_begins_any(struct ctx_span s, const char *list);
size_t ctx_span_ends_any(struct ctx_span s, const char *list);
/* Sets *word to the first word of *list, and removes the word from *list. If *list is
 * empty, returns false; otherwise returns true. */
bool ctx_list_next(const char **list, struct ctx_span *word);

/* Splits text into parts. end: the byte that separates the parts. Moves the first part,
 * without its separator, from *rest to *part, and returns true. The last part needs no
 * separator. If *rest is empty, returns false and changes nothing. */
bool ctx_span_split(struct ctx_span *rest, char end, struct ctx_span *part);
/* Returns how often the byte c occurs in s. */
size_t ctx_span_count(struct ctx_span s, char c);

/* Functions that return true if c is an ASCII character of this class. A word character
 * is a letter, a digit or an underscore. */
static inline bool
ctx_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ctx_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool
ctx_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool
ctx_is_letter(char c)
{
	return ctx_is_lower((char)(c | 0x20));
}

static inline bool
ctx_is_word(char c)
{
	return ctx_is_letter(c) || ctx_is_digit(c) || c == '_';
}

/* Returns the number of digits at the start of s. */
size_t ctx_span_digits(struct ctx_span s);
bool ctx_span_has_digit(struct ctx_span s);

/* A growing byte string. Initialize with CTX_BUF_INIT, free with ctx_buf_release. */
struct ctx_buf {
	/* NULL until bytes are added; after that, the bytes are followed by a NUL */
	char *p;
	size_t n, cap;
};

#define CTX_BUF_INIT       \
	{                  \
		NULL, 0, 0 \
	}

void ctx_buf_release(struct ctx_buf *b);
void ctx_buf_reset(struct ctx_buf *b); /* empties b, keeps its memory */
/* Shortens b to its first n bytes; b must have at least n bytes. */
void ctx_buf_cut(struct ctx_buf *b, size_t n);
/* Replaces the contents of b with a copy of s. s must not point into b. */
void ctx_buf_set(struct ctx_buf *b, struct ctx_span s);
void ctx_buf_reserve(struct ctx_buf *b, size_t more);
static inline void
ctx_buf_add(struct ctx_buf *b, const void *p, size_t n)
{
	if (b->n + n + 1 > b->cap)
		ctx_buf_reserve(b, n);
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}
void ctx_buf_adds(struct ctx_buf *b, const char *s);
void ctx_buf_addspan(struct ctx_buf *b, struct ctx_span s);
void ctx_buf_addi(struct ctx_buf *b, int64_t v); /* appends v in decimal */
void ctx_buf_addf(struct ctx_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct ctx_span ctx_buf_span(const struct ctx_buf *b);
static inline void
ctx_buf_addc(struct ctx_buf *b, char c)
{
	if (b->n + 2 > b->cap)
		ctx_buf_reserve(b, 1);
	b->p[b->n++] = c;
	b->p[b->n] = '\0';
}
/* Returns the buffer's string, which the caller frees, and leaves the buffer empty. Never
 * returns NULL. */
char *ctx_buf_detach(struct ctx_buf *b);

/* ---- plural forms in messages ---- */

/* The plural ending of a regular English noun after the number n: "s", or "" if n is
 * 1. */
#define CTX_PLURAL(n) ((n) == 1 ? "" : "s")
/* The singular form (one) or the plural form (many) for the number n, as in
 * CTX_PLURAL_OF(n, "is", "are"). */
#define CTX_PLURAL_OF(n, one, many) ((n) == 1 ? (one) : (many))

#endif
