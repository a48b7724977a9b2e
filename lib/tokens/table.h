/* The table of a vocabulary: one block of memory, mapped from a file or built from a rank
 * file, in the machine's byte order. The header is followed by four hash tables with open
 * addressing (tokens by length, and pairs), a filter, an array of ids by code point, and
 * the bytes of long tokens. */
#ifndef CTX_TOKENS_TABLE_H
#define CTX_TOKENS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokens/split.h"

/* value of the first field of a table; if the table was made with another byte order, the
 * field has another value */
#define CTX_TABLE_MAGIC UINT64_C(0x324c425458544301)
#define CTX_TABLE_NONE UINT32_MAX   /* result of a lookup that finds no token */
#define CTX_TABLE_MAX_ID (1u << 21) /* all token ids are smaller than this number */

struct ctx_table_section {
	uint64_t offset; /* offset in bytes from the start of the table */
	/* number of slots or entries; for the sections "filter" and "text", number of
	 * bytes */
	uint64_t n;
};

struct ctx_table_head {
	uint64_t magic;
	uint64_t size;      /* size of the whole table in bytes */
	uint32_t split;     /* enum ctx_split */
	uint32_t max_token; /* length of the longest token in bytes */
	char source[64];    /* SHA-256 of the rank file, in hexadecimal */
	/* filter: one bit for each possible value of the first CTX_TABLE_FILTER_BITS bits
	 * of a hash. The bit is 1 if the hash of a pair or of a token longer than 8 bytes
	 * begins with this value. */
	struct ctx_table_section small, middle, large, pairs, filter, chars, text;
	/* ids of the single-byte tokens, indexed by the token's byte */
	uint32_t byte[256];
	/* Bits, indexed by a << 8 | b for two bytes a and b. A bit is set if some token
	 * contains byte a directly followed by byte b, byte b begins a character, and the
	 * token itself begins or ends inside a character. */
	unsigned char straddled[8192];
};

/* Slots of the hash tables. In an empty slot, len is 0. */
struct ctx_table_small { /* tokens of up to 8 bytes */
	uint64_t key;    /* the token's bytes, padded with zeros */
	uint32_t len, id;
};
struct ctx_table_middle { /* tokens of 9 to 16 bytes */
	uint64_t key[2];  /* the first 8 bytes and the last 8 bytes of the token */
	uint32_t len, id;
};
struct ctx_table_large { /* tokens of 17 bytes or more */
	/* text: offset of the token's bytes in the section "text" */
	uint32_t hash, text;
	uint32_t len, id;
};

/* The first CTX_TABLE_FILTER_BITS bits of a hash are the index of the hash's bit in the
 * section "filter". */
#define CTX_TABLE_FILTER_BITS 21
/* number of entries of the section "chars", which maps code points to token ids */
#define CTX_TABLE_CHARS 0x10000

/* A pair of tokens is stored as left << 42 | right << 21 | merged: the ids of the two
 * tokens, and the id of the token into which they are merged. CTX_TABLE_NO_PAIR marks an
 * empty slot. */
#define CTX_TABLE_NO_PAIR UINT64_MAX

/* Expands to X(type, name) for each section, in order. type: the type of the section's
 * slots or entries. */
#define CTX_TABLE_SECTIONS(X)              \
	X(struct ctx_table_small, small)   \
	X(struct ctx_table_middle, middle) \
	X(struct ctx_table_large, large)   \
	X(uint64_t, pairs)                 \
	X(unsigned char, filter)           \
	X(uint32_t, chars)                 \
	X(char, text)

struct ctx_table {
	const struct ctx_table_head *head;
#define CTX_TABLE_POINTER(type, name) const type *name;
	CTX_TABLE_SECTIONS(CTX_TABLE_POINTER)
	size_t mapped; /* number of bytes to unmap; 0 if the table is in heap memory */
};

/* clang-format off */
#define CTX_TABLE_INIT {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0}
/* clang-format on */

/* Maps the table file at path into memory. Fails with CTX_EIO if the file cannot be
 * opened or is not a table. */
int ctx_table_map(struct ctx_table *t, const char *path, struct ctx_err *err);

/* Builds a table from a rank file, and appends the table to *out. text: the contents of
 * the rank file. Each line of a rank file has a token in base64, a space and the token's
 * rank. Fails with CTX_EINPUT if the text is not that of a rank file, or if one of the
 * 256 byte values has no token. */
