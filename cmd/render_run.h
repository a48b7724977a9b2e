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
	/* true: the request may use prompt caches (--cache off was not given) */
	bool cache;
	/* true: the HTTP headers to send with the body are written to a file */
	bool headers;
	/* results: */
	/* digest of the request (see ctx_bound_find), in hexadecimal */
	char digest[CTX_HASH_HEX + 1];
	/* key for the provider's prompt cache, freed by the caller; NULL: no key is
	 * sent */
	char *cache_key;
};

/* Decides how to send the tools that the items in r->items define. Sets r->items[i].late
 * to true if the tool of item i is sent among the messages. Sets waits[i] to true if the
 * tool of item i cannot be sent in this request; waits has one element for each item. */
int render_run_tools(struct render_run *r, const struct ctx_render_options *how,
    const struct ctx_request *q, bool waits[], struct ctx_err *err);

/* Decides which reasoning of earlier answers request q sends back to the model. Stores
 * the decision in *how and in r->items. Sets r->cache_key, the key for OpenAI's prompt
 * cache. */
int render_run_choose(struct render_run *r, struct ctx_render_options *how,
    const struct ctx_request *q, struct ctx_err *err);

/* Call for a rolling window, whose first messages differ from request to request. If the
 * model verifies that the text before reasoning is unchanged, and --thinking does not say
 * otherwise, decides to omit all reasoning. */
int render_run_strip(struct ctx_render_options *how, struct ctx_err *err);

/* Sets item->paused and item->withheld from the stop reason in the item's metadata.
 * replay: true if the request was sent before. omitted: if the request was sent before,
 * the JSON array of the parts that the request left out (may be absent); item->withheld
 * is then set only if this array lists the item. */
void render_run_ending(
    struct ctx_render_item *item, bool replay, struct ctx_span omitted);

/* Stores the decisions in *r and *how in the member "run" of the request record q. */
void render_run_note(const struct render_run *r, const struct ctx_render_options *how,
    struct ctx_request *q);

#endif
