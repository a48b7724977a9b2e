/* Digests: SHA-256, and CRC-32 (the gzip polynomial) by zlib. Hashes for tables. */
#ifndef CTX_BASE_HASH_H
#define CTX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CTX_HASH_HEX 64 /* characters of a SHA-256 in hexadecimal */
#define CTX_HASH_RAW 32 /* bytes of a SHA-256 */

/* SHA-256 of n bytes in lower-case hexadecimal. */
void ctx_hash_sha256(const void *p, size_t n, char out[CTX_HASH_HEX + 1]);

/* FNV-1a, for hash tables only: start with CTX_HASH_START and add bytes one by one;
 * ctx_hash_end makes the low bits depend on all of them. */
#define CTX_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t
ctx_hash_add(uint64_t h, unsigned char c)
{
	return (h ^ c) * UINT64_C(0x100000001b3);
}

static inline uint64_t
ctx_hash_end(uint64_t h)
{
	return h ^ h >> 32;
}

/* The same for n bytes; different seeds give independent hashes. */
static inline uint64_t
ctx_hash_bytes(uint64_t seed, const void *p, size_t n)
{
	const unsigned char *c = p;
	uint64_t h = seed ^ CTX_HASH_START;

	for (size_t i = 0; i < n; i++)
		h = ctx_hash_add(h, c[i]);
	return ctx_hash_end(h);
}

uint32_t ctx_hash_crc32(const void *p, size_t n);

/* SHA-256 (FIPS 180-4) of bytes that come in pieces. Start, add…, end; after the end the
 * state can only be started again. A copy of the struct is a copy of the state. */
struct ctx_sha256 {
	uint32_t state[8];
	uint64_t n;        /* bytes so far */
	uint8_t block[64]; /* the last n % 64 of them */
	int instructions;  /* does the processor have SHA's? 0: not asked yet; -1: no */
};

void ctx_sha256_start(struct ctx_sha256 *s);
void ctx_sha256_add(struct ctx_sha256 *s, const void *p, size_t n);
void ctx_sha256_end(struct ctx_sha256 *s, uint8_t out[CTX_HASH_RAW]);

/* n bytes in lower-case hexadecimal, NUL-terminated: out has room for 2 * n + 1. */
void ctx_hash_hex(const uint8_t *p, size_t n, char *out);

#endif
