/* Claude Code: ~/.claude/projects/DIR/ID.jsonl, read by claude --resume ID. DIR is the
 * working directory with each character other than letters and digits replaced by '-'. */
#include "carry/internal.h"
#include "json/json.h"

/* Appends the message of a turn. An answer gets the members that the tool expects in
 * one. */
static void
put_claude_message(struct carry *c, size_t i, struct ctx_buf *out)
{
	struct ctx_span content = c->turns[i].content;

	if (!c->turns[i].assistant) {
		ctx_json_print(out, "'message':{'role':'user','content':%j}", content);
		return;
	}
	ctx_json_print(out,
	    "'message':{'id':%s,'type':'message','role':'assistant','model':%t,'content':",
	    ctx_carry_id(c, "msg_", i).text, ctx_buf_span(&c->model));
	ctx_json_print(out,
	    ctx_json_type(content) == CTX_JSON_STRING ? "[{'type':'text','text':%j}]"
						      : "%j",
	    content);
	ctx_json_print(out,
	    "'stop_reason':%s,'stop_sequence':null,"
	    "'usage':{'input_tokens':0,'output_tokens':0}}",
	    ctx_carry_has_calls(content) ? "tool_use" : "end_turn");
}

static void
print_claude_code(struct carry *c, struct ctx_buf *out)
{
	for (size_t i = 0; i < c->n; i++) {
		ctx_json_print(out, i == 0 ? "{'parentUuid':null" : "{'parentUuid':%s",
		    ctx_carry_uuid(c, i).text);
		ctx_json_print(out,
		    "'isSidechain':false,'userType':'external','cwd':%t,'sessionId':%s,"
		    "'version':'2.1.0','gitBranch':'','type':%s",
		    ctx_buf_span(&c->directory), c->id.text,
		    c->turns[i].assistant ? "assistant" : "user");
		put_claude_message(c, i, out);
		ctx_json_print(out, "'uuid':%s,'timestamp':%m}\n",
		    ctx_carry_uuid(c, i + 1).text, c->turns[i].at);
	}
	/* at the end, because a first line of this type can hide the file */
	if (c->titled)
		ctx_json_print(out,
		    "{'type':'custom-title','customTitle':%t,'sessionId':%s}\n",
		    ctx_buf_span(&c->title), c->id.text);
}

static void
place_claude_code(const struct carry *c, struct ctx_buf *out)
{
	ctx_buf_adds(out, "projects/");
	ctx_carry_put_slug(out, ctx_buf_span(&c->directory));
	ctx_buf_addf(out, "/%s.jsonl", c->id.text);
}

const struct carry_format ctx_carry_claude_code = {"claude-code", print_claude_code,
    place_claude_code, {"CLAUDE_CONFIG_DIR", ".claude", NULL}, false};
