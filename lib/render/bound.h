/* Reasoning is bound to what stood before it: models that check this refuse a request whose
 * earlier part is another than it was when the reasoning was made, or drop it in silence. */
#ifndef CTX_RENDER_BOUND_H
#define CTX_RENDER_BOUND_H

#include "base/hash.h"
#include "render/render.h"

/* Digests of provider, system text and tools of params, and the messages before each answer.
 * run: the member "run" of the request record. Sets items[i].unbound where reasoning may not
 * go back: the answer was not made in this run, as its metadata says, or something else
 * stands before it now. digest is of the whole request, for the metadata of its answer.
 * Returns the seq of the newest answer of the run whose digest does not hold; -1: none. */
int64_t ctx_bound_find(struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_span run,
    char digest[CTX_HASH_HEX + 1]);

#endif
