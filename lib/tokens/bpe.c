#include "tokens/bpe.h"

#include <stdlib.h>

#include "base/mem.h"

#define SHORT 255 /* bytes up to which a scan for the lowest rank beats a heap */

void
ctx_bpe_release(struct ctx_bpe *b)
{
	free(b->p);
	*b = (struct ctx_bpe){NULL, 0};
}

static void *
memory(struct ctx_bpe *b, size_t size)
{
	if (size > b->size) {
		free(b->p);
		b->p = NULL; /* nothing to copy */
		b->p = ctx_mem_resize(NULL, size, 1);
		b->size = size;
	}
	return b->p;
}

static size_t
char_length(unsigned char lead)
{
	return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* The parts that merging starts from: whole characters where that is sure to come to the
 * same, since no token crosses either border of the character from inside it. */
static size_t
start(const struct ctx_table *t, const char *p, size_t len, uint32_t *ids)
{
	const uint32_t *byte = t->head->byte;
	bool clean = true, next;
	size_t n = 0, c;

	for (size_t i = 0; i < len; i += c, clean = next) {
		uint32_t id = CTX_TABLE_NONE;
		c = char_length((unsigned char)p[i]);
		next = i + c >= len || !ctx_table_straddled(t, p + i + c);
		if (clean && next && c > 1)
			id = ctx_table_find_small(
			    t, ctx_table_key(p + i, c, len - i >= 8), c);
		if (id != CTX_TABLE_NONE) {
			ids[n++] = id;
			continue;
		}
		for (size_t j = 0; j < c; j++)
			ids[n++] = byte[(unsigned char)p[i + j]];
	}
	return n;
}

static size_t
merge_short(const struct ctx_table *t, uint32_t *ids, size_t n)
{
	uint32_t ranks[SHORT + 1];

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

/* ---- long pieces: a heap of pairs, by rank and then by place ---- */

#define GONE UINT32_MAX /* id of a part that was merged into the one before */

struct parts {
	uint32_t *id, *prev, *next;
	uint64_t *heap; /* rank << 32 | place of the left part */
	size_t heap_n;
};

static void
push(struct parts *s, uint64_t v)
{
	size_t i = s->heap_n++;

	for (; i > 0 && s->heap[(i - 1) / 2] > v; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = v;
}

static uint64_t
pop(struct parts *s)
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
		push(s, (uint64_t)r << 32 | at);
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
		uint64_t top = pop(s);
		uint32_t at = (uint32_t)top, r = (uint32_t)(top >> 32), gone;
		/* What the heap says of a pair may be out of date. */
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

/* n: parts in ids, which stand at the start of the memory. */
static size_t
piece_long(const struct ctx_table *t, struct ctx_bpe *b, const char *p, size_t len,
    uint32_t *ids)
{
	/* Each merge takes one pair off the heap and puts two on: it holds fewer than 2 len. */
	char *m = memory(b, len * (2 * sizeof(uint64_t) + 3 * sizeof(uint32_t)));
	uint64_t *heap = (uint64_t *)(void *)m;
	uint32_t *u = (uint32_t *)(void *)(heap + 2 * len);
	struct parts s = {u, u + len, u + 2 * len, heap, 0};
	size_t n = start(t, p, len, s.id), left = merge_long(t, &s, (uint32_t)n), k = 0;

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
	n = merge_short(t, parts, start(t, p, len, parts));
	if (ids != NULL)
		memcpy(ids, parts, n * sizeof(*ids));
	return n;
}
