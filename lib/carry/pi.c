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
	ctx_json_put_open(e->out, '{');
	ctx_json_add_str(e->out, "type", type);
	ctx_carry_add_id(e->out, "id", "", e->c, e->n + 1);
	if (e->n == 0)
		ctx_json_add_raw(e->out, "parentId", ctx_span_of("null"));
	else
		ctx_carry_add_id(e->out, "parentId", "", e->c, e->n);
	e->n++;
	ctx_json_add_time(e->out, "timestamp", e->at);
}

static void
open_pi_message(struct entries *e)
{
	open_entry(e, "message");
	ctx_json_add_open(e->out, "message", '{');
}

static void
close_entry(struct entries *e)
{
	ctx_json_add_int(e->out, "timestamp", e->at);
	ctx_json_put_close(e->out, '}');
	ctx_json_put_close(e->out, '}');
	ctx_buf_addc(e->out, '\n');
}

static void
put_pi_block(struct ctx_buf *out, const struct carry_block *b)
{
	ctx_json_put_open(out, '{');
	if (b->kind == CARRY_CALL) {
		ctx_json_add_str(out, "type", "toolCall");
		ctx_json_add_raw(out, "id", b->id);
		ctx_json_add_raw(out, "name", b->name);
		ctx_json_add_raw(out, "arguments", b->input);
	} else if (b->kind == CARRY_IMAGE && b->data.p != NULL) {
		ctx_json_add_str(out, "type", "image");
		ctx_json_add_raw(out, "data", b->data);
		ctx_json_add_raw(out, "mimeType", b->mime);
	} else {
		ctx_json_add_str(out, "type", "text");
		ctx_json_put_key(out, "text");
		if (!ctx_carry_put_text(out, b->kind == CARRY_TEXT ? b->text : b->json))
			ctx_buf_adds(out, "\"[image]\"");
	}
	ctx_json_put_close(out, '}');
}

/* Returns the name of the tool that was called in the previous turn. */
static struct ctx_span
find_tool_name(const struct carry *c, size_t turn, struct ctx_span id)
{
	struct carry_iter it = {.at = 0};
	struct carry_block b;

	if (turn == 0)
		return ctx_span_of("\"unknown\"");
	it.content = c->turns[turn - 1].content;
	while (ctx_carry_next(&it, &b))
		if (b.kind == CARRY_CALL && ctx_span_eq(b.id, id))
			return b.name;
	return ctx_span_of("\"unknown\"");
}

static void
print_pi_results(struct entries *e, size_t turn)
{
	struct carry_iter it = {e->c->turns[turn].content, 0};
	struct carry_block b;

	while (ctx_carry_next(&it, &b)) {
		if (b.kind != CARRY_RESULT)
			continue;
		open_pi_message(e);
		ctx_json_add_str(e->out, "role", "toolResult");
		ctx_json_add_raw(e->out, "toolCallId", b.id);
		ctx_json_add_raw(e->out, "toolName", find_tool_name(e->c, turn, b.id));
		ctx_json_put_key(e->out, "content");
		ctx_buf_adds(e->out, "[{\"type\":\"text\",\"text\":");
		ctx_carry_put_result(e->out, &b);
		ctx_buf_adds(e->out, "}]");
		ctx_json_add_bool(e->out, "isError", b.error);
		close_entry(e);
	}
}

static void
print_pi_turn(struct entries *e, size_t turn)
{
	const struct carry_turn *t = &e->c->turns[turn];
	struct carry_iter it = {t->content, 0};
	struct carry_block b;

	if (ctx_carry_only_results(t->content))
		return;
	open_pi_message(e);
	ctx_json_add_str(e->out, "role", t->assistant ? "assistant" : "user");
	ctx_json_add_open(e->out, "content", '[');
	while (ctx_carry_next(&it, &b)) {
		if (b.kind == CARRY_RESULT)
			continue;
		if (e->out->p[e->out->n - 1] != '[')
			ctx_buf_addc(e->out, ',');
		put_pi_block(e->out, &b);
	}
	ctx_json_put_close(e->out, ']');
	if (t->assistant) {
		ctx_json_add_str(e->out, "api", "anthropic-messages");
		ctx_json_add_str(e->out, "provider", "anthropic");
		ctx_json_add_string(e->out, "model", ctx_buf_span(&e->c->model));
		ctx_json_add_raw(e->out, "usage",
		    ctx_span_of(
			"{\"input\":0,\"output\":0,\"cacheRead\":0,\"cacheWrite\":0,\"totalTokens\":0,\"cost\":{\"input\":0,\"output\":0,\"cacheRead\":0,\"cacheWrite\":0,\"total\":0}}"));
		ctx_json_add_str(e->out, "stopReason",
		    ctx_carry_has_calls(t->content) ? "toolUse" : "stop");
	}
	close_entry(e);
}

static void
print_pi(struct carry *c, struct ctx_buf *out)
{
	struct entries e = {c, out, 0, 0};

	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "type", "session");
	ctx_json_add_int(out, "version", 3);
	ctx_json_add_str(out, "id", c->id);
	ctx_json_add_time(out, "timestamp", c->turns[0].at);
	ctx_json_add_string(out, "cwd", ctx_buf_span(&c->directory));
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
	for (size_t i = 0; i < c->n; i++) {
		e.at = c->turns[i].at;
		print_pi_results(&e, i);
		print_pi_turn(&e, i);
	}
	if (!c->titled)
		return;
	open_entry(&e, "session_info");
	ctx_json_add_string(out, "name", ctx_buf_span(&c->title));
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
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
	ctx_buf_addf(out, "--/%s_%s.jsonl", at, c->id);
}

const struct carry_format ctx_carry_pi = {
    "pi", print_pi, place_pi, {"PI_CODING_AGENT_DIR", ".pi/agent", NULL}, false};
