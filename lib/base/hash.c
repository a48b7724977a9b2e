#include "base/hash.h"

#include <sha2.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SHA_INSTRUCTIONS 1
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define ASKED_ALREADY 1
#else
#include <cpuid.h>
#endif

static const uint32_t k256[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
    0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
    0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
    0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
    0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
    0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* Detecting the processor's features takes tens of microseconds in a virtual machine,
 * which does not pay for a small message. If the C library has detected them already, it
 * is free. */
#ifdef ASKED_ALREADY
#define WORTH_ASKING 1

static int
has_sha_instructions(void)
{
	return CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1) &&
	       CPU_FEATURE_ACTIVE(SSSE3);
}
#else
#define WORTH_ASKING 65536

static int
has_sha_instructions(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3))
		return 0;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}
#endif

/* Loads four big-endian words of a block. */
__attribute__((target("ssse3"))) static inline __m128i
words_at(const uint8_t *p)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), swap);
}

/* The instructions keep the eight words of the state as (a b e f) and (c d g h), high
 * word first, and do two rounds each. */
__attribute__((target("sha,sse4.1,ssse3"))) static void
blocks_by_instruction(uint32_t state[8], const uint8_t *p, size_t blocks)
{
	__m128i lo = _mm_loadu_si128((const __m128i *)(const void *)state);
	__m128i hi = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
	__m128i abef, cdgh;

	lo = _mm_shuffle_epi32(lo, 0xb1);
	hi = _mm_shuffle_epi32(hi, 0x1b);
	abef = _mm_alignr_epi8(lo, hi, 8);
	cdgh = _mm_blend_epi16(hi, lo, 0xf0);
	for (; blocks > 0; blocks--, p += 64) {
		__m128i abef0 = abef, cdgh0 = cdgh;
		__m128i m[4] = {
		    words_at(p), words_at(p + 16), words_at(p + 32), words_at(p + 48)};

#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			__m128i w = m[i & 3];
			__m128i wk = _mm_add_epi32(
			    w, _mm_loadu_si128(
				   (const __m128i *)(const void *)(k256 + 4 * i)));

			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
			abef = _mm_sha256rnds2_epu32(
			    abef, cdgh, _mm_shuffle_epi32(wk, 0x0e));
			if (i < 12) {
				__m128i w3 = m[(i + 3) & 3], w2 = m[(i + 2) & 3];

				w = _mm_sha256msg1_epu32(w, m[(i + 1) & 3]);
				w = _mm_add_epi32(w, _mm_alignr_epi8(w3, w2, 4));
				m[i & 3] = _mm_sha256msg2_epu32(w, w3);
			}
		}
		abef = _mm_add_epi32(abef, abef0);
		cdgh = _mm_add_epi32(cdgh, cdgh0);
	}
	lo = _mm_shuffle_epi32(abef, 0x1b);
	hi = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(lo, hi, 0xf0));
	_mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(hi, lo, 8));
}
#endif

static void
add_sha256_blocks(struct ctx_sha256 *s, const uint8_t *p, size_t blocks)
{
#ifdef SHA_INSTRUCTIONS
	if (s->instructions == 0 && s->n >= WORTH_ASKING)
		s->instructions = has_sha_instructions() ? 1 : -1;
	if (s->instructions == 1) {
		blocks_by_instruction(s->state, p, blocks);
		return;
	}
#endif
	for (; blocks > 0; blocks--, p += 64)
		SHA256Transform(s->state, p);
}

void
ctx_sha256_start(struct ctx_sha256 *s)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(s->state, start, sizeof(start));
	s->n = 0;
	s->instructions = 0;
}

void
ctx_sha256_add(struct ctx_sha256 *s, const void *p, size_t n)
{
	const uint8_t *b = p;
	size_t have = s->n % 64;

	if (n == 0) /* p may be NULL */
		return;
	s->n += n;
	if (have > 0) {
		size_t take = n < 64 - have ? n : 64 - have;

		memcpy(s->block + have, b, take);
		if (have + take < 64)
			return;
		add_sha256_blocks(s, s->block, 1);
		b += take;
		n -= take;
	}
	if (n >= 64)
		add_sha256_blocks(s, b, n / 64);
	if (n % 64 > 0)
		memcpy(s->block, b + n / 64 * 64, n % 64);
}

void
ctx_sha256_end(struct ctx_sha256 *s, uint8_t out[CTX_HASH_RAW])
{
	static const uint8_t pad[64] = {0x80};
	uint64_t bits = s->n * 8;
	uint8_t length[8];

	ctx_sha256_add(s, pad, 1 + (119 - s->n % 64) % 64);
	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	ctx_sha256_add(s, length, 8);
	for (int i = 0; i < 32; i++)
		out[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void
ctx_hash_hex(const uint8_t *p, size_t n, char *out)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = hex[p[i] >> 4];
		out[2 * i + 1] = hex[p[i] & 15];
	}
	out[2 * n] = '\0';
}

void
ctx_hash_sha256(const void *p, size_t n, char out[CTX_HASH_HEX + 1])
{
	uint8_t digest[CTX_HASH_RAW];
	struct ctx_sha256 s;

	ctx_sha256_start(&s);
	if (n > 0)
		ctx_sha256_add(&s, p, n);
	ctx_sha256_end(&s, digest);
	ctx_hash_hex(digest, sizeof(digest), out);
}

#ifdef ASKED_ALREADY
#define CARRYLESS_MIN 64 /* bytes; zlib is as fast on fewer */

/* Computes the CRC-32 with the instruction for carry-less multiplication. n is at least 16.
 *
 * A CRC is the remainder of the text, taken as a polynomial over GF(2), modulo a fixed
 * polynomial P. Text may therefore be replaced by other text with the same remainder. The
 * loop replaces each block of 16 bytes by a sum that it adds to the next block: the first
 * 8 bytes times x^192 mod P, plus the last 8 bytes times x^128 mod P. At the end, zlib
 * computes the CRC of the last sum and the bytes after it.
 *
 * The constants are x^160 and x^96 mod P instead, in the reflected bit order of this CRC:
 * a 32-bit value in a 64-bit operand counts as multiplied by x^32. They are shifted by one
 * bit, because the product of two 64-bit operands has 127 bits. */
__attribute__((target("pclmul"))) static uint32_t
crc32_by_instruction(const uint8_t *p, size_t n)
{
	const __m128i factors = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
	uint8_t last[32];
	__m128i acc = _mm_xor_si128(
	    _mm_loadu_si128((const __m128i *)(const void *)p), _mm_cvtsi32_si128(-1));

	for (p += 16, n -= 16; n >= 16; p += 16, n -= 16)
		acc = _mm_xor_si128(
		    _mm_xor_si128(_mm_clmulepi64_si128(acc, factors, 0x00),
			_mm_clmulepi64_si128(acc, factors, 0x11)),
		    _mm_loadu_si128((const __m128i *)(const void *)p));
	_mm_storeu_si128((__m128i *)(void *)last, acc);
	memcpy(last + 16, p, n);
	/* the sum includes the CRC's start value; zlib inverts the one that it gets */
	return (uint32_t)crc32_z(0xffffffff, last, 16 + n);
}
#endif

uint32_t
ctx_hash_crc32(const void *p, size_t n)
{
#ifdef ASKED_ALREADY
	if (n >= CARRYLESS_MIN && CPU_FEATURE_ACTIVE(PCLMULQDQ))
		return crc32_by_instruction(p, n);
#endif
	return (uint32_t)crc32_z(0, p, n);
}
