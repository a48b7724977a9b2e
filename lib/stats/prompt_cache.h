/* Sums up how many input tokens providers read from their prompt caches, as they reported
 * it in the usage of their answers. */
#ifndef CTX_STATS_PROMPT_CACHE_H
#define CTX_STATS_PROMPT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/request.h"

/* Sums over the answered requests that were added, in input tokens or numbers of
 * requests. */
struct ctx_prompt_cache {
	int64_t answers; /* number of answers with reported usage */
	/* all input tokens: the sum of the members read, written and uncached */
	int64_t input;
	int64_t read; /* read from a cache */
	/* input tokens written to a cache; 0 if the provider does not report them */
	int64_t written;
	/* input tokens written to a cache for an hour or longer; included in the member
	 * written */
	int64_t written_1h;
	/* input tokens neither read from a cache nor written to a cache */
	int64_t uncached;
	/* number of requests that began a new run although the session had an older
	 * run */
	int64_t cuts;
	/* input tokens of the requests counted in the member cuts, except tokens read
	 * from a cache */
	int64_t cut_input;
	/* number of requests that read too little from the cache: less than half of the
	 * tokens that the previous request of the same run, to the same model, had left
	 * in the cache, although the cache had not expired yet */
	int64_t missed;
};

/* The session's previous request. Owns its strings. Initialize with zeros. */
struct ctx_prompt_before {
	char *request_id; /* NULL: no previous request */
	char *model;      /* JSON string; NULL: unknown */
	/* tokens that the next request of the run could read from the cache */
	int64_t cached;
	int64_t created_at;
};
void ctx_prompt_before_release(struct ctx_prompt_before *before);

/* Adds the answered request r to sum. The usage in r may have any form that
 * ctx_usage_read knows. If r has no usage, does nothing and
 * returns false. *before is the session's previous request, and is replaced by r. Returns
 * true if r was counted in the member missed. */
bool ctx_prompt_cache_add(struct ctx_prompt_cache *sum, const struct ctx_request *r,
    struct ctx_prompt_before *before);

#endif
