/* An arena: many small pieces that live and go together. Pieces don't move. */
#ifndef CTX_BASE_ARENA_H
#define CTX_BASE_ARENA_H

#include <stddef.h>

#include "base/buf.h"

struct ctx_arena_block;
struct ctx_arena {
	struct ctx_arena_block *blocks; /* the newest first */
	size_t used;                    /* bytes handed out since the last reset */
};

#define CTX_ARENA_INIT  \
	{               \
		NULL, 0 \
	}

/* A copy with a NUL behind it; an absent span stays absent. */
struct ctx_span ctx_arena_copy(struct ctx_arena *a, struct ctx_span s);

void ctx_arena_reset(struct ctx_arena *a); /* all pieces gone, a block kept */
void ctx_arena_release(struct ctx_arena *a);

#endif
