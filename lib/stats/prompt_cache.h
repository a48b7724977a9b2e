/* What providers read from their prompt caches, according to the usage that they
 * reported. */
#ifndef CTX_STATS_PROMPT_CACHE_H
#define CTX_STATS_PROMPT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/request.h"

/* Input tokens of one request or of many. */
struct ctx_prompt_cache {
	int64_t answers;    /* answers with reported usage */
	int64_t input;      /* all input: read, written, and neither */
	int64_t read;       /* from a cache */
	int64_t written;    /* written to a cache; 0 if the provider does not report it */
	int64_t written_1h; /* of these, with a lifetime of an hour or longer */
	int64_t uncached;   /* neither read nor written */
	int64_t cuts;       /* requests that started a new run in place of an older one */
	int64_t cut_input;  /* input of these that was not read from the cache */
	/* requests that read less than half of what the previous request of their run
	 * left in the cache of the same model, within its lifetime */
	int64_t missed;
};

/* The previous request of the same session; owned. */
struct ctx_prompt_before {
	char *request_id; /* NULL: none */
	char *model;      /* JSON; NULL: unknown */
	int64_t cached;   /* tokens that the next request of the run could read */
	int64_t created_at;
};
void ctx_prompt_before_release(struct ctx_prompt_before *before);

/* Adds an answered request in the shape of Anthropic, OpenAI (Chat or Responses) or
 * Gemini. before describes the session's previous request and is replaced by this one. A
 * request without usage adds nothing. Returns true if the request counts as missed. */
bool ctx_prompt_cache_add(struct ctx_prompt_cache *sum, const struct ctx_request *r,
    struct ctx_prompt_before *before);

#endif
