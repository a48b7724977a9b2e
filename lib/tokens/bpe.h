/* Byte-pair encoding of one piece of text. */
#ifndef CTX_TOKENS_BPE_H
#define CTX_TOKENS_BPE_H

#include "tokens/table.h"

/* Working memory of ctx_bpe_piece, reused between calls. Initialize with zeros. */
struct ctx_bpe {
	void *p;
	size_t size;
};

void ctx_bpe_release(struct ctx_bpe *b);

/* Returns the number of tokens of a piece of text, the len bytes at p. The piece must be
 * well-formed UTF-8. The piece must not be a token itself; the caller checks this before
 * the call. ids: array with room for len ids, to which the token ids are written; may be
 * NULL. */
size_t ctx_bpe_piece(const struct ctx_table *t, struct ctx_bpe *b, const char *p,
    size_t len, uint32_t *ids);

#endif
