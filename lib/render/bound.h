/* Decides whether the model's reasoning may be sent back. Reasoning is valid only if
 * everything before it in the request is the same as when the model produced it. Models
 * that check this either refuse a changed request or silently drop the reasoning. */
#ifndef CTX_RENDER_BOUND_H
#define CTX_RENDER_BOUND_H

#include "base/hash.h"
#include "render/render.h"

/* Sets items[i].unbound for each answer whose reasoning must not be sent back. run is
 * the member "run" of the request record. For each answer, the function computes a
 * digest over the provider, the system text, the tools and all messages before the
 * answer. The reasoning of an answer must not be sent back in three cases: the answer
 * was made in another run, according to its metadata; the digest differs from the digest
 * in the answer's metadata; or the request for the answer placed system messages or
 * rules differently from the new request, which *o describes. Stores the digest of the
 * whole new request in digest; the caller puts this digest into the metadata of the next
 * answer. Returns the sequence number of the newest answer of this run whose digest
 * differs, or -1 if there is none. Answers that are not sent are not counted. */
int64_t ctx_bound_find(struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_span run,
    char digest[CTX_HASH_HEX + 1]);

/* Sets items[i].inside for each of the n items. The value is true if o->rules_inside is
 * true and the item is an addition (a text added to the request) that instructs the
 * model. Such additions are rules, prompt modules, and the notes "mode" and
 * "instructions". Other additions (documents, data) remain part of the user message. */
void ctx_bound_rules(
    struct ctx_render_item *items, size_t n, const struct ctx_render_options *o);

/* How a request of a run sends the tool that an item defines. */
enum ctx_bound_tool {
	CTX_BOUND_NONE, /* the item does not define a tool */
	/* the tool was defined at the start of the run and is sent before the messages */
	CTX_BOUND_FRONT,
	/* the tool was added after the first answer of the run. It is sent among the
	 * messages if the API accepts this, and otherwise not before the next run. */
	CTX_BOUND_LATE,
	/* the tool was added after the first answer of the run, but the request already
	 * has a tool of that name; the tool is not sent before the next run */
	CTX_BOUND_TWICE,
};

/* Sets tools[i] for each of the n items of a request. The tools of the first request of
 * a run are sent before the messages. This part of the body must stay the same in all
 * requests of the run, so later tools cannot be added to it. run is the member "run" of
 * the request record. given: the JSON array of tools in the user's parameters, or
 * absent. */
void ctx_bound_tools(enum ctx_bound_tool tools[], const struct ctx_render_item *items,
    size_t n, struct ctx_span run, struct ctx_span given);

#endif
