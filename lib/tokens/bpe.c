#include "tokens/bpe.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tokens/classes.h"

/* up to this many parts, moving the parts together is faster than linking them */
#define FEW 8
/* up to this many bytes, a linear search for the lowest rank is faster than a heap */
#define SHORT 255

void
ctx_bpe_release(struct ctx_bpe *b)
{
	free(b->p);
	*b = (struct ctx_bpe){NULL, 0};
}

static void *
reserve_bpe_memory(struct ctx_bpe *b, size_t size)
{
	if (size > b->size) {
		free(b->p);
		b->p = NULL; /* realloc need not copy the old contents */
		b->p = ctx_mem_resize(NULL, size, 1);
		b->size = size;
	}
	return b->p;
}

/* Splits the piece into the parts from which merging starts. A whole character is one
 * part if that gives the same result as starting from its bytes, because no token crosses
 * either end of the character from inside it. */
static size_t
split_initial_parts(const struct ctx_table *t, const char *p, size_t len, uint32_t *ids)
{
	bool clean = true, next;
	size_t n = 0, c;

	for (size_t i = 0; i < len; i += c, clean = next) {
		uint32_t cp = ctx_class_decode((const unsigned char *)p + i, &c);
		uint32_t id = CTX_TABLE_NONE;
		next = i + c >= len || !ctx_table_straddled(t, p + i + c);
		if (clean && next && cp < CTX_TABLE_CHARS)
			id = t->chars[cp];
		if (id != CTX_TABLE_NONE)
			ids[n++] = id;
		else
			for (size_t j = 0; j < c; j++)
				ids[n++] = t->head->byte[(unsigned char)p[i + j]];
	}
	return n;
}

static size_t
merge_few(const struct ctx_table *t, uint32_t *ids, size_t n)
{
	uint32_t ranks[FEW];

	for (size_t i = 0; i + 1 < n; i++)
		ranks[i] = ctx_table_merge(t, ids[i], ids[i + 1]);
	while (n > 1) {
		uint32_t lowest = CTX_TABLE_NONE;
		size_t at = 0;
		for (size_t i = 0; i + 1 < n; i++)
			if (ranks[i] < lowest)
				lowest = ranks[at = i];
		if (lowest == CTX_TABLE_NONE)
			break;
		ids[at] = lowest;
		n--;
		for (size_t i = at + 1; i < n; i++)
			ids[i] = ids[i + 1];
		for (size_t i = at; i + 1 < n; i++)
			ranks[i] = ranks[i + 1];
		if (at + 1 < n)
			ranks[at] = ctx_table_merge(t, ids[at], ids[at + 1]);
		if (at > 0)
			ranks[at - 1] = ctx_table_merge(t, ids[at - 1], ids[at]);
	}
	return n;
}

/* A pair as one number, ordered by rank, then by position; the lowest is merged first. */
#define NO_PAIR UINT32_MAX

static inline uint32_t
rank_token_pair(
    const struct ctx_table *t, const uint32_t *ids, size_t at, size_t next, size_t n)
{
	uint32_t r = next < n ? ctx_table_merge(t, ids[at], ids[next]) : CTX_TABLE_NONE;

	return r == CTX_TABLE_NONE ? NO_PAIR : r << 8 | (uint32_t)at;
}

static inline uint32_t
find_lowest_pair(const uint32_t *pairs, size_t n)
{
	uint32_t a = NO_PAIR, b = NO_PAIR;

	/* pairs[n] is NO_PAIR */
	for (size_t i = 0; i < n; i += 2) {
		a = pairs[i] < a ? pairs[i] : a;
		b = pairs[i + 1] < b ? pairs[i + 1] : b;
	}
	return a < b ? a : b;
}

/* Merges parts that stay in place and are linked. With so few parts, visiting dead ones
 * costs less than moving the others. The remaining parts are moved together at the
 * end. */
static size_t
merge_short(const struct ctx_table *t, uint32_t *ids, size_t n)
{
	uint32_t pairs[SHORT + 2], low;
	unsigned char next[SHORT + 2], prev[SHORT + 2];
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		next[i] = (unsigned char)(i + 1);
		prev[i + 1] = (unsigned char)i;
		pairs[i] = rank_token_pair(t, ids, i, i + 1, n);
	}
	pairs[n] = NO_PAIR;
	while ((low = find_lowest_pair(pairs, n)) != NO_PAIR) {
		size_t at = low & 0xff, gone = next[at], after = next[gone];
		ids[at] = low >> 8;
		next[at] = (unsigned char)after;
		prev[after] = (unsigned char)at;
		pairs[gone] = NO_PAIR;
		pairs[at] = rank_token_pair(t, ids, at, after, n);
		if (at > 0)
			pairs[prev[at]] = rank_token_pair(t, ids, prev[at], at, n);
	}
	for (size_t i = 0; i < n; i = next[i])
		ids[k++] = ids[i];
	return k;
}

