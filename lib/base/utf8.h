/* UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing above U+10FFFF. */
#ifndef CTX_BASE_UTF8_H
#define CTX_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the well-formed character at p (at most n bytes are there), its
 * code point in *cp when cp is not NULL; 0 when n is 0 or the bytes are not well formed. */
size_t ctx_utf8_decode(const char *p, size_t n, uint32_t *cp);

/* Write the 1 to 4 bytes of cp (a scalar value) to out; returns how many. */
size_t ctx_utf8_encode(uint32_t cp, char out[4]);

/* Bytes of the longest well-formed prefix. */
size_t ctx_utf8_valid(const char *p, size_t n);

/* Code points in well-formed text (counts bytes that are not continuation bytes). */
size_t ctx_utf8_length(const char *p, size_t n);

#endif
