#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* each block is twice as large as the previous one */
#define BLOCK_FIRST ((size_t)4 << 10)
#define BLOCK_MAX ((size_t)64 << 10)

struct ctx_arena_block {
	struct ctx_arena_block *next;
	size_t n, cap;
	alignas(max_align_t) char bytes[];
};

/* Returns n uninitialized bytes, aligned for any type. */
static void *
get_arena_bytes(struct ctx_arena *a, size_t n)
{
	struct ctx_arena_block *b = a->blocks;
	size_t need = (n + alignof(max_align_t) - 1) / alignof(max_align_t) *
		      alignof(max_align_t);
	void *p;

	if (b == NULL || b->cap - b->n < need) {
		size_t cap = b == NULL ? BLOCK_FIRST : 2 * b->cap;

		cap = cap > BLOCK_MAX ? BLOCK_MAX : cap;
		cap = cap < need ? need : cap;
		b = ctx_mem_resize(NULL, sizeof(*b) + cap, 1);
		b->n = 0;
		b->cap = cap;
		b->next = a->blocks;
		a->blocks = b;
	}
	p = b->bytes + b->n;
	b->n += need;
	a->used += need;
	return p;
}

struct ctx_span
ctx_arena_copy(struct ctx_arena *a, struct ctx_span s)
{
	char *p;

	if (s.p == NULL)
		return s;
	p = get_arena_bytes(a, s.n + 1);
	memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return (struct ctx_span){p, s.n};
}

static void
release_from(struct ctx_arena_block *b)
{
	while (b != NULL) {
		struct ctx_arena_block *next = b->next;
		free(b);
		b = next;
	}
}

void
ctx_arena_reset(struct ctx_arena *a)
{
	struct ctx_arena_block *keep = a->blocks;

	a->used = 0;
	if (keep == NULL)
		return;
	release_from(keep->next);
	keep->next = NULL;
	keep->n = 0;
}

void
ctx_arena_release(struct ctx_arena *a)
{
	release_from(a->blocks);
	a->blocks = NULL;
	a->used = 0;
}
