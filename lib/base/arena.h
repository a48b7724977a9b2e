/* Arena allocator: many small pieces of memory that are freed together. A piece keeps its
 * address until the arena is reset or released. */
#ifndef CTX_BASE_ARENA_H
#define CTX_BASE_ARENA_H

#include <stddef.h>

#include "base/buf.h"

struct ctx_arena_block;
struct ctx_arena {
	struct ctx_arena_block *blocks; /* newest first */
	/* number of bytes handed out since the last reset */
	size_t used;
};

#define CTX_ARENA_INIT  \
	{               \
		NULL, 0 \
	}

/* Returns a copy of s in the arena, with a NUL byte after it. If s is absent, returns an
 * absent span. */
struct ctx_span ctx_arena_copy(struct ctx_arena *a, struct ctx_span s);

/* Frees all pieces, but keeps one block of memory for reuse. */
void ctx_arena_reset(struct ctx_arena *a);
void ctx_arena_release(struct ctx_arena *a);

#endif
