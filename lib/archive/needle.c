#include "archive/needle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BASE UINT64_C(0x9e3779b97f4a7c15)
#define HEAD 26 /* length of {"role":"user","content":" */
#define STEP 1024
#define NEEDLES_MAX ((size_t)1 << 21)
#define FILTER_BITS \
	21 /* log2 of the filter's bits; it rejects most bytes and fits into a CPU cache */

struct ctx_needles {
	uint64_t *hashes; /* hash table of the needles; 0: free slot */
	uint8_t *flags;   /* flags of the needle in the same slot */
	uint8_t *filter;
	/* by byte: value to subtract from the hash when the byte leaves the window */
	uint64_t leave[256];
	/* needles whose mixed hash has one of these bits set are not kept */
	uint64_t keep_mask;
	size_t n, cap;
	int64_t texts, too_short;
	int64_t survivors; /* number of needles flagged as found and not as shared */
};

struct ctx_needles *
ctx_needles_new(void)
{
	struct ctx_needles *n = ctx_mem_new(sizeof(*n));
	uint64_t power = 1;

	for (int i = 0; i < CTX_NEEDLE_BYTES; i++)
		power *= BASE;
	for (int c = 0; c < 256; c++)
		n->leave[c] = (uint64_t)(c + 1) * power;
	n->cap = 1024;
	n->hashes = ctx_mem_new(n->cap * sizeof(*n->hashes));
	n->flags = ctx_mem_new(n->cap);
	n->filter = ctx_mem_new((size_t)1 << (FILTER_BITS - 3));
	return n;
}

void
ctx_needles_free(struct ctx_needles *n)
{
	if (n == NULL)
		return;
	free(n->hashes);
	free(n->flags);
	free(n->filter);
	free(n);
}

