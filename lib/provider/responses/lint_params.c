/* Lint rules for the parameters of OpenAI's Responses. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/openai/lint.h"
#include "provider/responses/lint.h"

/* Returns the "include" list without the string that requests token probabilities, NULL
 * if the list has no such string. The caller frees it. */
static char *
make_include(struct ctx_span include)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool found = false;

	ctx_json_put_open(&b, '[');
	CTX_JSON_EACH(it, include) {
		if (ctx_json_is(it.value, "message.output_text.logprobs"))
			found = true;
		else
			ctx_json_put_raw(&b, it.value);
	}
	ctx_json_put_close(&b, ']');
	if (!found)
		ctx_buf_release(&b);
	return found ? ctx_buf_detach(&b) : NULL;
}

static void
check_include(struct lint_params *p)
{
	char *rest = make_include(ctx_lint_param(p, "include"));
	size_t before = p->n;

	if (rest == NULL)
		return;
	ctx_openai_refuse_sampling(p, "re-model-sampling", "include");
	if (p->n == before) {
		free(rest);
		return;
	}
	free(p->flaws[before].text);
	p->flaws[before].text = ctx_mem_str(
	    "the model rejects \"message.output_text.logprobs\" in \"include\": remove it");
	ctx_lint_flaw_rename(p, &p->flaws[before], "include", rest);
}

static void
check_responses_output(struct lint_params *p)
{
	static const char *const names[] = {"max_tokens", "max_completion_tokens"};

	for (size_t i = 0; i < 2; i++)
		if (ctx_lint_param(p, names[i]).p != NULL)
			ctx_lint_flaw_rename(p,
			    ctx_lint_flaw(p, "re-model-output", true, names[i],
				"the Responses API expects \"max_output_tokens\""),
			    "max_output_tokens", NULL);
}

/* Reports members of Chat Completions that Responses names differently or does not
 * have. */
static void
check_responses_members(struct lint_params *p)
{
	static const char *const none[] = {
	    "presence_penalty", "frequency_penalty", "stop"};
	struct ctx_span effort = ctx_lint_param(p, "reasoning_effort");
	struct ctx_buf b = CTX_BUF_INIT;

	if (effort.p != NULL) {
		struct lint_flaw *f = ctx_lint_flaw(p, "re-model-effort", true,
		    "reasoning_effort",
		    "the Responses API has no \"reasoning_effort\": use \"reasoning\" with \"effort\"");
		if (ctx_lint_param(p, "reasoning").p == NULL) {
			ctx_json_print(&b, "{'effort':%j}", effort);
			ctx_lint_flaw_rename(p, f, "reasoning", ctx_buf_detach(&b));
		}
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		bool stop = i == 2;
		if (ctx_lint_param(p, none[i]).p == NULL)
			continue;
		struct lint_flaw *f = ctx_lint_flaw(p, "re-model-sampling", true, none[i],
		    "the Responses API has no \"%s\": remove it", none[i]);
		if (!stop)
			ctx_lint_flaw_drop(f);
	}
}

static void
check_responses_deprecated(struct lint_params *p)
{
	struct ctx_span truncation = ctx_lint_param(p, "truncation");
	struct ctx_span ttl = ctx_json_get(
	    ctx_lint_param(p, "prompt_cache_options"), "ttl");

	if (p->official && ctx_lint_param(p, "user").p != NULL)
		ctx_lint_flaw_rename(p,
		    ctx_openai_deprecate(
			p, "re-model-deprecated", "user", "safety_identifier"),
		    "safety_identifier", NULL);
	if (truncation.p != NULL) {
		struct lint_flaw *f = ctx_openai_deprecate(
		    p, "re-model-deprecated", "truncation", "context_management");
		if (ctx_json_is(truncation, "disabled"))
			ctx_lint_flaw_drop(f);
	}
	if (ttl.p != NULL && ctx_lint_param(p, "prompt_cache_retention").p != NULL)
		ctx_lint_flaw_drop(ctx_lint_flaw(p, "re-model-deprecated", false,
		    "prompt_cache_retention",
		    "\"prompt_cache_retention\" cannot be combined with \"ttl\": remove it"));
}

static void
check_cache_options(struct lint_params *p)
{
	struct ctx_span options = ctx_lint_param(p, "prompt_cache_options");
	struct ctx_span mode = ctx_json_get(options, "mode");
	struct ctx_span ttl = ctx_json_get(options, "ttl");

	if (mode.p != NULL && !ctx_json_is(mode, "implicit") &&
	    !ctx_json_is(mode, "explicit"))
		ctx_lint_flaw(p, "re-model-cache", true, "prompt_cache_options",
		    "the \"mode\" of \"prompt_cache_options\" must be implicit or explicit");
	if (ttl.p != NULL && !ctx_json_is(ttl, "30m") && !ctx_json_is(ttl, "12h"))
		ctx_lint_flaw(p, "re-model-cache", true, "prompt_cache_options",
		    "the \"ttl\" of \"prompt_cache_options\" must be 30m or 12h");
}

/* Cache marks exist since GPT-5.6 ("Prompt caching"). Since GPT-6.2, "instructions"
 * follow the input ("Keep the prefix unchanged"). */
static void
check_responses_cache(struct lint_params *p)
{
	bool marks = ctx_json_is(p->m.cache, "implicit+marks");

	check_cache_options(p);
	if (!marks && ctx_lint_param(p, "prompt_cache_options").p != NULL)
		LINT_MODEL_FLAW(p, "re-model-cache", CTX_MODEL_CACHE,
		    "prompt_cache_options",
		    "the model does not support \"prompt_cache_options\": remove it");
	if (ctx_json_is(p->m.reasoning, "silent") &&
	    ctx_lint_param(p, "instructions").p != NULL)
		ctx_lint_flaw(p, "re-model-cache", false, "instructions",
		    "the model places \"instructions\" after the input, where they are never cached: put permanent ones into a developer message at the start");
}

void
ctx_responses_lint_params(struct lint_params *p)
{
	p->effort = ctx_json_get(ctx_lint_param(p, "reasoning"), "effort");
	if (p->effort.p == NULL)
		p->effort = ctx_lint_param(p, "reasoning_effort");
	if (!p->known)
		return;
	check_responses_output(p);
	check_responses_members(p);
	check_responses_deprecated(p);
	if (p->official)
		check_responses_cache(p);
	ctx_openai_check_sampling(p, "re-model-sampling");
	check_include(p);
	ctx_openai_check_effort(p, "re-model-effort", "reasoning");
}
