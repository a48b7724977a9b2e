#include "test.h"

#include <sha2.h>
#include <stdlib.h>
#include <sys/types.h>

#include "base/hash.h"

/* FIPS 180-4's examples, and the empty text. */
static void
known_digests(void)
{
	char out[CTX_HASH_HEX + 1], *million = malloc(1000000);

	ctx_hash_sha256("abc", 3, out);
	CHECK_STR(
	    out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ctx_hash_sha256(NULL, 0, out);
	CHECK_STR(
	    out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	ctx_hash_sha256(
	    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, out);
	CHECK_STR(
	    out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', 1000000);
	ctx_hash_sha256(million, 1000000, out);
	CHECK_STR(
	    out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

/* Whatever the processor, every length and every cut agree with a second implementation. */
static void
pieces_agree_with_libmd(void)
{
	uint8_t text[300], mine[32], theirs[32];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 + (i >> 3));
	for (size_t n = 0; n <= sizeof(text); n++) {
		SHA2_CTX ref;

		SHA256Init(&ref);
		SHA256Update(&ref, text, n);
		SHA256Final(theirs, &ref);
		for (size_t cut = 0; cut <= n; cut += 13) {
			struct ctx_sha256 s;

			ctx_sha256_start(&s);
			ctx_sha256_add(&s, text, cut);
			ctx_sha256_add(&s, text + cut, n - cut);
			ctx_sha256_end(&s, mine);
			CHECK(memcmp(mine, theirs, 32) == 0);
		}
	}
}

/* Long enough for the processor's own instructions, where it has them. */
static void
long_texts_agree_with_libmd(void)
{
	size_t n = 200003;
	uint8_t *text = malloc(n), mine[32], theirs[32];
	struct ctx_sha256 s;
	SHA2_CTX ref;

	for (size_t i = 0; i < n; i++)
		text[i] = (uint8_t)(i * 31 + (i >> 7));
	SHA256Init(&ref);
	SHA256Update(&ref, text, n);
	SHA256Final(theirs, &ref);
	for (size_t step = 1; step < n; step = step * 3 + 1) {
		ctx_sha256_start(&s);
		for (size_t at = 0; at < n; at += step)
			ctx_sha256_add(&s, text + at, at + step < n ? step : n - at);
		ctx_sha256_end(&s, mine);
		CHECK(memcmp(mine, theirs, 32) == 0);
	}
	free(text);
}

/* The CRC-32 of every length, at every alignment, agrees with one computed bit by bit. */
static void
crc_agrees_with_definition(void)
{
	uint8_t text[400];

	CHECK(ctx_hash_crc32("123456789", 9) == 0xcbf43926);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 73 + (i >> 2) * 11);
	for (size_t at = 0; at < 17; at++) {
		uint32_t crc = 0xffffffff;

		for (size_t n = 0; at + n < sizeof(text); n++) {
			CHECK(ctx_hash_crc32(text + at, n) == (uint32_t)~crc);
			crc ^= text[at + n];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		}
	}
}

int
main(void)
{
	RUN(known_digests);
	RUN(pieces_agree_with_libmd);
	RUN(long_texts_agree_with_libmd);
	RUN(crc_agrees_with_definition);
	return TEST_END();
}
