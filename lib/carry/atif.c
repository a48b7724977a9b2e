/* ATIF, the Agent Trajectory Interchange Format: one object with steps. The results of an
 * agent's calls are the "observation" of the step. */
#include "carry/internal.h"
#include "json/json.h"

static void
open_step(struct ctx_buf *out, size_t n, int64_t at, const char *source)
{
	ctx_json_print(out,
	    "{'step_id':%d,'timestamp':%m,'source':%s,'message':", (int64_t)n, at,
	    source);
}

static void
put_calls(const struct carry *c, size_t i, struct ctx_buf *out)
{
	struct ctx_span content = c->turns[i].content;
	struct carry_block result;

	ctx_json_print(out, "'tool_calls':[");
	CARRY_EACH(b, content)
		if (b.kind == CARRY_CALL)
			ctx_json_print(out,
			    "{'tool_call_id':%j,'function_name':%j,'arguments':%j}", b.id,
			    b.name, b.input);
	ctx_json_print(out, "],'observation':{'results':[");
	CARRY_EACH(b, content) {
		if (b.kind != CARRY_CALL || !ctx_carry_result(c, i, b.id, &result))
			continue;
		ctx_json_print(out, "{'source_call_id':%j,'content':", b.id);
		ctx_carry_put_result(out, &result);
		ctx_json_print(out, "}");
	}
	ctx_json_print(out, "]}");
}

static void
print_atif(struct carry *c, struct ctx_buf *out)
{
	size_t step = 0;

	ctx_json_print(out,
	    "{'schema_version':'ATIF-v1.4','session_id':%s,"
	    "'agent':{'name':'ctx','version':'1','model_name':%t},'steps':[",
	    c->id.text, ctx_buf_span(&c->model));
	if (c->system.n > 0) {
		open_step(out, ++step, c->turns[0].at, "system");
		ctx_json_print(out, "%t}", ctx_buf_span(&c->system));
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct carry_turn *t = &c->turns[i];
		if (!t->assistant && ctx_carry_only_results(t->content))
			continue;
		open_step(out, ++step, t->at, t->assistant ? "agent" : "user");
		ctx_carry_put_text(out, t->content);
		if (t->assistant && ctx_carry_has_calls(t->content))
			put_calls(c, i, out);
		ctx_json_print(out, "}");
	}
	ctx_json_print(out, "]}\n");
}

const struct carry_format ctx_carry_atif = {
    "atif", print_atif, NULL, {NULL, NULL, NULL}, true};
