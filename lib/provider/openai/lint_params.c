/* Parameters of OpenAI's Chat Completions and Responses. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/params.h"

static void
refuse_sampling(struct lint_params *p, const char *rule, const char *name)
{
	if (p->m.sampling == CTX_MODEL_NO)
		ctx_lint_flaw_drop(LINT_MODEL_FLAW(p, rule, CTX_MODEL_SAMPLING, name,
		    "the model refuses \"%s\": leave it out", name));
	else if (p->m.sampling == CTX_MODEL_EFFORT_NONE &&
		 !ctx_json_is(p->effort, "none"))
		ctx_lint_flaw_drop(LINT_MODEL_FLAW(p, rule, CTX_MODEL_SAMPLING, name,
		    "the model takes \"%s\" only with reasoning effort \"none\": leave it out",
		    name));
}

static void
check_openai_sampling(struct lint_params *p, const char *rule)
{
	if (ctx_lint_unusual(p, "temperature", 1))
		refuse_sampling(p, rule, "temperature");
	if (ctx_lint_unusual(p, "top_p", 1))
		refuse_sampling(p, rule, "top_p");
	if (ctx_lint_param(p, "top_logprobs").p != NULL)
		refuse_sampling(p, rule, "top_logprobs");
	if (ctx_json_true(ctx_lint_param(p, "logprobs")))
		refuse_sampling(p, rule, "logprobs");
}

/* {"effort":"low"} in place of the object's effort, or "low" by itself. */
static char *
make_effort(struct ctx_span object, const char *effort)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_json_iter it;

	if (ctx_json_type(object) != CTX_JSON_OBJECT) {
		ctx_buf_addf(&b, "\"%s\"", effort);
		return ctx_buf_detach(&b);
	}
	ctx_json_put_open(&b, '{');
	ctx_json_iter_init(&it, object);
	while (ctx_json_iter_next(&it)) {
		ctx_json_put_raw(&b, it.key);
		ctx_buf_addc(&b, ':');
		if (ctx_json_is(it.key, "effort"))
			ctx_buf_addf(&b, "\"%s\"", effort);
		else
			ctx_buf_addspan(&b, it.value);
	}
	ctx_json_put_close(&b, '}');
	return ctx_buf_detach(&b);
}

/* "minimal" was taken up to GPT-5, and "low" is the least effort since. */
static void
check_openai_effort(struct lint_params *p, const char *rule, const char *key)
{
	char *effort = ctx_json_strdup(p->effort);
	struct lint_flaw *f;

	if (effort != NULL && p->known && p->m.thinking.n > 2 &&
	    !ctx_model_thinks(&p->m, effort)) {
		bool least = strcmp(effort, "minimal") == 0 &&
			     ctx_model_thinks(&p->m, "low");
		f = LINT_MODEL_FLAW(p, rule, CTX_MODEL_THINKING, key,
		    "the model refuses the reasoning effort \"%.40s\"; it takes %.*s%s",
		    effort, (int)p->m.thinking.n, p->m.thinking.p,
		    least ? ": start at \"low\"" : "");
		if (least)
			ctx_lint_flaw_rename(
			    p, f, key, make_effort(ctx_lint_param(p, key), "low"));
	}
	free(effort);
}

/* ---- Chat Completions ---- */

/* [{"type":"function","function":F}, …] of the list of functions. */
static char *
make_tools(struct ctx_span functions)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_json_iter it;

	ctx_json_put_open(&b, '[');
	ctx_json_iter_init(&it, functions);
	while (ctx_json_iter_next(&it)) {
		ctx_json_put_open(&b, '{');
		ctx_json_add_str(&b, "type", "function");
		ctx_json_add_raw(&b, "function", it.value);
		ctx_json_put_close(&b, '}');
	}
	ctx_json_put_close(&b, ']');
	return ctx_buf_detach(&b);
}

static char *
make_choice(struct ctx_span choice)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (ctx_json_type(choice) != CTX_JSON_OBJECT)
		return ctx_span_dup(choice);
	ctx_json_put_open(&b, '{');
	ctx_json_add_str(&b, "type", "function");
	ctx_json_add_raw(&b, "function", choice);
	ctx_json_put_close(&b, '}');
	return ctx_buf_detach(&b);
}

static struct lint_flaw *
deprecate(struct lint_params *p, const char *rule, const char *name, const char *use)
{
	return ctx_lint_flaw(
	    p, rule, false, name, "\"%s\" is deprecated: use \"%s\"", name, use);
}

static void
check_chat_deprecated(struct lint_params *p)
{
	struct ctx_span functions = ctx_lint_param(p, "functions");
	struct ctx_span choice = ctx_lint_param(p, "function_call");

	if (functions.p != NULL)
		ctx_lint_flaw_rename(p,
		    deprecate(p, "oa-model-deprecated", "functions", "tools"), "tools",
		    make_tools(functions));
	if (choice.p != NULL)
		ctx_lint_flaw_rename(p,
		    deprecate(p, "oa-model-deprecated", "function_call", "tool_choice"),
		    "tool_choice", make_choice(choice));
	if (ctx_lint_param(p, "user").p != NULL)
		ctx_lint_flaw_rename(p,
		    deprecate(p, "oa-model-deprecated", "user", "safety_identifier"),
		    "safety_identifier", NULL);
}

