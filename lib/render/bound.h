/* Decides whether the model's reasoning may be sent back. Reasoning is valid only if
 * everything before it in the request is the same as when the model produced it. Models
 * that check this either refuse a changed request or silently drop the reasoning. */
#ifndef CTX_RENDER_BOUND_H
#define CTX_RENDER_BOUND_H

#include "base/hash.h"
#include "render/render.h"

/* Sets items[i].unbound for each answer whose reasoning must not be sent back. run is the
 * member "run" of the request record. For each answer, a digest is computed over the
 * provider, the system text, the tools and all messages before the answer. The reasoning
 * of an answer must not be sent back in three cases: the answer was made in another run,
 * according to its metadata; the digest differs from the digest in the answer's metadata;
 * or the answer's request placed system messages or rules differently from what *o
 * selects. Stores the digest of the whole request in digest; the caller puts it into the
 * metadata of the next answer. Returns the sequence number of the newest answer of this
 * run whose digest differs, or -1 if all digests match. */
int64_t ctx_bound_find(struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_span run,
    char digest[CTX_HASH_HEX + 1]);

/* Sets items[i].inside for each of the n items. It is set to true if o->rules_inside is
 * set and the item is an addition (a text added to the request) that instructs the model:
 * a rule, a prompt module, or a note about the mode or with instructions. Other additions
 * (documents, data) remain part of the user message. */
void ctx_bound_rules(
    struct ctx_render_item *items, size_t n, const struct ctx_render_options *o);

/* Says how a tool that an item defines is sent in a request of a run. */
enum ctx_bound_tool {
	CTX_BOUND_NONE, /* the item does not define a tool */
	/* the tool was defined at the start of the run and is sent before the messages */
	CTX_BOUND_FRONT,
	/* the tool was added after the first answer of the run. The tool is sent among
	 * the messages if the API accepts this; otherwise it is not sent before the next
	 * run. */
	CTX_BOUND_LATE,
	/* the tool was added after the first answer of the run, but the request already
	 * has a tool of that name; the tool is not sent before the next run */
	CTX_BOUND_TWICE,
};

/* Sets tools[i] for each of the n items of a request. The tools with which a run started
 * are sent before the messages, and this part of the body must not change until the run
 * ends. run is the member "run" of the request record. given: the JSON array of tools in
 * the user's parameters, or absent. */
void ctx_bound_tools(enum ctx_bound_tool tools[], const struct ctx_render_item *items,
    size_t n, struct ctx_span run, struct ctx_span given);

#endif
