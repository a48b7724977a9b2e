/* Byte-pair encoding of one piece. */
#ifndef CTX_TOKENS_BPE_H
#define CTX_TOKENS_BPE_H

#include "tokens/table.h"

/* Memory for merging, kept between calls; zero-initialised. */
struct ctx_bpe {
	void *p;
	size_t size;
};

void ctx_bpe_release(struct ctx_bpe *b);

/* Tokens of the len bytes at p, a piece of well-formed UTF-8 that is itself no token.
 * With ids, they are written there: room for len ids. */
size_t ctx_bpe_piece(const struct ctx_table *t, struct ctx_bpe *b, const char *p,
    size_t len, uint32_t *ids);

#endif
