/* Bytes: spans that borrow and buffers that own. */
#ifndef CTX_BASE_BUF_H
#define CTX_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n bytes at p, borrowed from whoever made it; not NUL-terminated. p == NULL: absent. */
struct ctx_span {
	const char *p;
	size_t n;
};

#define CTX_SPAN_NONE ((struct ctx_span){NULL, 0})

struct ctx_span ctx_span_of(const char *s); /* of a C string; NULL gives none */
bool ctx_span_eq(struct ctx_span a, struct ctx_span b);
bool ctx_span_is(struct ctx_span a, const char *s); /* same bytes as the C string */
char *ctx_span_dup(struct ctx_span s); /* NUL-terminated heap copy; NULL for none */
struct ctx_span ctx_span_trim(struct ctx_span s); /* without space, \t, \r, \n around */

/* A growing byte string. Start with CTX_BUF_INIT, end with ctx_buf_release. */
struct ctx_buf {
	char *p; /* NUL-terminated once anything was added */
	size_t n, cap;
};

#define CTX_BUF_INIT       \
	{                  \
		NULL, 0, 0 \
	}

void ctx_buf_release(struct ctx_buf *b);
void ctx_buf_reset(struct ctx_buf *b); /* empty, memory kept */
void ctx_buf_reserve(struct ctx_buf *b, size_t more);
void ctx_buf_add(struct ctx_buf *b, const void *p, size_t n);
void ctx_buf_adds(struct ctx_buf *b, const char *s);
void ctx_buf_addspan(struct ctx_buf *b, struct ctx_span s);
void ctx_buf_addi(struct ctx_buf *b, int64_t v); /* decimal */
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
/* Take the string out of the buffer, which is empty afterwards. Never NULL. */
char *ctx_buf_detach(struct ctx_buf *b);

#endif
