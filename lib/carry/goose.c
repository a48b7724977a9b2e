/* goose: one object with the conversation, read by goose session import FILE. */
#include "carry/internal.h"
#include "json/json.h"

static void
put_goose_text(struct ctx_buf *out, const struct carry_block *b)
{
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "type", "text");
	ctx_json_put_key(out, "text");
	if (!ctx_carry_put_text(out, b->kind == CARRY_TEXT ? b->text : b->json))
		ctx_buf_adds(out, "\"[image]\"");
	ctx_json_put_close(out, '}');
}

static void
put_goose_result(struct ctx_buf *out, const struct carry_block *b)
{
	ctx_json_put_open(out, '{');
	ctx_json_add_str(out, "type", "toolResponse");
	ctx_json_add_raw(out, "id", b->id);
	ctx_json_add_open(out, "toolResult", '{');
	ctx_json_add_str(out, "status", b->error ? "error" : "success");
	ctx_json_put_key(out, b->error ? "error" : "value");
	if (b->error) {
		ctx_carry_put_result(out, b);
	} else {
		ctx_buf_adds(out, "{\"content\":[{\"type\":\"text\",\"text\":");
		ctx_carry_put_result(out, b);
		ctx_buf_adds(out, "}],\"isError\":false}");
	}
	ctx_json_put_close(out, '}');
	ctx_json_put_close(out, '}');
}

static void
put_goose_block(struct ctx_buf *out, const struct carry_block *b)
{
	switch (b->kind) {
	case CARRY_CALL:
		ctx_json_put_open(out, '{');
		ctx_json_add_str(out, "type", "toolRequest");
		ctx_json_add_raw(out, "id", b->id);
		ctx_json_put_key(out, "toolCall");
		ctx_buf_adds(out, "{\"status\":\"success\",\"value\":{");
		ctx_json_add_raw(out, "name", b->name);
		ctx_json_add_raw(out, "arguments", b->input);
		ctx_buf_adds(out, "}}");
		ctx_json_put_close(out, '}');
		return;
	case CARRY_RESULT:
		put_goose_result(out, b);
		return;
	case CARRY_IMAGE:
		if (b->data.p != NULL) {
			ctx_json_put_open(out, '{');
			ctx_json_add_str(out, "type", "image");
			ctx_json_add_raw(out, "data", b->data);
			ctx_json_add_raw(out, "mimeType", b->mime);
			ctx_json_put_close(out, '}');
			return;
		}
		break;
	case CARRY_TEXT:
	case CARRY_OTHER:
		break;
	}
	put_goose_text(out, b);
}

static void
print_goose(struct carry *c, struct ctx_buf *out)
{
	struct carry_block b;

	ctx_json_put_open(out, '{');
	ctx_carry_add_id(out, "id", "ctx_", c, 0);
	ctx_json_add_string(out, "working_dir", ctx_buf_span(&c->directory));
	ctx_json_add_string(out, "name", ctx_buf_span(&c->title));
	ctx_json_add_time(out, "created_at", c->turns[0].at);
	ctx_json_add_time(out, "updated_at", c->turns[c->n - 1].at);
	ctx_json_add_raw(out, "extension_data", ctx_span_of("{}"));
	ctx_json_add_open(out, "conversation", '[');
	for (size_t i = 0; i < c->n; i++) {
		struct carry_iter it = {c->turns[i].content, 0};
		ctx_json_put_open(out, '{');
		ctx_carry_add_id(out, "id", "msg_", c, i);
		ctx_json_add_str(
		    out, "role", c->turns[i].assistant ? "assistant" : "user");
		ctx_json_add_int(out, "created", c->turns[i].at / 1000);
		ctx_json_add_open(out, "content", '[');
		while (ctx_carry_next(&it, &b)) {
			if (out->p[out->n - 1] != '[')
				ctx_buf_addc(out, ',');
			put_goose_block(out, &b);
		}
		ctx_json_put_close(out, ']');
		ctx_json_add_raw(out, "metadata",
		    ctx_span_of("{\"userVisible\":true,\"agentVisible\":true}"));
		ctx_json_put_close(out, '}');
	}
	ctx_json_put_close(out, ']');
	ctx_json_add_int(out, "message_count", (int64_t)c->n);
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
}

const struct carry_format ctx_carry_goose = {
    "goose", print_goose, NULL, {NULL, NULL, "goose session import FILE"}, false};
