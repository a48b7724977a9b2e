/* Finds grapheme clusters (UAX #29), with the library utf8proc. A grapheme cluster is
 * what a reader sees as one character. */
#ifndef CTX_BASE_GRAPHEME_H
#define CTX_BASE_GRAPHEME_H

#include <stddef.h>

/* at: a byte offset in the n bytes of well-formed UTF-8 at p. ctx_grapheme_before returns
 * the offset of the last cluster boundary at or before this offset. ctx_grapheme_after
 * returns the offset of the first cluster boundary at or after it. */
size_t ctx_grapheme_before(const char *p, size_t n, size_t at);
size_t ctx_grapheme_after(const char *p, size_t n, size_t at);

#endif
