/* Decides whether the model's reasoning may be sent back. Reasoning is valid only if
 * everything before it in the request is the same as when the model produced it. Models
 * that check this either refuse a changed request or silently drop the reasoning. */
#ifndef CTX_RENDER_BOUND_H
#define CTX_RENDER_BOUND_H

#include "base/hash.h"
#include "render/render.h"

/* Sets items[i].unbound for each answer: true if the reasoning in the answer must not be
 * sent back. run: the member "run" of the new request's record.
 *
 * The function computes a digest for each answer. The digest covers the provider, the
 * system text, the tools, and all messages before the answer. The reasoning of an answer
 * must not be sent back if (1) the answer's metadata shows that the answer was made in
 * another run, (2) the digest is not equal to the digest in the answer's metadata, or (3)
 * the request for the answer placed system messages or rules differently from the new
 * request, which *o describes.
 *
 * Also stores a digest of the whole new request in the array "digest"; the caller puts
 * this digest into the metadata of the next answer. Returns the sequence number of the
 * newest answer to which case 2 applies in this run, or -1 if there is none. Answers that
 * are not sent are not counted. */
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
	/* the tool was known before the first answer of the run, and is sent before the
	 * messages */
	CTX_BOUND_FRONT,
	/* the tool was added after the first answer of the run. It is sent among the
	 * messages if the API accepts this, otherwise only in the next run. */
	CTX_BOUND_LATE,
	/* the tool was added after the first answer of the run, but the request already
	 * has a tool with the same name; the added tool is not sent in this run */
	CTX_BOUND_TWICE,
};

/* Decides, for each of the n items of a request, in which part of the body the tool that
 * the item defines is sent, and stores the decision in tools[i]. Tools that were known
 * before the first answer of a run (append-only requests) are sent before the messages.
 * Tools that are added later cannot be sent there, because all requests of a run must
 * begin with the same bytes. run: the member "run" of the request record; given: the JSON
 * array of tools in the user's parameters, or absent. */
void ctx_bound_tools(enum ctx_bound_tool tools[], const struct ctx_render_item *items,
    size_t n, struct ctx_span run, struct ctx_span given);

#endif
