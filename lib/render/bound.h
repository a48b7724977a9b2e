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

/* What becomes of a tool among the additions of a run. */
enum ctx_bound_tool {
	CTX_BOUND_NONE,  /* not a tool */
	CTX_BOUND_FRONT, /* a tool that the run began with */
	CTX_BOUND_LATE,  /* came after the first answer of the run */
	CTX_BOUND_TWICE, /* so did this one, and the request has a tool of its name */
};

/* Sets tools[i] for the n items of a request. The tools of a run stand before its messages,
 * where nothing may change. run: the member "run" of the request record. given: the tools of
 * the parameters, a JSON array or absent. */
void ctx_bound_tools(enum ctx_bound_tool tools[], const struct ctx_render_item *items,
    size_t n, struct ctx_span run, struct ctx_span given);

#endif
