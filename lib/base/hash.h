/* Digests. SHA-256 by libmd, CRC-32 (the gzip polynomial) by zlib. */
#ifndef CTX_BASE_HASH_H
#define CTX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CTX_HASH_HEX 64   /* characters of a SHA-256 in hexadecimal */

/* SHA-256 of n bytes in lower-case hexadecimal. */
void ctx_hash_sha256(const void *p, size_t n, char out[CTX_HASH_HEX + 1]);

uint32_t ctx_hash_crc32(const void *p, size_t n);

#endif
