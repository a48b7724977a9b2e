/* Claude Code: ~/.claude/projects/DIR/ID.jsonl, read by claude --resume ID. DIR is the
 * working directory with each character other than letters and digits replaced by '-'. */
#include "carry/internal.h"
#include "json/json.h"

/* Appends the message of a turn. An answer gets the members that the tool expects in
 * one. */
static void
put_claude_message(struct carry *c, size_t i, struct ctx_buf *out)
{
	const struct carry_turn *t = &c->turns[i];

	ctx_json_add_open(out, "message", '{');
	if (t->assistant) {
		ctx_carry_add_id(out, "id", "msg_", c, i);
		ctx_json_add_str(out, "type", "message");
	}
	ctx_json_add_str(out, "role", t->assistant ? "assistant" : "user");
	if (t->assistant)
		ctx_json_add_string(out, "model", ctx_buf_span(&c->model));
	if (t->assistant && ctx_json_type(t->content) == CTX_JSON_STRING) {
		ctx_json_put_key(out, "content");
		ctx_buf_adds(out, "[{\"type\":\"text\",\"text\":");
		ctx_buf_addspan(out, t->content);
		ctx_buf_adds(out, "}]");
	} else {
		ctx_json_add_raw(out, "content", t->content);
	}
	if (t->assistant) {
		ctx_json_add_str(out, "stop_reason",
		    ctx_carry_has_calls(t->content) ? "tool_use" : "end_turn");
		ctx_json_add_raw(out, "stop_sequence", ctx_span_of("null"));
		ctx_json_add_raw(out, "usage",
		    ctx_span_of("{\"input_tokens\":0,\"output_tokens\":0}"));
	}
	ctx_json_put_close(out, '}');
}

static void
print_claude_code(struct carry *c, struct ctx_buf *out)
{
	for (size_t i = 0; i < c->n; i++) {
		ctx_json_put_open(out, '{');
		ctx_json_put_key(out, "parentUuid");
		if (i == 0) {
			ctx_buf_adds(out, "null");
		} else {
			ctx_buf_addc(out, '"');
			ctx_carry_put_uuid(out, c, i);
			ctx_buf_addc(out, '"');
		}
		ctx_json_add_bool(out, "isSidechain", false);
		ctx_json_add_str(out, "userType", "external");
		ctx_json_add_string(out, "cwd", ctx_buf_span(&c->directory));
		ctx_json_add_str(out, "sessionId", c->id);
		ctx_json_add_str(out, "version", "2.1.0");
		ctx_json_add_str(out, "gitBranch", "");
		ctx_json_add_str(
		    out, "type", c->turns[i].assistant ? "assistant" : "user");
		put_claude_message(c, i, out);
		ctx_json_put_key(out, "uuid");
		ctx_buf_addc(out, '"');
		ctx_carry_put_uuid(out, c, i + 1);
		ctx_buf_addc(out, '"');
		ctx_json_add_time(out, "timestamp", c->turns[i].at);
		ctx_json_put_close(out, '}');
		ctx_buf_addc(out, '\n');
	}
	if (!c->titled)
		return;
	/* at the end, because a first line of this type can hide the file */
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "type", "custom-title");
	ctx_json_add_string(out, "customTitle", ctx_buf_span(&c->title));
	ctx_json_add_str(out, "sessionId", c->id);
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
}

static void
place_claude_code(const struct carry *c, struct ctx_buf *out)
{
	ctx_buf_adds(out, "projects/");
	ctx_carry_put_slug(out, ctx_buf_span(&c->directory));
	ctx_buf_addf(out, "/%s.jsonl", c->id);
}

const struct carry_format ctx_carry_claude_code = {"claude-code", print_claude_code,
    place_claude_code, {"CLAUDE_CONFIG_DIR", ".claude", NULL}, false};
