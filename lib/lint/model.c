/* Parameters of a request that its model refuses, by the model table. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "lint/doc.h"

/* One body and what the table says of its model. */
struct request {
	struct lint_doc *d;
	struct ctx_model m;
	struct ctx_span
	    effort; /* JSON string: the reasoning effort asked for, or absent */
};

/* An error if the table is sure of the fact, else a warning. */
#define NOTE(r, rule, fact, ...) \
	ctx_lint_note((r)->d, rule, !(r)->m.unsure[fact], LINT_NO_ITEM, __VA_ARGS__)

static struct ctx_span
get_param(const struct request *r, const char *name)
{
	struct ctx_span value = ctx_json_get(r->d->body, name);

	return ctx_json_type(value) == CTX_JSON_NULL ? CTX_SPAN_NONE : value;
}

/* Is the member there, with another value than the one that every model takes? */
static bool
has_unusual_model_param(const struct request *r, const char *name, double usual)
{
	struct ctx_span value = get_param(r, name);
	double v;

	return value.p != NULL && !(ctx_json_double(value, &v) && v == usual);
}

/* ---- Anthropic ---- */

static void
check_anthropic_sampling(const struct request *r)
{
	const char *name = has_unusual_model_param(r, "temperature", 1) ? "temperature"
			   : has_unusual_model_param(r, "top_p", 0.99)  ? "top_p"
			   : get_param(r, "top_k").p                    ? "top_k"
									: NULL;

	if (name != NULL && r->m.sampling == CTX_MODEL_NO)
		NOTE(r, "an-model-sampling", CTX_MODEL_SAMPLING,
		    "the model refuses \"%s\": leave it out", name);
}

static void
check_anthropic_thinking(const struct request *r)
{
	struct ctx_span thinking = get_param(r, "thinking");
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_text(ctx_json_get(thinking, "type"), &tmp);
	char *form = ctx_span_dup(type);

	if (form != NULL && r->m.thinking.n > 2 && !ctx_model_thinks(&r->m, form))
		NOTE(r, "an-model-thinking", CTX_MODEL_THINKING,
		    "the model refuses \"thinking\" of the type \"%.40s\"; it takes %.*s",
		    form, (int)r->m.thinking.n, r->m.thinking.p);
	else if (form != NULL && strcmp(form, "enabled") != 0 &&
		 ctx_json_get(thinking, "budget_tokens").p != NULL)
		ctx_lint_note(r->d, "an-model-thinking", true, LINT_NO_ITEM,
		    "\"budget_tokens\" goes with \"thinking\" of the type \"enabled\" alone");
	free(form);
	ctx_buf_release(&tmp);
}

static void
check_anthropic(const struct request *r)
{
	struct ctx_span choice = ctx_json_get(get_param(r, "tool_choice"), "type");
	int64_t most;

	check_anthropic_sampling(r);
	check_anthropic_thinking(r);
	if (r->m.forced_tools == CTX_MODEL_NO &&
	    (ctx_json_is(choice, "any") || ctx_json_is(choice, "tool")))
		NOTE(r, "an-model-tool-choice", CTX_MODEL_FORCED_TOOLS,
		    "the model cannot be forced to call a tool: \"tool_choice\" is auto or none");
	if (r->m.output > 0 && ctx_json_int(get_param(r, "max_tokens"), &most) &&
	    most > r->m.output)
		NOTE(r, "an-model-output", CTX_MODEL_OUTPUT,
		    "\"max_tokens\" is %lld; the model answers with at most %lld",
		    (long long)most, (long long)r->m.output);
}

/* ---- OpenAI ---- */

static const char *
find_sampling(const struct request *r)
{
	return has_unusual_model_param(r, "temperature", 1) ? "temperature"
	       : has_unusual_model_param(r, "top_p", 1)     ? "top_p"
	       : get_param(r, "top_logprobs").p             ? "top_logprobs"
	       : ctx_json_true(get_param(r, "logprobs"))    ? "logprobs"
							    : NULL;
}

