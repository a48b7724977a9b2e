/* ATIF, the Agent Trajectory Interchange Format: one object with steps. The results of an
 * agent's calls are the "observation" of the step. */
#include "carry/internal.h"
#include "json/json.h"

static void
open_step(struct ctx_buf *out, size_t n, int64_t at, const char *source)
{
	ctx_json_put_open(out, '{');
	ctx_json_add_int(out, "step_id", (int64_t)n);
	ctx_json_add_time(out, "timestamp", at);
	ctx_json_add_str(out, "source", source);
	ctx_json_put_key(out, "message");
}

static void
put_calls(struct ctx_buf *out, struct ctx_span content)
{
	struct carry_iter it = {content, 0};
	struct carry_block b;

	ctx_json_add_open(out, "tool_calls", '[');
	while (ctx_carry_next(&it, &b)) {
		if (b.kind != CARRY_CALL)
			continue;
		ctx_json_put_open(out, '{');
		ctx_json_add_raw(out, "tool_call_id", b.id);
		ctx_json_add_raw(out, "function_name", b.name);
		ctx_json_add_raw(out, "arguments", b.input);
		ctx_json_put_close(out, '}');
	}
	ctx_json_put_close(out, ']');
}

static void
put_observation(const struct carry *c, size_t i, struct ctx_buf *out)
{
	struct carry_iter it = {c->turns[i].content, 0};
	struct carry_block b, result;

	ctx_json_add_open(out, "observation", '{');
	ctx_json_add_open(out, "results", '[');
	while (ctx_carry_next(&it, &b)) {
		if (b.kind != CARRY_CALL || !ctx_carry_result(c, i, b.id, &result))
			continue;
		ctx_json_put_open(out, '{');
		ctx_json_add_raw(out, "source_call_id", b.id);
		ctx_json_put_key(out, "content");
		ctx_carry_put_result(out, &result);
		ctx_json_put_close(out, '}');
	}
	ctx_json_put_close(out, ']');
	ctx_json_put_close(out, '}');
}

static void
put_agent(struct carry *c, struct ctx_buf *out)
{
	ctx_json_add_open(out, "agent", '{');
	ctx_json_add_str(out, "name", "ctx");
	ctx_json_add_str(out, "version", "1");
	ctx_json_add_string(out, "model_name", ctx_buf_span(&c->model));
	ctx_json_put_close(out, '}');
}

static void
print_atif(struct carry *c, struct ctx_buf *out)
{
	size_t step = 0;

	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "schema_version", "ATIF-v1.4");
	ctx_json_add_str(out, "session_id", c->id);
	put_agent(c, out);
	ctx_json_add_open(out, "steps", '[');
	if (c->system.n > 0) {
		open_step(out, ++step, c->turns[0].at, "system");
		ctx_json_put_string(out, ctx_buf_span(&c->system));
		ctx_json_put_close(out, '}');
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct carry_turn *t = &c->turns[i];
		if (!t->assistant && ctx_carry_only_results(t->content))
			continue;
		open_step(out, ++step, t->at, t->assistant ? "agent" : "user");
		if (!ctx_carry_put_text(out, t->content))
			ctx_buf_adds(out, "\"\"");
		if (t->assistant && ctx_carry_has_calls(t->content)) {
			put_calls(out, t->content);
			put_observation(c, i, out);
		}
		ctx_json_put_close(out, '}');
	}
	ctx_json_put_close(out, ']');
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
}

const struct carry_format ctx_carry_atif = {
    "atif", print_atif, NULL, {NULL, NULL, NULL}, true};
