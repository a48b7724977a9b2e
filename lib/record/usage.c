#include "record/usage.h"

#include <stdio.h>

#include "json/json.h"

#define MEMBER_MAX 40 /* maximum length of a member's name in the table, in bytes */

/* The formats of usage. A member inside another one is written "a.b"; several members
 * that are added up are separated by spaces. */
static const struct usage_format {
	/* numbers that identify the format: the first row that finds all of them
	 * applies */
	const char *members;
	bool uncached; /* input is the number of uncached tokens, not of all tokens */
	const char *input, *read, *written, *written_1h, *output;
} formats[] = {
    {"prompt_tokens", false, "prompt_tokens", "prompt_tokens_details.cached_tokens",
	"prompt_tokens_details.cache_write_tokens",
	"prompt_tokens_details.cache_write_tokens_details.ttl_12h_tokens",
	"completion_tokens"},
    {"promptTokenCount", false, "promptTokenCount toolUsePromptTokenCount",
	"cachedContentTokenCount", "", "", "candidatesTokenCount thoughtsTokenCount"},
    {"total_input_tokens", false, "total_input_tokens total_tool_use_tokens",
	"total_cached_tokens", "", "", "total_output_tokens total_thought_tokens"},
    {"input_tokens_details.cached_tokens", false, "input_tokens",
	"input_tokens_details.cached_tokens", "input_tokens_details.cache_write_tokens",
	"input_tokens_details.cache_write_tokens_details.ttl_12h_tokens",
	"output_tokens"},
    /* Anthropic */
    {"input_tokens", true, "input_tokens", "cache_read_input_tokens cache_read_tokens",
	"cache_creation_input_tokens cache_write_tokens",
	"cache_creation.ephemeral_1h_input_tokens", "output_tokens"},
    {"output_tokens", true, "", "cache_read_input_tokens cache_read_tokens",
	"cache_creation_input_tokens cache_write_tokens",
	"cache_creation.ephemeral_1h_input_tokens", "output_tokens"},
    /* Gemini CLI, OpenClaw, opencode */
    {"thoughts", false, "input", "cached", "", "", "output thoughts"},
    {"cached", false, "input", "cached", "", "", "output thoughts"},
    /* pi */
    {"input output", true, "input", "cacheRead", "cacheWrite", "", "output"},
};

/* Returns the value of the member at a path; absent if there is none. */
static struct ctx_span
find_usage_member(struct ctx_span object, struct ctx_span path)
{
	char key[MEMBER_MAX + 1];
	struct ctx_span name;

	while (object.p != NULL && ctx_span_split(&path, '.', &name)) {
		snprintf(key, sizeof(key), "%.*s", (int)name.n, name.p);
		object = ctx_json_get(object, key);
	}
	return object;
}

/* Returns the sum of the members. *all is true if each of them is a number. */
static int64_t
sum_members(struct ctx_span usage, const char *members, bool *all)
{
	struct ctx_span list = ctx_span_of(members), path, value;
	int64_t sum = 0, v;

	*all = true;
	while (ctx_span_split(&list, ' ', &path)) {
		value = find_usage_member(usage, path);
		*all = *all && ctx_json_type(value) == CTX_JSON_NUMBER;
		if (ctx_json_int(value, &v) && v >= 0)
			sum += v;
	}
	return sum;
}

/* Adds the tokens of usage to *u. */
static void
add_usage(struct ctx_usage *u, struct ctx_span usage, const struct usage_format *f)
{
	bool all;
	int64_t input = sum_members(usage, f->input, &all);
	int64_t read = sum_members(usage, f->read, &all);
	int64_t written = sum_members(usage, f->written, &all);

	u->read += read;
	u->written += written;
	u->written_1h += sum_members(usage, f->written_1h, &all);
	u->input += f->uncached ? input + read + written : input;
	u->uncached = u->input - u->read - u->written;
	u->output += sum_members(usage, f->output, &all);
}

bool
ctx_usage_read(struct ctx_usage *u, struct ctx_span usage)
{
	const struct usage_format *f = formats;
	size_t n = sizeof(formats) / sizeof(formats[0]);
	bool all = false;

	*u = (struct ctx_usage){0};
	for (size_t i = 0; i < n && !all; i++) {
		f = &formats[i];
		sum_members(usage, f->members, &all);
	}
	if (!all)
		return false;
	add_usage(u, usage, f);
	/* Anthropic's sums do not include the tokens of a compaction that was made inside
	 * the answer. */
	CTX_JSON_EACH(it, ctx_json_get(usage, "iterations"))
		if (ctx_json_has_type(it.value, "compaction"))
			add_usage(u, it.value, f);
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
