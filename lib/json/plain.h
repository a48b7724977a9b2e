/* Private to lib/json: reads strings. */
#ifndef CTX_JSON_PLAIN_H
#define CTX_JSON_PLAIN_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/buf.h"

/* Finds a key in an array of n strings. key: a JSON string. Returns the index of the
 * string with the text of the key, or n if the array does not contain this text. */
size_t ctx_json_key_find(struct ctx_span key, const char *const keys[], size_t n);

/* Reads four hexadecimal digits at p, and sets *v to their value. Returns false if fewer
 * than four such digits follow before the pointer "end"; otherwise returns true. */
bool ctx_json_hex4(const char *p, const char *end, unsigned *v);

/* Returns a pointer to the first byte in the range [p, end) that is not ASCII or is a
 * quote, a backslash or a control character. Returns the argument "end" if there is no
 * such byte. */
static inline const char *
ctx_json_skip_plain(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(0x20);

	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		/* The comparison is signed. It is true for bytes below 0x20, and for
		 * bytes from 0x80 on, because these are negative. */
		__m128i bad = _mm_or_si128(_mm_cmplt_epi8(v, space),
		    _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back)));
		int mask = _mm_movemask_epi8(bad);
		if (mask != 0)
			return p + __builtin_ctz((unsigned)mask);
		p += 16;
	}
#endif
	while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 &&
	       *p != '"' && *p != '\\')
		p++;
	return p;
}

#endif
