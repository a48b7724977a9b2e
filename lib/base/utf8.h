/* UTF-8 as defined by RFC 3629: no surrogates, no overlong forms, nothing above
 * U+10FFFF. */
#ifndef CTX_BASE_UTF8_H
#define CTX_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Decodes the character at the start of the n bytes at p. Returns the character's length
 * in bytes, and stores its code point in *cp (cp may be NULL). Returns 0 if n is 0, or if
 * the bytes do not start with a well-formed character. */
size_t ctx_utf8_decode(const char *p, size_t n, uint32_t *cp);

/* Writes the code point cp to out, in UTF-8. cp must not be a surrogate. Returns the
 * number of bytes written, 1 to 4. */
size_t ctx_utf8_encode(uint32_t cp, char out[4]);

/* Returns the length in bytes of the longest well-formed prefix of the n bytes at p. */
size_t ctx_utf8_valid(const char *p, size_t n);

/* Returns the number of code points in the n bytes of well-formed UTF-8 at p. In other
 * text, counts the bytes that are not continuation bytes. */
size_t ctx_utf8_length(const char *p, size_t n);

/* ---- grapheme clusters (UAX #29): what a reader sees as one character ---- */

/* at: a byte offset in the n bytes of well-formed UTF-8 at p. ctx_grapheme_before returns
 * the offset of the last cluster boundary at or before this offset. ctx_grapheme_after
 * returns the offset of the first cluster boundary at or after this offset. */
size_t ctx_grapheme_before(const char *p, size_t n, size_t at);
size_t ctx_grapheme_after(const char *p, size_t n, size_t at);

/* ---- untrusted text that is printed on a terminal ---- */

/* Appends a text, with control characters written as \xNN. C1 controls (two bytes in
 * UTF-8) are also written in this way, because some terminals obey them. Invalid bytes
 * become U+FFFD. Newlines and tabs stay; CR LF, U+2028 and U+2029 become a newline. */
void ctx_visible_add(struct ctx_buf *out, struct ctx_span text);

/* Like ctx_visible_add, but newlines and tabs become spaces. */
void ctx_visible_add_line(struct ctx_buf *out, struct ctx_span text);

#endif
