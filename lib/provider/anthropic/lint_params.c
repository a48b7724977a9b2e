/* Lint rules for the parameters of requests to Anthropic's Messages API. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/anthropic/lint.h"

#define LEAST_BUDGET 1024

static void
check_sampling(struct lint_params *p)
{
	static const struct {
		const char *name;
		double usual;
	} members[] = {{"temperature", 1}, {"top_p", 0.99}};
	bool both = true;

	if (p->m.sampling != CTX_MODEL_NO)
		return;
	for (size_t i = 0; i < 2; i++) {
		if (ctx_lint_unusual(p, members[i].name, members[i].usual)) {
			ctx_lint_flaw_drop(LINT_MODEL_FLAW(p, "an-model-sampling",
			    CTX_MODEL_SAMPLING, members[i].name,
			    "the model rejects \"%s\": remove it", members[i].name));
			both = false;
		}
		both = both && ctx_lint_param(p, members[i].name).p != NULL;
	}
	if (ctx_lint_param(p, "top_k").p != NULL)
		ctx_lint_flaw_drop(
		    LINT_MODEL_FLAW(p, "an-model-sampling", CTX_MODEL_SAMPLING, "top_k",
			"the model rejects \"top_k\": remove it"));
	if (both)
		ctx_lint_flaw_drop(LINT_MODEL_FLAW(p, "an-model-sampling",
		    CTX_MODEL_SAMPLING, "top_p",
		    "the model rejects \"top_p\" together with \"temperature\": remove it"));
}

/* Returns an object with this type and the other members of thinking except
 * budget_tokens; if alone is set, with the type only. The caller frees it. */
static char *
make_thinking(struct ctx_span thinking, const char *type, bool alone)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_print(&b, "{'type':%s", type);
	CTX_JSON_EACH_WHILE(!alone, it, thinking)
		if (!CTX_JSON_IS_ANY(it.key, "type", "budget_tokens"))
			ctx_json_put_member(&b, it.key, it.value);
	ctx_json_put_close(&b, '}');
	return ctx_buf_detach(&b);
}

static void
refuse_form(struct lint_params *p, struct ctx_span thinking, const char *form)
{
	bool adaptive = strcmp(form, "enabled") == 0 &&
			ctx_model_thinks(&p->m, "adaptive");
	struct lint_flaw *f = LINT_MODEL_FLAW(p, "an-model-thinking", CTX_MODEL_THINKING,
	    "thinking",
	    "the model rejects \"thinking\" of type \"%.40s\"; it accepts %.*s%s", form,
	    (int)p->m.thinking.n, p->m.thinking.p,
	    adaptive ? ": send {\"type\":\"adaptive\"}" : "");

	if (adaptive)
		ctx_lint_flaw_rename(
		    p, f, "thinking", make_thinking(thinking, "adaptive", false));
}

/* Checks the other members of "thinking" for a type (form) that the model accepts. */
static void
check_form(struct lint_params *p, struct ctx_span thinking, const char *form)
{
	struct ctx_span budget = ctx_json_get(thinking, "budget_tokens");
	struct ctx_span effort = ctx_json_get(
	    ctx_lint_param(p, "output_config"), "effort");
	bool between = strcmp(form, "between_tools") == 0;
	bool high = ctx_json_is(effort, "xhigh") || ctx_json_is(effort, "max");
	bool bound = between ||
		     (strcmp(form, "disabled") == 0 &&
			 ctx_json_is(ctx_json_get(p->m.row, "disabled_effort"), "high"));

	if (between && ctx_json_count(thinking) > 1)
		ctx_lint_flaw_rename(p,
		    ctx_lint_flaw(p, "an-model-thinking", true, "thinking",
			"\"thinking\" of type \"between_tools\" cannot have other members: remove them"),
		    "thinking", make_thinking(thinking, form, true));
	else if (budget.p != NULL)
		ctx_lint_flaw_rename(p,
		    ctx_lint_flaw(p, "an-model-thinking", true, "thinking",
			"\"budget_tokens\" is only valid with \"thinking\" of type \"enabled\": remove it"),
		    "thinking", make_thinking(thinking, form, false));
	if (high && p->known && bound)
		ctx_lint_flaw(p, "an-model-thinking", true, "output_config",
		    "\"thinking\" of type \"%.40s\" allows an effort of at most \"high\"",
		    form);
}

static void
check_budget(struct lint_params *p, struct ctx_span thinking)
{
	int64_t budget, most;

	if (!ctx_json_int(ctx_json_get(thinking, "budget_tokens"), &budget))
		ctx_lint_flaw(p, "an-model-thinking", true, "thinking",
		    "\"thinking\" of type \"enabled\" requires \"budget_tokens\"");
	else if (budget < LEAST_BUDGET)
		ctx_lint_flaw(p, "an-model-thinking", true, "thinking",
		    "\"budget_tokens\" is %lld; the minimum is %d", (long long)budget,
		    LEAST_BUDGET);
	else if (ctx_json_int(ctx_lint_param(p, "max_tokens"), &most) && budget >= most)
		ctx_lint_flaw(p, "an-model-thinking", true, "thinking",
		    "\"budget_tokens\" is %lld: it must be less than \"max_tokens\", %lld",
		    (long long)budget, (long long)most);
}

