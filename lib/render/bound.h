/* Reasoning is bound to the messages before it. Models that check this refuse a request
 * whose earlier part has changed since the reasoning was made, or drop the reasoning in
 * silence. */
#ifndef CTX_RENDER_BOUND_H
#define CTX_RENDER_BOUND_H

#include "base/hash.h"
#include "render/render.h"

/* Digests of provider, system text and tools of params, and the messages before each answer.
 * run: the member "run" of the request record. Sets items[i].unbound where reasoning may not
 * go back: the answer was not made in this run, as its metadata says, or something else
 * stands before it now, or the same in another form, because its model takes no system
 * messages there. digest is of the whole request, for the metadata of its answer.
 * Returns the seq of the newest answer of the run whose digest does not hold; -1: none. */
int64_t ctx_bound_find(struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_span run,
    char digest[CTX_HASH_HEX + 1]);

/* Sets items[i].inside: with o->rules_inside, for the additions that tell the model what to
 * do (rules, prompt modules, notes on mode and instructions). Documents and data stay the
 * user's. */
void ctx_bound_rules(
    struct ctx_render_item *items, size_t n, const struct ctx_render_options *o);

/* The treatment of a tool among the additions of a run. */
enum ctx_bound_tool {
	CTX_BOUND_NONE,  /* not a tool */
	CTX_BOUND_FRONT, /* a tool that the run started with */
	CTX_BOUND_LATE,  /* added after the first answer of the run */
	/* added after the first answer, while the request already has a tool of that
	 * name */
	CTX_BOUND_TWICE,
};

/* Sets tools[i] for the n items of a request. The tools of a run precede its messages,
 * where nothing may change. run: the member "run" of the request record. given: the tools
 * of the parameters, a JSON array or absent. */
void ctx_bound_tools(enum ctx_bound_tool tools[], const struct ctx_render_item *items,
    size_t n, struct ctx_span run, struct ctx_span given);

#endif
