/* The format of the block that gazetteer_build.c writes and gazetteer.c reads.
 *
 *   header   8-byte fields, see enum block_field
 *   filter   one bit per hash of a name's first token; for most words of a text the search
 *            ends here
 *   first    slots of first tokens {u64 hash of the token, u64 lengths}: bit k of lengths is
 *            set if a name of k + 1 tokens begins with this token; hash 0: empty slot
 *   name     slots of names {u32 part of the hash of all tokens, u32 number of the name + 1}
 *   entry    per name {u32 offset of its text, u32 offset of its ids}, and one entry at the end
 *   id       u64 each, ascending within a name; the upper two bits say in which texts the
 *            name counts as a mention (enum ctx_made)
 *   text     the folded names
 *
 * Hash collisions are resolved by comparing the text. The tables use open addressing with
 * linear probing; their sizes are powers of two. */
#ifndef CTX_ENTITY_GAZETTEER_BLOCK_H
#define CTX_ENTITY_GAZETTEER_BLOCK_H

#include <stdint.h>
#include <string.h>

/* first field of a block; also identifies the byte order and the version of the format */
#define BLOCK_MAGIC UINT64_C(0x0033007a61677463)

/* An id in a block: the bits below bit BLOCK_WHERE hold the entity's id; bit BLOCK_WHERE
 * and the bit above it hold an enum ctx_made. */
#define BLOCK_WHERE 62
#define BLOCK_ID ((UINT64_C(1) << BLOCK_WHERE) - 1)

enum block_field {
	BLOCK_MAGIC_FIELD,
	BLOCK_SIZE,    /* size of the whole block in bytes */
	BLOCK_CRC,     /* CRC-32 of everything after the header */
	BLOCK_UNICODE, /* hash of the version of the Unicode tables */
	BLOCK_SEED,
	BLOCK_NAMES,
	BLOCK_IDS,
	BLOCK_TEXT, /* total length in bytes of the folded names */
	/* BLOCK_FILTER_BITS, BLOCK_FIRST_BITS and BLOCK_NAME_BITS are the base-2
	 * logarithms of the sizes of the tables "filter" (in bits), "first" and "name"
	 * (in slots). */
	BLOCK_FILTER_BITS,
	BLOCK_FIRST_BITS,
	BLOCK_NAME_BITS,
	BLOCK_HEADER_CRC, /* CRC-32 of the header fields before this one */
	BLOCK_FIELDS
};

/* Adds a token to the hash of a sequence of tokens, and returns the new hash. h: the hash
 * so far; 0 for an empty sequence; token: the hash of the token. */
static inline uint64_t
block_hash(uint64_t h, uint64_t token)
{
	h = (h ^ token) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

/* Maps a hash to an index below 2^bits: the index of a slot in a table, or of a bit in a
 * bit set. */
static inline uint64_t
block_slot(uint64_t hash, uint32_t bits)
{
	return bits == 0 ? 0 : hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
}

static inline uint64_t
block_u64(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
block_u32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Returns a hash of the version of the Unicode tables that this program uses. */
uint64_t ctx_gazetteer_unicode(void);

#endif
