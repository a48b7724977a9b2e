/* Sums up how many input tokens providers read from their prompt caches, according to the
 * usage that they reported with their answers. */
#ifndef CTX_STATS_PROMPT_CACHE_H
#define CTX_STATS_PROMPT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/request.h"

/* Sums over all requests that were added with ctx_prompt_cache_add. Sums without a stated
 * unit are numbers of input tokens. */
struct ctx_prompt_cache {
	int64_t answers; /* number of answers with reported usage */
	/* number of all input tokens: read from a cache, written to a cache, or
	 * neither */
	int64_t input;
	int64_t read; /* read from a cache */
	/* input tokens written to a cache; 0 if the provider does not report them */
	int64_t written;
	/* input tokens written to a cache for an hour or longer; they are also counted in
	 * the member "written" */
	int64_t written_1h;
	/* input tokens neither read from a cache nor written to a cache */
	int64_t uncached;
	/* number of requests that began a new run although the session had an older
	 * run */
	int64_t cuts;
	/* input tokens of the requests that are counted in the member "cuts", without the
	 * tokens read from a cache */
	int64_t cut_input;
	/* number of cache misses: requests that read less than half of the tokens that
	 * the previous request of the same run had left in the cache. A request counts
	 * only if both requests used the same model and the cache had not expired. */
	int64_t missed;
};

/* The session's previous request. The struct owns its strings. Initialize it with
 * zeros. */
struct ctx_prompt_before {
	char *request_id; /* NULL: no previous request */
	char *model;      /* JSON string; NULL: unknown */
	/* number of tokens that the request left in the provider's cache for the next
	 * request of the run */
	int64_t cached;
	int64_t created_at;
};
void ctx_prompt_before_release(struct ctx_prompt_before *before);

/* Adds the answered request *r to *sum. The usage in *r may have any format that
 * ctx_usage_read knows. *before must contain the session's previous request, and is then
 * overwritten with the request *r. If *r has no usage, does nothing. Returns true if the
 * request was counted in sum->missed; otherwise returns false. */
bool ctx_prompt_cache_add(struct ctx_prompt_cache *sum, const struct ctx_request *r,
    struct ctx_prompt_before *before);

#endif