int ctx_table_build(
    struct ctx_buf *out, struct ctx_span text, enum ctx_split split, struct ctx_err *err);

/* Uses the table in the n bytes of heap memory at p. Takes ownership of p. If the memory
 * does not contain a table, frees p and fails with CTX_EINPUT. */
int ctx_table_adopt(struct ctx_table *t, char *p, size_t n, struct ctx_err *err);

void ctx_table_release(struct ctx_table *t);

/* ---- lookup functions, in the header so that they are inlined ---- */

static inline uint64_t
ctx_table_mix(uint64_t v)
{
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return v ^ v >> 32;
}

/* Returns the index of the slot at which a search for this hash begins. n: number of
 * slots of the hash table. */
static inline uint64_t
ctx_table_slot(uint64_t hash, uint64_t n)
{
	return ((hash & UINT32_MAX) * n) >> 32;
}

static inline uint64_t
ctx_table_hash_middle(uint64_t a, uint64_t b)
{
	return ctx_table_mix(a ^ ctx_table_mix(b));
}

uint64_t ctx_table_hash_large(const char *p, size_t len);

static inline uint64_t
ctx_table_load(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Returns a key that consists of the len bytes (1 to 8) at p. room: true if at least 8
 * bytes may be read at p. */
static inline uint64_t
ctx_table_key(const char *p, size_t len, bool room)
{
	uint64_t v = 0;

	if (!room) {
		memcpy(&v, p, len);
		return v;
	}
	v = ctx_table_load(p);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return len >= 8 ? v : v & ((UINT64_C(1) << 8 * len) - 1);
#else
	return len >= 8 ? v : v & ~(UINT64_MAX >> 8 * len);
#endif
}

static inline uint32_t
ctx_table_find_small(const struct ctx_table *t, uint64_t key, size_t len)
{
	uint64_t n = t->head->small.n, i = ctx_table_slot(ctx_table_mix(key), n);

	for (uint64_t tries = 0; tries < n; tries++) {
		const struct ctx_table_small *s = &t->small[i];
		if (s->key == key && s->len == len)
			return s->id;
		if (s->len == 0)
			break;
		i = i + 1 == n ? 0 : i + 1;
	}
	return CTX_TABLE_NONE;
}

uint32_t ctx_table_find_long(const struct ctx_table *t, const char *p, size_t len);

/* Returns the id of the token that consists of the len bytes (at least 1) at p, or
 * CTX_TABLE_NONE. room: number of bytes that may be read at p (at least len). */
static inline uint32_t
ctx_table_find(const struct ctx_table *t, const char *p, size_t len, size_t room)
{
	if (len <= 8)
		return ctx_table_find_small(t, ctx_table_key(p, len, room >= 8), len);
	return ctx_table_find_long(t, p, len);
}

/* Returns true if a pair, or a token longer than 8 bytes, may have this hash; false if
 * none has this hash. */
static inline bool
ctx_table_may_have(const struct ctx_table *t, uint64_t hash)
{
	uint64_t bit = hash >> (64 - CTX_TABLE_FILTER_BITS);

	return (t->filter[bit >> 3] >> (bit & 7) & 1) != 0;
}

/* left, right: ids of two tokens. Returns the id of the token into which these tokens are
 * merged, or CTX_TABLE_NONE if there is no such token. */
static inline uint32_t
ctx_table_merge(const struct ctx_table *t, uint32_t left, uint32_t right)
{
	uint64_t key = (uint64_t)left << 21 | right, n = t->head->pairs.n;
	uint64_t hash = ctx_table_mix(key), i;

	if (!ctx_table_may_have(t, hash))
		return CTX_TABLE_NONE;
	i = ctx_table_slot(hash, n);
	for (uint64_t tries = 0; tries < n; tries++) {
		uint64_t v = t->pairs[i];
		if (v >> 21 == key)
			return (uint32_t)(v & (CTX_TABLE_MAX_ID - 1));
		if (v == CTX_TABLE_NO_PAIR)
			break;
		i = i + 1 == n ? 0 : i + 1;
	}
	return CTX_TABLE_NONE;
}

static inline bool
ctx_table_straddled(const struct ctx_table *t, const char *border)
{
	const unsigned char *b = (const unsigned char *)border;

	return (t->head->straddled[b[-1] << 5 | b[0] >> 3] >> (b[0] & 7) & 1) != 0;
}

#endif
