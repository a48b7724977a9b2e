/* Grapheme clusters (UAX #29, by utf8proc): the units that a reader sees as one
 * character. */
#ifndef CTX_BASE_GRAPHEME_H
#define CTX_BASE_GRAPHEME_H

#include <stddef.h>

/* ctx_grapheme_before returns the last cluster boundary that is not after the byte offset
 * given by the argument at. ctx_grapheme_after returns the first cluster boundary that is
 * not before that offset. p holds n bytes of well-formed UTF-8. */
size_t ctx_grapheme_before(const char *p, size_t n, size_t at);
size_t ctx_grapheme_after(const char *p, size_t n, size_t at);

#endif
