/* Grapheme clusters (UAX #29, by utf8proc): what a reader sees as one character. */
#ifndef CTX_BASE_GRAPHEME_H
#define CTX_BASE_GRAPHEME_H

#include <stddef.h>

/* The last cluster boundary at or before, and the first at or after, byte at of the n
 * bytes of well-formed UTF-8 at p. */
size_t ctx_grapheme_before(const char *p, size_t n, size_t at);
size_t ctx_grapheme_after(const char *p, size_t n, size_t at);

#endif
