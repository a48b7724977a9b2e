/* Decides whether the model's reasoning may be sent back. Reasoning is valid only after
 * the messages it was made for. Models that check this either refuse a request in which
 * an earlier part has changed, or silently drop the reasoning. */
#ifndef CTX_RENDER_BOUND_H
#define CTX_RENDER_BOUND_H

#include "base/hash.h"
#include "render/render.h"

/* Finds the answers whose reasoning must not be sent back. run is the member "run" of the
 * request record. For each answer a digest is computed over the provider, the system
 * text, the tools and all messages before the answer. Sets items[i].unbound if the answer
 * was made in another run (according to its metadata), if the digest differs from the one
 * in its metadata, or if its model received system messages or rules in another form than
 * o selects. Stores the digest of the whole request in digest; the caller puts it into
 * the metadata of the next answer. Returns the seq of the newest answer of this run whose
 * digest differs, or -1 if all digests match. */
int64_t ctx_bound_find(struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_span run,
    char digest[CTX_HASH_HEX + 1]);

/* Sets items[i].inside for each of the n items: true if o->rules_inside is set and the
 * item is an addition that instructs the model (a rule, a prompt module, or a note on
 * mode or instructions). Documents and data remain part of the user message. */
void ctx_bound_rules(
    struct ctx_render_item *items, size_t n, const struct ctx_render_options *o);

/* How a tool that was added to a request of a run is sent. */
enum ctx_bound_tool {
	CTX_BOUND_NONE, /* the item does not define a tool */
	/* present since the start of the run: sent before the messages */
	CTX_BOUND_FRONT,
	CTX_BOUND_LATE, /* added after the first answer of the run */
	/* added after the first answer of the run, but the request already has a tool of
	 * that name */
	CTX_BOUND_TWICE,
};

/* Sets tools[i] for each of the n items of a request. The tools that a run started with
 * are sent before its messages, where nothing may change until the next cut. run is the
 * member "run" of the request record. given is the JSON array of tools in the user's
 * parameters, or an absent span. */
void ctx_bound_tools(enum ctx_bound_tool tools[], const struct ctx_render_item *items,
    size_t n, struct ctx_span run, struct ctx_span given);

#endif
