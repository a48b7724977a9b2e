/* Sums up how many input tokens providers read from their prompt caches, as they reported
 * it in the usage of their answers. */
#ifndef CTX_STATS_PROMPT_CACHE_H
#define CTX_STATS_PROMPT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/request.h"

/* Input tokens of one or more requests. */
struct ctx_prompt_cache {
	int64_t answers;    /* answers with reported usage */
	int64_t input;      /* all input tokens: read, written and uncached */
	int64_t read;       /* read from a cache */
	int64_t written;    /* written to a cache; 0 if the provider does not report it */
	int64_t written_1h; /* part of written with a lifetime of an hour or more */
	int64_t uncached;   /* neither read from a cache nor written to one */
	int64_t cuts;       /* requests that began a new run where an older one existed */
	/* input tokens of those requests that were not read from a cache */
	int64_t cut_input;
	/* requests that read less than half of what the previous request of their run, to
	 * the same model, had left in the cache, although it had not expired yet */
	int64_t missed;
};

/* The session's previous request. Owns its strings; zero-filled to start. */
struct ctx_prompt_before {
	char *request_id; /* NULL: no previous request */
	char *model;      /* JSON string; NULL: unknown */
	/* tokens that the next request of the run could read from the cache */
	int64_t cached;
	int64_t created_at;
};
void ctx_prompt_before_release(struct ctx_prompt_before *before);

/* Adds an answered request to sum. Its usage may have the form of Anthropic, OpenAI (Chat
 * Completions or Responses) or Gemini; a request without usage adds nothing. before is
 * the session's previous request, and is replaced by this one. Returns true if the
 * request counts as missed. */
bool ctx_prompt_cache_add(struct ctx_prompt_cache *sum, const struct ctx_request *r,
    struct ctx_prompt_before *before);

#endif