/* Servers other than OpenAI's know "max_tokens". */
static void
check_chat_output(struct lint_params *p)
{
	bool reasons = p->official && p->m.thinking.n > 2;
	const char *name = p->official ? "max_completion_tokens" : "max_tokens";
	bool foreign = p->known && !p->official && p->m.server.p != NULL &&
		       ctx_lint_param(p, "max_completion_tokens").p != NULL;

	if (reasons && ctx_lint_param(p, "max_tokens").p != NULL)
		ctx_lint_flaw_rename(p,
		    ctx_lint_flaw(p, "oa-model-output", true, "max_tokens",
			"the model refuses \"max_tokens\": use \"max_completion_tokens\""),
		    name, NULL);
	if (foreign)
		ctx_lint_flaw_rename(p,
		    ctx_lint_flaw(p, "oa-model-output", false, "max_completion_tokens",
			"the model's server calls it \"max_tokens\""),
		    name, NULL);
	if (p->known && ctx_lint_param(p, "max_output_tokens").p != NULL)
		ctx_lint_flaw_rename(p,
		    ctx_lint_flaw(p, "oa-model-output", true, "max_output_tokens",
			"Chat Completions has no \"max_output_tokens\": use \"%s\"",
			name),
		    name, NULL);
}

static void
check_chat_tools(struct lint_params *p)
{
	if (ctx_lint_param(p, "tools").n <= 2 && ctx_lint_param(p, "functions").n <= 2)
		return;
	if (p->m.tools == CTX_MODEL_NO)
		LINT_MODEL_FLAW(p, "oa-model-tools", CTX_MODEL_TOOLS, "tools",
		    "the model takes tools in the Responses API alone: render for responses");
	else if (p->m.tools == CTX_MODEL_EFFORT_NONE && !ctx_json_is(p->effort, "none"))
		LINT_MODEL_FLAW(p, "oa-model-tools", CTX_MODEL_TOOLS, "tools",
		    "in Chat Completions the model takes tools only with \"reasoning_effort\":\"none\": render for responses");
}

void
ctx_lint_params_chat(struct lint_params *p)
{
	struct ctx_span reasoning = ctx_lint_param(p, "reasoning");
	struct ctx_span nested = ctx_json_get(reasoning, "effort");

	p->effort = ctx_lint_param(p, "reasoning_effort");
	if (!p->known)
		return;
	if (p->official && reasoning.p != NULL) {
		struct lint_flaw *f = ctx_lint_flaw(p, "oa-model-effort", true,
		    "reasoning",
		    "Chat Completions has no \"reasoning\": use \"reasoning_effort\"");
		if (ctx_json_is_text(nested))
			ctx_lint_flaw_rename(
			    p, f, "reasoning_effort", ctx_span_dup(nested));
	}
	check_openai_sampling(p, "oa-model-sampling");
	check_openai_effort(p, "oa-model-effort", "reasoning_effort");
	if (p->official)
		check_chat_deprecated(p);
	check_chat_output(p);
	check_chat_tools(p);
}

/* ---- Responses ---- */

/* The list without the strings that ask for the probabilities of tokens; NULL if it asks for
 * none. */
static char *
make_include(struct ctx_span include)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_json_iter it;
	bool found = false;

	ctx_json_put_open(&b, '[');
	ctx_json_iter_init(&it, include);
	while (ctx_json_iter_next(&it)) {
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
	refuse_sampling(p, "re-model-sampling", "include");
	if (p->n == before) {
		free(rest);
		return;
	}
	free(p->flaws[before].text);
	p->flaws[before].text = ctx_mem_str(
	    "the model refuses \"message.output_text.logprobs\" in \"include\": leave it out");
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
				"the Responses API calls it \"max_output_tokens\""),
			    "max_output_tokens", NULL);
}

/* Members of Chat Completions that Responses knows by another name, or not at all. */
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
			ctx_json_put_open(&b, '{');
			ctx_json_add_raw(&b, "effort", effort);
			ctx_json_put_close(&b, '}');
			ctx_lint_flaw_rename(p, f, "reasoning", ctx_buf_detach(&b));
		}
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		bool stop = i == 2;
		if (ctx_lint_param(p, none[i]).p == NULL)
			continue;
		struct lint_flaw *f = ctx_lint_flaw(p, "re-model-sampling", true, none[i],
		    "the Responses API has no \"%s\": leave it out", none[i]);
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
		    deprecate(p, "re-model-deprecated", "user", "safety_identifier"),
		    "safety_identifier", NULL);
	if (truncation.p != NULL) {
		struct lint_flaw *f = deprecate(
		    p, "re-model-deprecated", "truncation", "context_management");
		if (ctx_json_is(truncation, "disabled"))
			ctx_lint_flaw_drop(f);
	}
	if (ttl.p != NULL && ctx_lint_param(p, "prompt_cache_retention").p != NULL)
		ctx_lint_flaw_drop(ctx_lint_flaw(p, "re-model-deprecated", false,
		    "prompt_cache_retention",
		    "\"prompt_cache_retention\" is refused beside \"ttl\": leave it out"));
}

void
ctx_lint_params_responses(struct lint_params *p)
{
	p->effort = ctx_json_get(ctx_lint_param(p, "reasoning"), "effort");
	if (p->effort.p == NULL)
		p->effort = ctx_lint_param(p, "reasoning_effort");
	if (!p->known)
		return;
	check_responses_output(p);
	check_responses_members(p);
	check_responses_deprecated(p);
	check_openai_sampling(p, "re-model-sampling");
	check_include(p);
	check_openai_effort(p, "re-model-effort", "reasoning");
}
