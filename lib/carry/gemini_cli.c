/* Gemini CLI: ~/.gemini/tmp/NAME/chats/session-TIME-ID8.json, read by gemini --resume ID.
 * NAME is arbitrary; a file .project_root in that directory names the project. Results
 * are inside the calls that they answer. */
#include "base/hash.h"
#include "base/time.h"
#include "carry/internal.h"
#include "json/json.h"

static void
put_gemini_call(
    struct carry *c, size_t i, const struct carry_block *call, struct ctx_buf *out)
{
	struct carry_block result;
	bool found = ctx_carry_result(c, i, call->id, &result);

	ctx_json_put_open(out, '{');
	ctx_json_add_raw(out, "id", call->id);
	ctx_json_add_raw(out, "name", call->name);
	ctx_json_add_raw(out, "args", call->input);
	ctx_json_add_str(out, "status",
	    !found         ? "cancelled"
	    : result.error ? "error"
			   : "success");
	ctx_json_add_time(out, "timestamp", c->turns[i].at);
	ctx_json_put_key(out, "result");
	ctx_buf_adds(out, "[{\"functionResponse\":{");
	ctx_json_add_raw(out, "id", call->id);
	ctx_json_add_raw(out, "name", call->name);
	ctx_json_add_open(out, "response", '{');
	ctx_json_put_key(out, found && result.error ? "error" : "output");
	ctx_carry_put_result(out, found ? &result : NULL);
	ctx_buf_adds(out, "}}}]");
	ctx_json_put_close(out, '}');
}

static void
put_gemini_answer(struct carry *c, size_t i, struct ctx_buf *out)
{
	struct carry_iter it = {c->turns[i].content, 0};
	struct carry_block b;

	ctx_json_add_str(out, "type", "gemini");
	ctx_json_add_string(out, "model", ctx_buf_span(&c->model));
	ctx_json_put_key(out, "content");
	if (!ctx_carry_put_text(out, c->turns[i].content))
		ctx_buf_adds(out, "\"\"");
	if (!ctx_carry_has_calls(c->turns[i].content))
		return;
	ctx_json_add_open(out, "toolCalls", '[');
	while (ctx_carry_next(&it, &b))
		if (b.kind == CARRY_CALL)
			put_gemini_call(c, i, &b, out);
	ctx_json_put_close(out, ']');
}

static void
put_gemini_user(struct carry *c, size_t i, struct ctx_buf *out)
{
	struct carry_iter it = {c->turns[i].content, 0};
	struct carry_block b;

	ctx_json_add_str(out, "type", "user");
	ctx_json_add_open(out, "content", '[');
	while (ctx_carry_next(&it, &b)) {
		if (b.kind == CARRY_RESULT)
			continue;
		ctx_json_put_open(out, '{');
		if (b.kind == CARRY_IMAGE && b.data.p != NULL) {
			ctx_json_add_open(out, "inlineData", '{');
			ctx_json_add_raw(out, "mimeType", b.mime);
			ctx_json_add_raw(out, "data", b.data);
			ctx_json_put_close(out, '}');
		} else {
			ctx_json_put_key(out, "text");
			if (!ctx_carry_put_text(
				out, b.kind == CARRY_TEXT ? b.text : b.json))
				ctx_buf_adds(out, "\"[image]\"");
		}
		ctx_json_put_close(out, '}');
	}
	ctx_json_put_close(out, ']');
}

static void
print_gemini_cli(struct carry *c, struct ctx_buf *out)
{
	char hash[CTX_HASH_HEX + 1];

	ctx_hash_sha256(c->directory.p, c->directory.n, hash);
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "sessionId", c->id);
	ctx_json_add_str(out, "projectHash", hash);
	ctx_json_add_time(out, "startTime", c->turns[0].at);
	/* now, not the last message's time, because Gemini CLI deletes sessions older
	 * than 30 days */
	ctx_json_add_time(out, "lastUpdated", c->o->now);
	ctx_json_add_str(out, "kind", "main");
	if (c->titled)
		ctx_json_add_string(out, "summary", ctx_buf_span(&c->title));
	ctx_json_add_open(out, "messages", '[');
	for (size_t i = 0; i < c->n; i++) {
		if (!c->turns[i].assistant && ctx_carry_only_results(c->turns[i].content))
			continue;
		ctx_json_put_open(out, '{');
		ctx_json_put_key(out, "id");
		ctx_buf_addc(out, '"');
		ctx_carry_put_uuid(out, c, i + 1);
		ctx_buf_addc(out, '"');
		ctx_json_add_time(out, "timestamp", c->turns[i].at);
		if (c->turns[i].assistant)
			put_gemini_answer(c, i, out);
		else
			put_gemini_user(c, i, out);
		ctx_json_put_close(out, '}');
	}
	ctx_json_put_close(out, ']');
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
}

static void
place_gemini_cli(const struct carry *c, struct ctx_buf *out)
{
	char at[CTX_TIME_LEN + 1];

	ctx_time_format(c->turns[0].at, at);
	ctx_buf_adds(out, ".gemini/tmp/");
	ctx_carry_put_slug(out, ctx_buf_span(&c->directory));
	ctx_buf_addf(
	    out, "/chats/session-%.10sT%.2s-%.2s-%.8s.json", at, at + 11, at + 14, c->id);
}

const struct carry_format ctx_carry_gemini_cli = {"gemini-cli", print_gemini_cli,
    place_gemini_cli, {"GEMINI_CLI_HOME", "", NULL}, false};
