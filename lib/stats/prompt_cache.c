#include "stats/prompt_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/usage.h"

#define SHORT_LIFE ((int64_t)5 * 60 * 1000)
#define LONG_LIFE ((int64_t)60 * 60 * 1000)
#define SMALLEST 1024 /* smallest prefix, in tokens, that providers cache */

/* Returns whether the request read much less from the cache than its run had put
 * there. */
static bool
is_missed(const struct ctx_request *r, const struct ctx_usage *u,
    const struct ctx_prompt_before *before)
{
	struct ctx_span continues = ctx_json_get(ctx_span_of(r->run_json), "continues");
	struct ctx_span model = ctx_json_get(ctx_span_of(r->params_json), "model");
	int64_t life = r->cache != NULL && strcmp(r->cache, "1h") == 0 ? LONG_LIFE
								       : SHORT_LIFE;

	return before->request_id != NULL && ctx_json_is(continues, before->request_id) &&
	       ctx_span_eq(model, ctx_span_of(before->model)) &&
	       before->cached >= SMALLEST && r->created_at - before->created_at < life &&
	       u->read < before->cached / 2;
}

/* Anthropic caches the part of a request that was marked. Other providers cache
 * everything without marks, and some of them do not report what they wrote. */
static int64_t
count_cached(const struct ctx_request *r, const struct ctx_usage *u)
{
	bool marked = r->provider != NULL && strcmp(r->provider, "anthropic") == 0;

	return marked ? u->read + u->written : u->input;
}

void
ctx_prompt_before_release(struct ctx_prompt_before *before)
{
	free(before->request_id);
	free(before->model);
	*before = (struct ctx_prompt_before){0};
}

bool
ctx_prompt_cache_add(struct ctx_prompt_cache *sum, const struct ctx_request *r,
    struct ctx_prompt_before *before)
{
	struct ctx_usage u;
	bool missed;

	if (!ctx_usage_read(&u, ctx_span_of(r->usage_json)))
		return false;
	sum->answers++;
	sum->input += u.input;
	sum->read += u.read;
	sum->written += u.written;
	sum->written_1h += u.written_1h;
	sum->uncached += u.uncached;
	if (ctx_json_get(ctx_span_of(r->run_json), "cut").p != NULL) {
		sum->cuts++;
		sum->cut_input += u.input - u.read;
	}
	missed = is_missed(r, &u, before);
	sum->missed += missed;
	ctx_prompt_before_release(before);
	before->request_id = ctx_mem_str(r->request_id);
	before->model = ctx_span_dup(ctx_json_get(ctx_span_of(r->params_json), "model"));
	before->cached = count_cached(r, &u);
	before->created_at = r->created_at;
	return missed;
}