static void
check_openai_sampling(const struct request *r, const char *rule)
{
	const char *name = find_sampling(r);

	if (name == NULL)
		return;
	if (r->m.sampling == CTX_MODEL_NO)
		NOTE(r, rule, CTX_MODEL_SAMPLING,
		    "the model refuses \"%s\": leave it out", name);
	else if (r->m.sampling == CTX_MODEL_EFFORT_NONE &&
		 !ctx_json_is(r->effort, "none"))
		NOTE(r, rule, CTX_MODEL_SAMPLING,
		    "the model takes \"%s\" only with reasoning effort \"none\"", name);
}

static void
check_openai_effort(const struct request *r, const char *rule)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	char *effort = ctx_span_dup(ctx_json_text(r->effort, &tmp));

	if (effort != NULL && r->m.thinking.n > 2 && !ctx_model_thinks(&r->m, effort))
		NOTE(r, rule, CTX_MODEL_THINKING,
		    "the model refuses the reasoning effort \"%.40s\"; it takes %.*s",
		    effort, (int)r->m.thinking.n, r->m.thinking.p);
	free(effort);
	ctx_buf_release(&tmp);
}

static void
check_chat_deprecated(const struct request *r)
{
	static const char *const names[][2] = {{"functions", "tools"},
	    {"function_call", "tool_choice"}, {"user", "safety_identifier"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (get_param(r, names[i][0]).p != NULL)
			ctx_lint_note(r->d, "oa-model-deprecated", false, LINT_NO_ITEM,
			    "\"%s\" is deprecated: use \"%s\"", names[i][0], names[i][1]);
}

static void
check_chat(struct request *r)
{
	bool tools;

	r->effort = get_param(r, "reasoning_effort");
	tools = get_param(r, "tools").n > 2;
	check_openai_sampling(r, "oa-model-sampling");
	check_openai_effort(r, "oa-model-effort");
	check_chat_deprecated(r);
	if (r->m.thinking.n > 2 && get_param(r, "max_tokens").p != NULL)
		ctx_lint_note(r->d, "oa-model-output", true, LINT_NO_ITEM,
		    "the model refuses \"max_tokens\": use \"max_completion_tokens\"");
	if (tools && r->m.tools == CTX_MODEL_NO)
		NOTE(r, "oa-model-tools", CTX_MODEL_TOOLS,
		    "the model takes tools in the Responses API alone");
	else if (tools && r->m.tools == CTX_MODEL_EFFORT_NONE &&
		 !ctx_json_is(r->effort, "none"))
		NOTE(r, "oa-model-tools", CTX_MODEL_TOOLS,
		    "in Chat Completions the model takes tools only with \"reasoning_effort\":\"none\"");
}

static void
check_responses(struct request *r)
{
	r->effort = ctx_json_get(get_param(r, "reasoning"), "effort");
	check_openai_sampling(r, "re-model-sampling");
	check_openai_effort(r, "re-model-effort");
	if (get_param(r, "max_tokens").p != NULL ||
	    get_param(r, "max_completion_tokens").p != NULL)
		ctx_lint_note(r->d, "re-model-output", true, LINT_NO_ITEM,
		    "the Responses API calls it \"max_output_tokens\"");
}

void
ctx_lint_model(struct lint_doc *d, const struct ctx_lint_options *o)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct request r = {.d = d};
	struct ctx_span name;

	if (!o->check_model || d->form != LINT_BODY)
		return;
	name = ctx_json_text(ctx_json_get(d->body, "model"), &tmp);
	if (name.p != NULL && ctx_model_find(&r.m, name, o->models)) {
		if (d->rules == CTX_LINT_ANTHROPIC)
			check_anthropic(&r);
		else if (d->rules == CTX_LINT_OPENAI)
			check_chat(&r);
		else if (d->rules == CTX_LINT_RESPONSES)
			check_responses(&r);
	}
	ctx_buf_release(&tmp);
}