/* ---- long pieces: a heap of pairs, ordered by rank, then by position ---- */

#define GONE UINT32_MAX /* id of a part that was merged into the previous one */

struct parts {
	uint32_t *id, *prev, *next;
	uint64_t *heap; /* entries: rank << 32 | position of the left part */
	size_t heap_n;
};

static void
push_heap_pair(struct parts *s, uint64_t v)
{
	size_t i = s->heap_n++;

	for (; i > 0 && s->heap[(i - 1) / 2] > v; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = v;
}

static uint64_t
pop_heap_pair(struct parts *s)
{
	uint64_t top = s->heap[0], v = s->heap[--s->heap_n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < s->heap_n) {
		if (child + 1 < s->heap_n && s->heap[child + 1] < s->heap[child])
			child++;
		if (s->heap[child] >= v)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = v;
	return top;
}

static uint32_t
pair_rank(const struct ctx_table *t, const struct parts *s, uint32_t at, uint32_t n)
{
	return s->next[at] >= n ? CTX_TABLE_NONE
				: ctx_table_merge(t, s->id[at], s->id[s->next[at]]);
}

static void
push_pair(const struct ctx_table *t, struct parts *s, uint32_t at, uint32_t n)
{
	uint32_t r = pair_rank(t, s, at, n);

	if (r != CTX_TABLE_NONE)
		push_heap_pair(s, (uint64_t)r << 32 | at);
}

static size_t
merge_long(const struct ctx_table *t, struct parts *s, uint32_t n)
{
	size_t left = n;

	for (uint32_t i = 0; i < n; i++) {
		s->prev[i] = i - 1;
		s->next[i] = i + 1;
	}
	for (uint32_t i = 0; i + 1 < n; i++)
		push_pair(t, s, i, n);
	while (s->heap_n > 0) {
		uint64_t top = pop_heap_pair(s);
		uint32_t at = (uint32_t)top, r = (uint32_t)(top >> 32), gone;
		/* the heap may have entries of pairs that no longer exist */
		if (s->id[at] == GONE || pair_rank(t, s, at, n) != r)
			continue;
		gone = s->next[at];
		s->id[at] = r;
		s->id[gone] = GONE;
		s->next[at] = s->next[gone];
		if (s->next[at] < n)
			s->prev[s->next[at]] = at;
		push_pair(t, s, at, n);
		if (at > 0)
			push_pair(t, s, s->prev[at], n);
		left--;
	}
	return left;
}

/* n is the number of parts in ids, at the beginning of the memory. */
static size_t
piece_long(const struct ctx_table *t, struct ctx_bpe *b, const char *p, size_t len,
    uint32_t *ids)
{
	/* Each merge takes one pair from the heap and adds at most two, so it has fewer
	 * than 2 len entries. */
	char *m = reserve_bpe_memory(
	    b, len * (2 * sizeof(uint64_t) + 3 * sizeof(uint32_t)));
	uint64_t *heap = (uint64_t *)(void *)m;
	uint32_t *u = (uint32_t *)(void *)(heap + 2 * len);
	struct parts s = {u, u + len, u + 2 * len, heap, 0};
	size_t n = split_initial_parts(t, p, len, s.id),
	       left = merge_long(t, &s, (uint32_t)n), k = 0;

	if (ids != NULL)
		for (size_t i = 0; i < n; i++)
			if (s.id[i] != GONE)
				ids[k++] = s.id[i];
	return left;
}

size_t
ctx_bpe_piece(const struct ctx_table *t, struct ctx_bpe *b, const char *p, size_t len,
    uint32_t *ids)
{
	uint32_t parts[SHORT + 1];
	size_t n;

	if (len > SHORT)
		return piece_long(t, b, p, len, ids);
	n = split_initial_parts(t, p, len, parts);
	n = n <= FEW ? merge_few(t, parts, n) : merge_short(t, parts, n);
	if (ids != NULL)
		memcpy(ids, parts, n * sizeof(*ids));
	return n;
}
