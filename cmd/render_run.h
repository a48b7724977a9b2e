/* Private to ctx-render: decisions for a request that is part of a run. */
#ifndef CTX_CMD_RENDER_RUN_H
#define CTX_CMD_RENDER_RUN_H

#include "cli.h"

#include "base/hash.h"
#include "record/request.h"
#include "render/render.h"

struct render_run {
	struct ctx_render_item *items;
	size_t n;
	int64_t turn; /* seq of the message that begins the current turn; -1 if unknown */
	/* the request was sent before: print the same bytes again, without warnings */
	bool replay;
	bool cache;   /* the use of prompt caches is requested */
	bool headers; /* the headers that the body needs are written to a file */
	/* results: */
	char digest[CTX_HASH_HEX + 1]; /* digest of everything before the answer */
	/* key for the prompt cache, freed by the caller; NULL: none is sent */
	char *cache_key;
};

/* Decides which tools that additions define cannot be sent yet: sets waits[i] for each of
 * the n items. Marks those that are sent among the messages as late. */
int render_run_tools(struct render_run *r, const struct ctx_render_options *how,
    const struct ctx_request *q, bool waits[], struct ctx_err *err);

/* Decides which reasoning is sent back in request q of a run, and sets this in how and
 * items. Also sets the key for OpenAI's prompt cache. */
int render_run_choose(struct render_run *r, struct ctx_render_options *how,
    const struct ctx_request *q, struct ctx_err *err);

/* For a rolling window, which changes the text before the reasoning: omits all reasoning
 * if the model verifies that text, unless the options say otherwise. */
int render_run_strip(struct ctx_render_options *how, struct ctx_err *err);

/* Sets item's paused and withheld according to the reason for which the answer ended,
 * from the record's metadata. replay: the request was sent before; omitted is then the
 * list of parts omitted at that time (a JSON array, or absent). */
void render_run_ending(
    struct ctx_render_item *item, bool replay, struct ctx_span omitted);

/* Stores these decisions in the member "run" of the request record q. */
void render_run_note(const struct render_run *r, const struct ctx_render_options *how,
    struct ctx_request *q);

#endif
