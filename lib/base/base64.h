/* Base64 (RFC 4648, section 4). */
#ifndef CTX_BASE_BASE64_H
#define CTX_BASE_BASE64_H

#include "base/buf.h"

/* Appends n bytes to *out in base64, with '=' padding. */
void ctx_base64_add(struct ctx_buf *out, const void *bytes, size_t n);

/* Returns the six-bit value of the base64 character c, or -1 if c is not in the base64
 * alphabet. */
static inline int
ctx_base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

#endif
