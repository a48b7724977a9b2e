#include "stats/prompt_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define SHORT_LIFE ((int64_t)5 * 60 * 1000)
#define LONG_LIFE ((int64_t)60 * 60 * 1000)
#define SMALLEST 1024 /* tokens below which nothing is cached */

static int64_t
get_tokens(struct ctx_span object, const char *key)
{
	int64_t v;

	return ctx_json_int(ctx_json_get(object, key), &v) && v >= 0 ? v : 0;
}

static bool
has_number_member(struct ctx_span object, const char *key)
{
	return ctx_json_type(ctx_json_get(object, key)) == CTX_JSON_NUMBER;
}

/* Anthropic's input_tokens count only what was neither read nor written. */
static void
read_anthropic(struct ctx_prompt_cache *u, struct ctx_span usage)
{
	u->read = get_tokens(usage, "cache_read_input_tokens");
	u->written = get_tokens(usage, "cache_creation_input_tokens");
	u->written_1h = get_tokens(
	    ctx_json_get(usage, "cache_creation"), "ephemeral_1h_input_tokens");
	u->uncached = get_tokens(usage, "input_tokens");
	u->input = u->uncached + u->read + u->written;
}

static void
read_openai(struct ctx_prompt_cache *u, int64_t input, struct ctx_span details)
{
	struct ctx_span written = ctx_json_get(details, "cache_write_tokens_details");

	u->input = input;
	u->read = get_tokens(details, "cached_tokens");
	u->written = get_tokens(details, "cache_write_tokens");
	u->written_1h = get_tokens(written, "ttl_12h_tokens");
	u->uncached = input - u->read - u->written;
}

static bool
read_usage(struct ctx_prompt_cache *u, struct ctx_span usage)
{
	if (has_number_member(usage, "prompt_tokens"))
		read_openai(u, get_tokens(usage, "prompt_tokens"),
		    ctx_json_get(usage, "prompt_tokens_details"));
	else if (has_number_member(usage, "promptTokenCount")) {
		u->input = get_tokens(usage, "promptTokenCount");
		u->read = get_tokens(usage, "cachedContentTokenCount");
		u->uncached = u->input - u->read;
	} else if (ctx_json_get(usage, "input_tokens_details").p != NULL)
		read_openai(u, get_tokens(usage, "input_tokens"),
		    ctx_json_get(usage, "input_tokens_details"));
	else if (has_number_member(usage, "input_tokens"))
		read_anthropic(u, usage);
	else
		return false;
	return true;
}

/* Did the request read much less than its run should have? */
static bool
is_missed(const struct ctx_request *r, const struct ctx_prompt_cache *u,
    const struct ctx_prompt_before *before)
{
	struct ctx_span continues = ctx_json_get(ctx_span_of(r->run_json), "continues");
	int64_t life = r->cache != NULL && strcmp(r->cache, "1h") == 0 ? LONG_LIFE
								       : SHORT_LIFE;

	return before->request_id != NULL && ctx_json_is(continues, before->request_id) &&
	       before->input >= SMALLEST && r->created_at - before->created_at < life &&
	       u->read < before->input / 2;
}

bool
ctx_prompt_cache_add(struct ctx_prompt_cache *sum, const struct ctx_request *r,
    struct ctx_prompt_before *before)
{
	struct ctx_prompt_cache u = {0};
	bool missed;

	if (!read_usage(&u, ctx_span_of(r->usage_json)))
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
	free(before->request_id);
	*before = (struct ctx_prompt_before){
	    ctx_mem_str(r->request_id), u.input, r->created_at};
	return missed;
}
