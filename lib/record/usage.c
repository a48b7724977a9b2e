#include "record/usage.h"

#include "json/json.h"

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

/* Anthropic's input_tokens include only uncached tokens. */
static void
add_anthropic(struct ctx_usage *u, struct ctx_span usage)
{
	u->read += get_tokens(usage, "cache_read_input_tokens") +
		   get_tokens(usage, "cache_read_tokens");
	u->written += get_tokens(usage, "cache_creation_input_tokens") +
		      get_tokens(usage, "cache_write_tokens");
	u->written_1h += get_tokens(
	    ctx_json_get(usage, "cache_creation"), "ephemeral_1h_input_tokens");
	u->uncached += get_tokens(usage, "input_tokens");
	u->input = u->uncached + u->read + u->written;
	u->output += get_tokens(usage, "output_tokens");
}

/* The sums at the top do not include compactions that Anthropic made inside the answer. */
static void
read_anthropic(struct ctx_usage *u, struct ctx_span usage)
{
	add_anthropic(u, usage);
	CTX_JSON_EACH(it, ctx_json_get(usage, "iterations"))
		if (ctx_json_has_type(it.value, "compaction"))
			add_anthropic(u, it.value);
}

static void
read_openai(struct ctx_usage *u, int64_t input, struct ctx_span details)
{
	struct ctx_span written = ctx_json_get(details, "cache_write_tokens_details");

	u->input = input;
	u->read = get_tokens(details, "cached_tokens");
	u->written = get_tokens(details, "cache_write_tokens");
	u->written_1h = get_tokens(written, "ttl_12h_tokens");
	u->uncached = input - u->read - u->written;
}

/* Reads the format of pi, whose "input" includes only uncached tokens. */
static void
read_agent(struct ctx_usage *u, struct ctx_span usage)
{
	u->uncached = get_tokens(usage, "input");
	u->read = get_tokens(usage, "cacheRead");
	u->written = get_tokens(usage, "cacheWrite");
	u->input = u->uncached + u->read + u->written;
	u->output = get_tokens(usage, "output");
}

/* Reads a format in which "input" includes the tokens read from a cache. */
static void
read_cached(struct ctx_usage *u, struct ctx_span usage)
{
	u->input = get_tokens(usage, "input");
	u->read = get_tokens(usage, "cached");
	u->uncached = u->input - u->read;
	u->output = get_tokens(usage, "output") + get_tokens(usage, "thoughts");
}

bool
ctx_usage_read(struct ctx_usage *u, struct ctx_span usage)
{
	*u = (struct ctx_usage){0};
	if (has_number_member(usage, "prompt_tokens")) {
		read_openai(u, get_tokens(usage, "prompt_tokens"),
		    ctx_json_get(usage, "prompt_tokens_details"));
		u->output = get_tokens(usage, "completion_tokens");
	} else if (has_number_member(usage, "promptTokenCount")) {
		u->input = get_tokens(usage, "promptTokenCount") +
			   get_tokens(usage, "toolUsePromptTokenCount");
		u->read = get_tokens(usage, "cachedContentTokenCount");
		u->uncached = u->input - u->read;
		u->output = get_tokens(usage, "candidatesTokenCount") +
			    get_tokens(usage, "thoughtsTokenCount");
	} else if (has_number_member(usage, "total_input_tokens")) {
		u->input = get_tokens(usage, "total_input_tokens") +
			   get_tokens(usage, "total_tool_use_tokens");
		u->read = get_tokens(usage, "total_cached_tokens");
		u->uncached = u->input - u->read;
		u->output = get_tokens(usage, "total_output_tokens") +
			    get_tokens(usage, "total_thought_tokens");
	} else if (ctx_json_get(usage, "input_tokens_details").p != NULL) {
		read_openai(u, get_tokens(usage, "input_tokens"),
		    ctx_json_get(usage, "input_tokens_details"));
		u->output = get_tokens(usage, "output_tokens");
	} else if (has_number_member(usage, "input_tokens") ||
		   has_number_member(usage, "output_tokens")) {
		read_anthropic(u, usage);
	} else if (has_number_member(usage, "thoughts") ||
		   has_number_member(usage, "cached")) {
		read_cached(u, usage);
	} else if (has_number_member(usage, "input") &&
		   has_number_member(usage, "output")) {
		read_agent(u, usage);
	} else {
		return false;
	}
	if (u->uncached < 0)
		u->uncached = 0;
	return true;
}

void
ctx_usage_put_cut(struct ctx_buf *out, struct ctx_span usage)
{
	struct ctx_usage u;

	if (ctx_usage_read(&u, usage))
		ctx_buf_addf(out, " (%lld of %lld input tokens not read from a cache)",
		    (long long)(u.input - u.read), (long long)u.input);
}
