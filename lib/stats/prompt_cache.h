/* What providers read from their prompt caches, by the usage that they reported. */
#ifndef CTX_STATS_PROMPT_CACHE_H
#define CTX_STATS_PROMPT_CACHE_H

#include <stdint.h>

#include "base/buf.h"
#include "record/request.h"

/* Tokens of one request's input, or of many. */
struct ctx_prompt_cache {
	int64_t answers;    /* that reported usage */
	int64_t input;      /* all input: read, written and neither */
	int64_t read;       /* from a cache */
	int64_t written;    /* to a cache; 0 where the provider does not say */
	int64_t written_1h; /* of these, for an hour or longer */
	int64_t uncached;   /* neither read nor written */
	int64_t cuts;       /* requests that began a run in place of another */
	int64_t cut_input;  /* what these did not read */
	int64_t missed; /* requests that read less than half of what the one before held,
			 * within the lifetime of its cache */
};

/* The request before, of the same session. */
struct ctx_prompt_before {
	char *request_id; /* owned; NULL: there is none */
	int64_t input;
	int64_t created_at;
};

/* Adds an answered request of the Anthropic, OpenAI (Chat or Responses) or Gemini shape.
 * before is that of the session's request before it, and is replaced by this one. A request
 * without usage adds nothing. */
void ctx_prompt_cache_add(struct ctx_prompt_cache *sum, const struct ctx_request *r,
    struct ctx_prompt_before *before);

#endif
