#include "base/hash.h"

#include <sha2.h>
#include <sys/types.h>
#include <zlib.h>

void
ctx_hash_sha256(const void *p, size_t n, char out[CTX_HASH_HEX + 1])
{
	static const char hex[] = "0123456789abcdef";
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX state;

	SHA256Init(&state);
	SHA256Update(&state, p, n);
	SHA256Final(digest, &state);
	for (size_t i = 0; i < sizeof(digest); i++) {
		out[2 * i] = hex[digest[i] >> 4];
		out[2 * i + 1] = hex[digest[i] & 15];
	}
	out[CTX_HASH_HEX] = '\0';
}

uint32_t
ctx_hash_crc32(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}
