/* SHA-256, CRC-32 (the gzip polynomial, by zlib) and a fast hash for hash tables. */
#ifndef CTX_BASE_HASH_H
#define CTX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CTX_HASH_HEX 64 /* number of hexadecimal digits of a SHA-256 */
#define CTX_HASH_RAW 32 /* number of bytes of a SHA-256 */

/* Writes the SHA-256 of the n bytes at p to out, in lower-case hexadecimal with a NUL. */
void ctx_hash_sha256(const void *p, size_t n, char out[CTX_HASH_HEX + 1]);

/* FNV-1a, for hash tables only. Start with the value CTX_HASH_START, add each byte with
 * ctx_hash_add, and finish with ctx_hash_end, which mixes the high bits into the low
 * bits. */
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

/* Returns the FNV-1a hash of n bytes. Different seeds give independent hashes. */
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

/* SHA-256 (FIPS 180-4) of data that arrives in pieces: call ctx_sha256_start,
 * ctx_sha256_add for each piece, then ctx_sha256_end. The struct can be reused with
 * ctx_sha256_start. A copy of the struct can be continued independently. */
struct ctx_sha256 {
	uint32_t state[8];
	uint64_t n;        /* number of bytes added so far */
	uint8_t block[64]; /* the last n % 64 bytes */
	/* 1: the processor has SHA instructions; -1: it has none; 0: not checked yet */
	int instructions;
};

void ctx_sha256_start(struct ctx_sha256 *s);
void ctx_sha256_add(struct ctx_sha256 *s, const void *p, size_t n);
void ctx_sha256_end(struct ctx_sha256 *s, uint8_t out[CTX_HASH_RAW]);

/* Writes n bytes to out in lower-case hexadecimal with a NUL: 2 * n + 1 characters. */
void ctx_hash_hex(const uint8_t *p, size_t n, char *out);

#endif
