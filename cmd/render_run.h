/* Private to ctx-render: requests of a run. */
#ifndef CTX_CMD_RENDER_RUN_H
#define CTX_CMD_RENDER_RUN_H

#include "cli.h"

#include "base/hash.h"
#include "record/request.h"
#include "render/render.h"

struct render_run {
	struct ctx_render_item *items;
	size_t n;
	int64_t turn; /* seq of the message that begins the current turn; -1: none */
	/* the request was sent before: print it as it was sent, without warnings */
	bool replay;
	bool cache;   /* prompt caches are asked for */
	bool headers; /* the headers that the body needs are written for the user */
	/* filled in: */
	char digest[CTX_HASH_HEX + 1]; /* of everything before the answer */
	char *cache_key;               /* to be freed; NULL: none is sent */
};

/* Decides which tools of the additions cannot be sent: waits[i] for each of the n items.
 * Marks those that are sent among the messages as late. */
int render_run_tools(struct render_run *r, const struct ctx_render_options *how,
    const struct ctx_request *q, bool waits[], struct ctx_err *err);

/* Decides for the request q of a run which reasoning goes back, in how and items, and the
 * key of OpenAI's prompt cache. */
int render_run_choose(struct render_run *r, struct ctx_render_options *how,
    const struct ctx_request *q, struct ctx_err *err);

/* A window that rolls changes what precedes the reasoning: leaves all of it out if the model
 * checks that, unless the options say otherwise. */
int render_run_strip(struct ctx_render_options *how, struct ctx_err *err);

/* Decides how an answer is treated according to the reason for which it ended: sets
 * item's paused and withheld from the record's metadata. replay: the request was sent
 * before; omitted is then what was left out at that time (a JSON array, or absent). */
void render_run_ending(
    struct ctx_render_item *item, bool replay, struct ctx_span omitted);

/* Stores these decisions in the member "run" of the request record. */
void render_run_note(const struct render_run *r, const struct ctx_render_options *how,
    struct ctx_request *q);

#endif
