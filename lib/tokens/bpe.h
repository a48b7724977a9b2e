/* Byte-pair encoding of one piece of text. */
#ifndef CTX_TOKENS_BPE_H
#define CTX_TOKENS_BPE_H

#include "tokens/table.h"

/* Working memory, reused between calls. Initialize with zeros. */
struct ctx_bpe {
	void *p;
	size_t size;
};

void ctx_bpe_release(struct ctx_bpe *b);

/* Returns the number of tokens in a piece: len bytes at p, well-formed UTF-8 that is not
 * itself a token. If ids is not NULL, the token ids are written there; it needs room for
 * len ids. */
size_t ctx_bpe_piece(const struct ctx_table *t, struct ctx_bpe *b, const char *p,
    size_t len, uint32_t *ids);

#endif