static void
check_thinking(struct lint_params *p)
{
	struct ctx_span thinking = ctx_lint_param(p, "thinking");
	char *form = ctx_json_strdup(ctx_json_get(thinking, "type"));

	if (form == NULL)
		return;
	if (p->known && p->m.thinking.n > 2 && !ctx_model_thinks(&p->m, form))
		refuse_form(p, thinking, form);
	else if (strcmp(form, "enabled") == 0) {
		check_budget(p, thinking);
		if (p->known && ctx_model_thinks(&p->m, "adaptive"))
			ctx_lint_flaw(p, "an-model-deprecated", false, "thinking",
			    "\"thinking\" of type \"enabled\" is deprecated: send {\"type\":\"adaptive\"}");
	} else
		check_form(p, thinking, form);
	free(form);
}

static void
check_choice(struct lint_params *p)
{
	struct ctx_span choice = ctx_json_get(ctx_lint_param(p, "tool_choice"), "type");
	struct ctx_span form = ctx_json_get(ctx_lint_param(p, "thinking"), "type");

	if (!ctx_json_is(choice, "any") && !ctx_json_is(choice, "tool"))
		return;
	if (p->m.forced_tools == CTX_MODEL_NO)
		LINT_MODEL_FLAW(p, "an-model-tool-choice", CTX_MODEL_FORCED_TOOLS,
		    "tool_choice",
		    "the model cannot be forced to call a tool: \"tool_choice\" must be auto or none");
	else if (ctx_json_is(form, "enabled"))
		ctx_lint_flaw(p, "an-model-tool-choice", true, "tool_choice",
		    "with \"thinking\" of type \"enabled\" no call can be forced: \"tool_choice\" must be auto or none");
}

static void
check_output(struct lint_params *p)
{
	static const char *const others[] = {
	    "max_completion_tokens", "max_output_tokens"};
	int64_t most;

	for (size_t i = 0; i < 2; i++)
		if (ctx_lint_param(p, others[i]).p != NULL)
			ctx_lint_flaw_rename(p,
			    ctx_lint_flaw(p, "an-model-output", true, others[i],
				"\"%s\" is not accepted: use \"max_tokens\"", others[i]),
			    "max_tokens", NULL);
	if (p->m.output > 0 && ctx_json_int(ctx_lint_param(p, "max_tokens"), &most) &&
	    most > p->m.output) {
		struct ctx_buf b = CTX_BUF_INIT;
		ctx_buf_addf(&b, "%lld", (long long)p->m.output);
		ctx_lint_flaw_rename(p,
		    LINT_MODEL_FLAW(p, "an-model-output", CTX_MODEL_OUTPUT, "max_tokens",
			"\"max_tokens\" is %lld; the model generates at most %lld tokens",
			(long long)most, (long long)p->m.output),
		    "max_tokens", ctx_buf_detach(&b));
	}
}

static void
check_effort(struct lint_params *p)
{
	struct ctx_span effort = ctx_json_get(
	    ctx_lint_param(p, "output_config"), "effort");

	if (effort.p == NULL || ctx_span_is(effort, "null") ||
	    CTX_JSON_IS_ANY(effort, "low", "medium", "high", "xhigh", "max"))
		return;
	ctx_lint_flaw(p, "an-model-thinking", true, "output_config",
	    "\"effort\" must be low, medium, high, xhigh or max");
}

/* Checks a request with "max_tokens" of 0, which only fills the cache ("Prompt caching",
 * pre-warming). */
static void
check_warming(struct lint_params *p)
{
	struct ctx_span choice = ctx_json_get(ctx_lint_param(p, "tool_choice"), "type");
	const char *beside = NULL;
	int64_t most;

	if (!ctx_json_int(ctx_lint_param(p, "max_tokens"), &most) || most != 0)
		return;
	if (ctx_json_true(ctx_lint_param(p, "stream")))
		beside = "stream";
	else if (ctx_json_is(
		     ctx_json_get(ctx_lint_param(p, "thinking"), "type"), "enabled"))
		beside = "thinking";
	else if (ctx_json_get(ctx_lint_param(p, "output_config"), "format").p != NULL)
		beside = "output_config";
	else if (ctx_json_is(choice, "any") || ctx_json_is(choice, "tool"))
		beside = "tool_choice";
	if (beside != NULL)
		ctx_lint_flaw(p, "an-model-output", true, beside,
		    "\"max_tokens\" is 0, which only fills the cache: this cannot be combined with the given \"%s\"",
		    beside);
}

/* Reports the deprecated member "output_format", which has moved into "output_config". */
static void
check_format(struct lint_params *p)
{
	struct ctx_span format = ctx_lint_param(p, "output_format");
	struct lint_flaw *f;
	struct ctx_buf b = CTX_BUF_INIT;

	if (format.p == NULL)
		return;
	f = ctx_lint_flaw(p, "an-model-deprecated", false, "output_format",
	    "\"output_format\" is deprecated: use \"output_config\" with \"format\"");
	if (ctx_lint_param(p, "output_config").p != NULL)
		return;
	ctx_json_print(&b, "{'format':%j}", format);
	ctx_lint_flaw_rename(p, f, "output_config", ctx_buf_detach(&b));
}

void
ctx_anthropic_lint_params(struct lint_params *p)
{
	if (p->known)
		check_sampling(p);
	check_thinking(p);
	if (p->known)
		check_choice(p);
	check_output(p);
	check_effort(p);
	check_warming(p);
	check_format(p);
}
