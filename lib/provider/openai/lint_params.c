/* Lint rules for the parameters of OpenAI's Chat Completions, and those shared with
 * Responses. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/openai/lint.h"

void
ctx_openai_refuse_sampling(struct lint_params *p, const char *rule, const char *name)
{
	if (p->m.sampling == CTX_MODEL_NO)
		ctx_lint_flaw_drop(LINT_MODEL_FLAW(p, rule, CTX_MODEL_SAMPLING, name,
		    "the model rejects \"%s\": remove it", name));
	else if (p->m.sampling == CTX_MODEL_EFFORT_NONE &&
		 !ctx_json_is(p->effort, "none"))
		ctx_lint_flaw_drop(LINT_MODEL_FLAW(p, rule, CTX_MODEL_SAMPLING, name,
		    "the model accepts \"%s\" only with reasoning effort \"none\": remove it",
		    name));
}

void
ctx_openai_check_sampling(struct lint_params *p, const char *rule)
{
	if (ctx_lint_unusual(p, "temperature", 1))
		ctx_openai_refuse_sampling(p, rule, "temperature");
	if (ctx_lint_unusual(p, "top_p", 1))
		ctx_openai_refuse_sampling(p, rule, "top_p");
	if (ctx_lint_param(p, "top_logprobs").p != NULL)
		ctx_openai_refuse_sampling(p, rule, "top_logprobs");
	if (ctx_json_true(ctx_lint_param(p, "logprobs")))
		ctx_openai_refuse_sampling(p, rule, "logprobs");
}

/* Returns the object with its member "effort" replaced, or the effort as a JSON string if
 * object is not an object. The caller frees it. */
static char *
make_effort(struct ctx_span object, const char *effort)
{
	struct ctx_buf b = CTX_BUF_INIT, json = CTX_BUF_INIT;

	ctx_buf_addf(&json, "\"%s\"", effort);
	if (ctx_json_type(object) != CTX_JSON_OBJECT)
		return ctx_buf_detach(&json);
	ctx_json_put_changed(&b, object, "effort", ctx_buf_span(&json));
	ctx_buf_release(&json);
	return ctx_buf_detach(&b);
}

/* Models up to GPT-5 accept the effort "minimal"; for later models, "low" is the least
 * effort. */
void
ctx_openai_check_effort(struct lint_params *p, const char *rule, const char *key)
{
	char *effort = ctx_json_strdup(p->effort);
	struct lint_flaw *f;

	if (effort != NULL && p->known && p->m.thinking.n > 2 &&
	    !ctx_model_thinks(&p->m, effort)) {
		bool least = strcmp(effort, "minimal") == 0 &&
			     ctx_model_thinks(&p->m, "low");
		f = LINT_MODEL_FLAW(p, rule, CTX_MODEL_THINKING, key,
		    "the model rejects the reasoning effort \"%.40s\"; it accepts %.*s%s",
		    effort, (int)p->m.thinking.n, p->m.thinking.p,
		    least ? ": start with \"low\"" : "");
		if (least)
			ctx_lint_flaw_rename(
			    p, f, key, make_effort(ctx_lint_param(p, key), "low"));
	}
	free(effort);
}

/* ---- Chat Completions ---- */

/* Returns a list of tools [{"type":"function","function":F}, …] from the list of
 * functions. */
static char *
make_tools(struct ctx_span functions)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_put_open(&b, '[');
	CTX_JSON_EACH(it, functions)
		ctx_json_print(&b, "{'type':'function','function':%j}", it.value);
	ctx_json_put_close(&b, ']');
	return ctx_buf_detach(&b);
}

static char *
make_choice(struct ctx_span choice)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (ctx_json_type(choice) != CTX_JSON_OBJECT)
		return ctx_span_dup(choice);
	ctx_json_print(&b, "{'type':'function','function':%j}", choice);
	return ctx_buf_detach(&b);
}

struct lint_flaw *
ctx_openai_deprecate(
    struct lint_params *p, const char *rule, const char *name, const char *use)
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
		    ctx_openai_deprecate(p, "oa-model-deprecated", "functions", "tools"),
		    "tools", make_tools(functions));
	if (choice.p != NULL)
		ctx_lint_flaw_rename(p,
		    ctx_openai_deprecate(
			p, "oa-model-deprecated", "function_call", "tool_choice"),
		    "tool_choice", make_choice(choice));
	if (ctx_lint_param(p, "user").p != NULL)
		ctx_lint_flaw_rename(p,
		    ctx_openai_deprecate(
			p, "oa-model-deprecated", "user", "safety_identifier"),
		    "safety_identifier", NULL);
}

/* Checks the name of the output limit. Servers other than OpenAI's know it as
 * "max_tokens". */
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
			"the model rejects \"max_tokens\": use \"max_completion_tokens\""),
		    name, NULL);
	if (foreign)
		ctx_lint_flaw_rename(p,
		    ctx_lint_flaw(p, "oa-model-output", false, "max_completion_tokens",
			"the model's server expects \"max_tokens\""),
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
		    "the model accepts tools only in the Responses API: render for responses (ctx-render -p responses)");
	else if (p->m.tools == CTX_MODEL_EFFORT_NONE && !ctx_json_is(p->effort, "none"))
		LINT_MODEL_FLAW(p, "oa-model-tools", CTX_MODEL_TOOLS, "tools",
		    "in Chat Completions the model accepts tools only with \"reasoning_effort\":\"none\": set it, or render for responses");
}

void
ctx_openai_lint_params(struct lint_params *p)
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
	ctx_openai_check_sampling(p, "oa-model-sampling");
	ctx_openai_check_effort(p, "oa-model-effort", "reasoning_effort");
	if (p->official)
		check_chat_deprecated(p);
	check_chat_output(p);
	check_chat_tools(p);
	ctx_openai_lint_messages(p);
}
