/* Private to ctx-render: decisions for a request that is part of a run, a series of
 * requests that each continue the previous one. */
#ifndef CTX_CMD_RENDER_RUN_H
#define CTX_CMD_RENDER_RUN_H

#include "cli.h"

#include "base/hash.h"
#include "record/request.h"
#include "render/render.h"

struct render_run {
	struct ctx_render_item *items;
	size_t n;
	/* sequence number of the message that begins the current turn; -1 if unknown */
	int64_t turn;
	/* true: the request was sent before, so the body that was sent is printed again,
	 * and no warnings are printed */
	bool replay;
	bool cache; /* true: the use of prompt caches is requested */
	/* true: the HTTP headers that the body needs are written to a file */
	bool headers;
	/* results: */
	/* digest of the part of the body before the model's answer */
	char digest[CTX_HASH_HEX + 1];
	/* key for the prompt cache, freed by the caller; NULL: no key is sent */
	char *cache_key;
};

/* Decides how to send the tools that additions define. waits has one element for each
 * item of r. Sets waits[i] to true if item i defines a tool that cannot be sent in this
 * request yet. Sets r->items[i].late to true if the tool of item i is sent among the
 * messages. */
int render_run_tools(struct render_run *r, const struct ctx_render_options *how,
    const struct ctx_request *q, bool waits[], struct ctx_err *err);

/* Decides which reasoning of earlier answers request q sends back to the model, and
 * stores the decision in how and in r->items. Also sets r->cache_key, the key for
 * OpenAI's prompt cache. */
int render_run_choose(struct render_run *r, struct ctx_render_options *how,
    const struct ctx_request *q, struct ctx_err *err);

/* Call this for a rolling window, in which the text before earlier reasoning can differ
 * from request to request. If the model accepts reasoning only after unchanged text,
 * decides to omit all reasoning, unless the options say otherwise. */
int render_run_strip(struct ctx_render_options *how, struct ctx_err *err);

/* Sets item->paused and item->withheld from the stop reason in the metadata of the item's
 * record. If replay is true, the request was sent before; omitted is then the JSON array
 * of the parts that were omitted at that time, or absent. */
void render_run_ending(
    struct ctx_render_item *item, bool replay, struct ctx_span omitted);

/* Stores the decisions in *r and *how in the member "run" of the request record q. */
void render_run_note(const struct render_run *r, const struct ctx_render_options *how,
    struct ctx_request *q);

#endif
