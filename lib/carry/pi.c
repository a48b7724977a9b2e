/* pi: ~/.pi/agent/sessions/--PATH--/TIME_UUID.jsonl, a tree of entries in one file. */
#include <string.h>

#include "base/time.h"
#include "carry/internal.h"
#include "json/json.h"

struct entries {
	struct carry *c;
	struct ctx_buf *out;
	size_t n;
	int64_t at;
};

static void
open_entry(struct entries *e, const char *type)
{
	ctx_json_print(
	    e->out, "{'type':%s,'id':%s", type, ctx_carry_id(e->c, "", e->n + 1).text);
	ctx_json_print(e->out, e->n == 0 ? "'parentId':null" : "'parentId':%s",
	    ctx_carry_id(e->c, "", e->n).text);
	ctx_json_print(e->out, "'timestamp':%m", e->at);
	e->n++;
}

static void
open_pi_message(struct entries *e, const char *role)
{
	open_entry(e, "message");
	ctx_json_print(e->out, "'message':{'role':%s", role);
}

static void
close_entry(struct entries *e)
{
	ctx_json_print(e->out, "'timestamp':%d}}\n", e->at);
}

static void
put_pi_block(struct ctx_buf *out, const struct carry_block *b)
{
	if (b->kind == CARRY_CALL) {
		ctx_json_print(out,
		    "{'type':'toolCall','id':%j,'name':%j,'arguments':%j}", b->id,
		    b->name, b->input);
	} else if (b->kind == CARRY_IMAGE && b->data.p != NULL) {
		ctx_json_print(
		    out, "{'type':'image','data':%j,'mimeType':%j}", b->data, b->mime);
	} else {
		ctx_json_print(out, "{'type':'text','text':");
		ctx_carry_put_words(out, b);
		ctx_json_print(out, "}");
	}
}

/* Returns the name of the tool that was called in the previous turn. */
static struct ctx_span
find_tool_name(const struct carry *c, size_t turn, struct ctx_span id)
{
	if (turn == 0)
		return ctx_span_of("\"unknown\"");
	CARRY_EACH(b, c->turns[turn - 1].content)
		if (b.kind == CARRY_CALL && ctx_span_eq(b.id, id))
			return b.name;
	return ctx_span_of("\"unknown\"");
}

static void
print_pi_results(struct entries *e, size_t turn)
{
	CARRY_EACH(b, e->c->turns[turn].content) {
		if (b.kind != CARRY_RESULT)
			continue;
		open_pi_message(e, "toolResult");
		ctx_json_print(e->out,
		    "'toolCallId':%j,'toolName':%j,'content':[{'type':'text','text':",
		    b.id, find_tool_name(e->c, turn, b.id));
		ctx_carry_put_result(e->out, &b);
		ctx_json_print(e->out, "}],'isError':%b", b.error);
		close_entry(e);
	}
}

static void
print_pi_turn(struct entries *e, size_t turn)
{
	const struct carry_turn *t = &e->c->turns[turn];

	if (ctx_carry_only_results(t->content))
		return;
	open_pi_message(e, t->assistant ? "assistant" : "user");
	ctx_json_print(e->out, "'content':[");
	CARRY_EACH(b, t->content)
		if (b.kind != CARRY_RESULT)
			put_pi_block(e->out, &b);
	ctx_json_print(e->out, "]");
	if (t->assistant)
		ctx_json_print(e->out,
		    "'api':'anthropic-messages','provider':'anthropic','model':%t,"
		    "'usage':{'input':0,'output':0,'cacheRead':0,'cacheWrite':0,"
		    "'totalTokens':0,'cost':{'input':0,'output':0,'cacheRead':0,"
		    "'cacheWrite':0,'total':0}},'stopReason':%s",
		    ctx_buf_span(&e->c->model),
		    ctx_carry_has_calls(t->content) ? "toolUse" : "stop");
	close_entry(e);
}

static void
print_pi(struct carry *c, struct ctx_buf *out)
{
	struct entries e = {c, out, 0, 0};

	ctx_json_print(out,
	    "{'type':'session','version':3,'id':%s,'timestamp':%m,'cwd':%t}\n",
	    c->id.text, c->turns[0].at, ctx_buf_span(&c->directory));
	for (size_t i = 0; i < c->n; i++) {
		e.at = c->turns[i].at;
		print_pi_results(&e, i);
		print_pi_turn(&e, i);
	}
	if (!c->titled)
		return;
	open_entry(&e, "session_info");
	ctx_json_print(out, "'name':%t}\n", ctx_buf_span(&c->title));
}

static void
place_pi(const struct carry *c, struct ctx_buf *out)
{
	char at[CTX_TIME_LEN + 1];
	struct ctx_span path = ctx_buf_span(&c->directory);

	while (path.n > 0 && path.p[0] == '/') {
		path.p++;
		path.n--;
	}
	ctx_time_format(c->turns[0].at, at);
	for (char *p = at; *p != '\0'; p++)
		if (*p == ':' || *p == '.')
			*p = '-';
	ctx_buf_adds(out, "sessions/--");
	for (size_t i = 0; i < path.n; i++)
		ctx_buf_addc(out, strchr("/\\:", path.p[i]) == NULL ? path.p[i] : '-');
	ctx_buf_addf(out, "--/%s_%s.jsonl", at, c->id.text);
}

const struct carry_format ctx_carry_pi = {
    "pi", print_pi, place_pi, {"PI_CODING_AGENT_DIR", ".pi/agent", NULL}, false};