static uint64_t
mix_needle_hash(uint64_t h)
{
	h ^= h >> 29;
	return h * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Returns the slot that contains the hash, or the free slot for it. */
static size_t
find_needle_slot(const struct ctx_needles *n, uint64_t hash)
{
	size_t i = (size_t)(mix_needle_hash(hash) >> 20) & (n->cap - 1);

	while (n->hashes[i] != 0 && n->hashes[i] != hash)
		i = (i + 1) & (n->cap - 1);
	return i;
}

static void
rebuild_needle_table(struct ctx_needles *n, size_t cap)
{
	uint64_t *hashes = n->hashes;
	size_t old = n->cap;

	free(n->flags);
	n->cap = cap;
	n->n = 0;
	n->hashes = ctx_mem_new(cap * sizeof(*n->hashes));
	n->flags = ctx_mem_new(cap);
	for (size_t i = 0; i < old; i++)
		if (hashes[i] != 0 && (mix_needle_hash(hashes[i]) & n->keep_mask) == 0) {
			n->hashes[find_needle_slot(n, hashes[i])] = hashes[i];
			n->n++;
		}
	free(hashes);
}

static void
add_hash(struct ctx_needles *n, uint64_t hash)
{
	uint64_t m = mix_needle_hash(hash);
	size_t i;

	if (hash == 0 || (m & n->keep_mask) != 0)
		return;
	if (n->n == NEEDLES_MAX) {
		n->keep_mask = n->keep_mask * 2 + 1;
		rebuild_needle_table(n, n->cap);
	} else if (n->n * 2 >= n->cap) {
		rebuild_needle_table(n, n->cap * 2);
	}
	i = find_needle_slot(n, hash);
	if (n->hashes[i] == 0) {
		n->hashes[i] = hash;
		n->n++;
	}
	m >>= 64 - FILTER_BITS;
	n->filter[m >> 3] |= (uint8_t)(1u << (m & 7));
}

static void
add_piece(struct ctx_needles *n, const char *p)
{
	uint64_t h = 0;

	for (int i = 0; i < CTX_NEEDLE_BYTES; i++)
		h = h * BASE + (unsigned char)p[i] + 1;
	add_hash(n, h);
}

void
ctx_needles_add(void *needles, struct ctx_span text)
{
	struct ctx_needles *n = needles;

	n->texts++;
	if (text.n < CTX_NEEDLE_BYTES)
		n->too_short++;
	ctx_needles_add_bytes(n, text);
}

void
ctx_needles_add_bytes(void *needles, struct ctx_span text)
{
	struct ctx_needles *n = needles;

	if (text.n < CTX_NEEDLE_BYTES)
		return;
	for (size_t at = HEAD; at + CTX_NEEDLE_BYTES <= text.n; at += STEP)
		add_piece(n, text.p + at);
	add_piece(n, text.p + text.n - CTX_NEEDLE_BYTES);
}

/* Sets the flags of the needle in slot i. */
static void
set_needle_flags(struct ctx_needles *n, size_t i, uint8_t flags)
{
	const unsigned mask = CTX_NEEDLE_FOUND | CTX_NEEDLE_SHARED;

	n->survivors -= (n->flags[i] & mask) == CTX_NEEDLE_FOUND;
	n->survivors += (flags & mask) == CTX_NEEDLE_FOUND;
	n->flags[i] = flags;
}

static bool
flag_hash(struct ctx_needles *n, uint64_t hash, int flag)
{
	uint64_t m = mix_needle_hash(hash) >> (64 - FILTER_BITS);
	size_t i;

	if ((n->filter[m >> 3] & (1u << (m & 7))) == 0)
		return false;
	i = find_needle_slot(n, hash);
	if (n->hashes[i] != hash || hash == 0)
		return false;
	set_needle_flags(n, i, (uint8_t)(n->flags[i] | flag));
	return true;
}

/* Feeds one byte, using the ring of the last bytes in the scan state. */
static bool
feed_byte(struct ctx_needles *n, struct ctx_needle_scan *s, unsigned char c, int flag)
{
	s->hash = s->hash * BASE + c + 1;
	if (s->filled == CTX_NEEDLE_BYTES)
		s->hash -= n->leave[s->last[s->at]];
	else
		s->filled++;
	s->last[s->at] = c;
	s->at = (s->at + 1) % CTX_NEEDLE_BYTES;
	return s->filled == CTX_NEEDLE_BYTES && flag_hash(n, s->hash, flag);
}

/* Returns true if these bytes and the CTX_NEEDLE_BYTES before them are all zero. */
static bool
is_blank_needle(const unsigned char *p, size_t size)
{
	static const unsigned char zero[CTX_NEEDLE_BYTES + sizeof(uint64_t)];

	return p[0] == 0 &&
	       memcmp(p - CTX_NEEDLE_BYTES, zero, CTX_NEEDLE_BYTES + size) == 0;
}

/* The bytes that leave the window are taken from the input itself; the ring in the scan
 * state is only used between calls. */
bool
ctx_needles_feed(struct ctx_needles *n, struct ctx_needle_scan *s, const void *bytes,
    size_t size, int flag)
{
	const unsigned char *p = bytes;
	uint64_t hash;
	size_t i = 0;
	bool found = false;

	while (i < size && (i < CTX_NEEDLE_BYTES || s->filled < CTX_NEEDLE_BYTES))
		found |= feed_byte(n, s, p[i++], flag);
	if (i == size)
		return found;
	hash = s->hash;
	while (i < size) {
		size_t end = size - i < sizeof(hash) ? size : i + sizeof(hash);
		if (is_blank_needle(p + i, end - i)) {
			i = end; /* the hash of zeros does not change */
			continue;
		}
		for (; i < end; i++) {
			hash = hash * BASE + p[i] + 1 - n->leave[p[i - CTX_NEEDLE_BYTES]];
			found |= flag_hash(n, hash, flag);
		}
	}
	s->hash = hash;
	memcpy(s->last, p + size - CTX_NEEDLE_BYTES, CTX_NEEDLE_BYTES);
	s->at = 0;
	return found;
}

void
ctx_needles_unflag(struct ctx_needles *n, int flag)
{
	for (size_t i = 0; i < n->cap; i++)
		set_needle_flags(n, i, (uint8_t)(n->flags[i] & ~flag));
}

int64_t
ctx_needles_survivors(const struct ctx_needles *n)
{
	return n->survivors;
}

void
ctx_needles_count(const struct ctx_needles *n, struct ctx_needle_counts *c)
{
	memset(c, 0, sizeof(*c));
	c->texts = n->texts;
	c->too_short = n->too_short;
	c->needles = (int64_t)n->n;
	for (size_t i = 0; i < n->cap; i++) {
		if ((n->flags[i] & CTX_NEEDLE_FOUND) == 0)
			continue;
		if (n->flags[i] & CTX_NEEDLE_SHARED)
			c->shared++;
		else
			c->survivors++;
	}
}
