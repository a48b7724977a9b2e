/* Codex: $CODEX_HOME/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, read by codex resume ID.
 * Has items of the Responses API, and also events, which the list of sessions needs. */
#include "base/time.h"
#include "carry/internal.h"
#include "json/json.h"

static void
open_line(struct ctx_buf *out, int64_t at, const char *type)
{
	ctx_json_put_open(out, '{');
	ctx_json_add_time(out, "timestamp", at);
	ctx_json_add_str(out, "type", type);
	ctx_json_add_open(out, "payload", '{');
}

static void
close_line(struct ctx_buf *out)
{
	ctx_json_put_close(out, '}');
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
}

static void
print_meta(struct carry *c, struct ctx_buf *out)
{
	open_line(out, c->turns[0].at, "session_meta");
	ctx_json_add_str(out, "id", c->id);
	ctx_json_add_str(out, "session_id", c->id);
	ctx_json_add_time(out, "timestamp", c->turns[0].at);
	ctx_json_add_string(out, "cwd", ctx_buf_span(&c->directory));
	ctx_json_add_str(out, "originator", "ctx");
	ctx_json_add_str(out, "cli_version", "0.139.0");
	ctx_json_add_str(out, "source", "cli");
	/* no model_provider, because Codex would resume the session only with that one */
	close_line(out);
}

static void
put_input(struct ctx_buf *out, const struct carry_block *b)
{
	if (b->kind == CARRY_IMAGE && b->data.p != NULL) {
		ctx_json_put_open(out, '{');
		ctx_json_add_str(out, "type", "input_image");
		ctx_json_put_key(out, "image_url");
		ctx_buf_adds(out, "\"data:");
		ctx_buf_add(out, b->mime.p + 1, b->mime.n - 2);
		ctx_buf_adds(out, ";base64,");
		ctx_buf_addspan(out, (struct ctx_span){b->data.p + 1, b->data.n - 1});
		ctx_json_put_close(out, '}');
		return;
	}
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "type", "input_text");
	ctx_json_put_key(out, "text");
	if (!ctx_carry_put_text(out, b->kind == CARRY_TEXT ? b->text : b->json))
		ctx_buf_adds(out, "\"[image]\"");
	ctx_json_put_close(out, '}');
}

/* Prints the texts of a user turn as one message. */
static void
print_user(struct carry *c, const struct carry_turn *t, struct ctx_buf *out)
{
	struct carry_iter it = {t->content, 0};
	struct carry_block b;

	if (ctx_carry_only_results(t->content))
		return;
	open_line(out, t->at, "response_item");
	ctx_json_add_str(out, "type", "message");
	ctx_json_add_str(out, "role", "user");
	ctx_json_add_open(out, "content", '[');
	while (ctx_carry_next(&it, &b))
		if (b.kind != CARRY_RESULT)
			put_input(out, &b);
	ctx_json_put_close(out, ']');
	close_line(out);
	ctx_buf_reset(&c->scratch);
	if (!ctx_carry_put_text(&c->scratch, t->content))
		return;
	open_line(out, t->at, "event_msg");
	ctx_json_add_str(out, "type", "user_message");
	ctx_json_add_raw(out, "message", ctx_buf_span(&c->scratch));
	close_line(out);
}

static void
print_results(const struct carry_turn *t, struct ctx_buf *out)
{
	struct carry_iter it = {t->content, 0};
	struct carry_block b;

	while (ctx_carry_next(&it, &b)) {
		if (b.kind != CARRY_RESULT)
			continue;
		open_line(out, t->at, "response_item");
		ctx_json_add_str(out, "type", "function_call_output");
		ctx_json_add_raw(out, "call_id", b.id);
		ctx_json_put_key(out, "output");
		ctx_carry_put_result(out, &b);
		close_line(out);
	}
}

static void
print_agent_text(const struct carry_turn *t, struct ctx_span text, struct ctx_buf *out)
{
	open_line(out, t->at, "response_item");
	ctx_json_add_str(out, "type", "message");
	ctx_json_add_str(out, "role", "assistant");
	ctx_json_put_key(out, "content");
	ctx_buf_adds(out, "[{\"type\":\"output_text\",\"text\":");
	ctx_buf_addspan(out, text);
	ctx_buf_adds(out, "}]");
	close_line(out);
	open_line(out, t->at, "event_msg");
	ctx_json_add_str(out, "type", "agent_message");
	ctx_json_add_raw(out, "message", text);
	close_line(out);
}

static void
print_agent(const struct carry_turn *t, struct ctx_buf *out)
{
	struct carry_iter it = {t->content, 0};
	struct carry_block b;

	while (ctx_carry_next(&it, &b)) {
		if (b.kind == CARRY_TEXT)
			print_agent_text(t, b.text, out);
		if (b.kind != CARRY_CALL)
			continue;
		open_line(out, t->at, "response_item");
		ctx_json_add_str(out, "type", "function_call");
		ctx_json_add_raw(out, "name", b.name);
		ctx_json_add_string(out, "arguments", b.input);
		ctx_json_add_raw(out, "call_id", b.id);
		close_line(out);
	}
}

static void
print_codex(struct carry *c, struct ctx_buf *out)
{
	print_meta(c, out);
	if (c->system.n > 0) {
		open_line(out, c->turns[0].at, "response_item");
		ctx_json_add_str(out, "type", "message");
		ctx_json_add_str(out, "role", "developer");
		ctx_json_put_key(out, "content");
		ctx_buf_adds(out, "[{\"type\":\"input_text\",\"text\":");
		ctx_json_put_string(out, ctx_buf_span(&c->system));
		ctx_buf_adds(out, "}]");
		close_line(out);
	}
	for (size_t i = 0; i < c->n; i++) {
		if (c->turns[i].assistant) {
			print_agent(&c->turns[i], out);
			continue;
		}
		print_results(&c->turns[i], out);
		print_user(c, &c->turns[i], out);
	}
}

static void
place_codex(const struct carry *c, struct ctx_buf *out)
{
	char at[CTX_TIME_LEN + 1];

	ctx_time_format(c->turns[0].at, at);
	ctx_buf_addf(out, "sessions/%.4s/%.2s/%.2s/rollout-%.10sT%.2s-%.2s-%.2s-%s.jsonl",
	    at, at + 5, at + 8, at, at + 11, at + 14, at + 17, c->id);
}

const struct carry_format ctx_carry_codex = {
    "codex", print_codex, place_codex, {"CODEX_HOME", ".codex", NULL}, true};
