/* opencode: one object with the session and its messages, read by opencode import FILE.
 * Results are inside the calls that they answer. Ids sort in the order of the
 * messages. */
#include "carry/internal.h"
#include "json/json.h"
#include "model/model.h"

struct printing {
	struct carry *c;
	struct ctx_buf *out;
	size_t parts;
};

static void
add_ids(struct printing *p, size_t turn)
{
	ctx_carry_add_id(p->out, "id", "prt_", p->c, ++p->parts);
	ctx_carry_add_id(p->out, "sessionID", "ses_", p->c, 0);
	ctx_carry_add_id(p->out, "messageID", "msg_", p->c, turn + 1);
}

static void
add_times(struct printing *p, size_t turn, const char *first, const char *last)
{
	ctx_json_add_open(p->out, "time", '{');
	ctx_json_add_int(p->out, first, p->c->turns[turn].at);
	if (last != NULL)
		ctx_json_add_int(p->out, last, p->c->turns[turn].at);
	ctx_json_put_close(p->out, '}');
}

static void
put_state(struct printing *p, size_t turn, const struct carry_block *call)
{
	struct carry_block result;
	bool found = ctx_carry_result(p->c, turn, call->id, &result);
	bool failed = !found || result.error;

	ctx_json_add_open(p->out, "state", '{');
	ctx_json_add_str(p->out, "status", failed ? "error" : "completed");
	ctx_json_add_raw(p->out, "input", call->input);
	ctx_json_put_key(p->out, failed ? "error" : "output");
	ctx_carry_put_result(p->out, found ? &result : NULL);
	if (!failed)
		ctx_json_add_raw(p->out, "title", call->name);
	ctx_json_add_raw(p->out, "metadata", ctx_span_of("{}"));
	add_times(p, turn, "start", "end");
	ctx_json_put_close(p->out, '}');
}

static void
put_opencode_part(struct printing *p, size_t turn, const struct carry_block *b)
{
	ctx_json_put_open(p->out, '{');
	add_ids(p, turn);
	if (b->kind == CARRY_CALL) {
		ctx_json_add_str(p->out, "type", "tool");
		ctx_json_add_raw(p->out, "callID", b->id);
		ctx_json_add_raw(p->out, "tool", b->name);
		put_state(p, turn, b);
	} else if (b->kind == CARRY_IMAGE && b->data.p != NULL) {
		ctx_json_add_str(p->out, "type", "file");
		ctx_json_add_raw(p->out, "mime", b->mime);
		ctx_json_put_key(p->out, "url");
		ctx_buf_adds(p->out, "\"data:");
		ctx_buf_add(p->out, b->mime.p + 1, b->mime.n - 2);
		ctx_buf_adds(p->out, ";base64,");
		ctx_buf_addspan(p->out, (struct ctx_span){b->data.p + 1, b->data.n - 1});
	} else {
		ctx_json_add_str(p->out, "type", "text");
		ctx_json_put_key(p->out, "text");
		if (!ctx_carry_put_text(
			p->out, b->kind == CARRY_TEXT ? b->text : b->json))
			ctx_buf_adds(p->out, "\"[image]\"");
	}
	ctx_json_put_close(p->out, '}');
}

/* Returns opencode's name for the provider of a model. opencode continues with the model
 * of the last question, and refuses to if it does not know the provider. */
static const char *
name_model_provider(struct ctx_span name)
{
	static const char *const names[][2] = {{"gemini", "google"},
	    {"responses", "openai"}, {"anthropic", "anthropic"}, {"openai", "openai"}};
	static const char *const servers[] = {"deepseek", "mistral", "xai"};
	struct ctx_model m;

	if (!ctx_model_find(&m, name, CTX_SPAN_NONE))
		return "ctx";
	for (size_t i = 0; i < sizeof(servers) / sizeof(*servers); i++)
		if (m.server.p != NULL && ctx_json_is(m.server, servers[i]))
			return servers[i];
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (m.server.p == NULL && ctx_json_is(m.provider, names[i][0]))
			return names[i][1];
	return "ctx";
}

static void
put_model(struct printing *p)
{
	ctx_json_add_str(
	    p->out, "providerID", name_model_provider(ctx_buf_span(&p->c->model)));
	ctx_json_add_string(p->out, "modelID", ctx_buf_span(&p->c->model));
}

/* user: the message that this answer belongs to. */
static void
put_opencode_info(struct printing *p, size_t turn, size_t user)
{
	struct ctx_buf *out = p->out;

	ctx_json_add_open(out, "info", '{');
	ctx_carry_add_id(out, "id", "msg_", p->c, turn + 1);
	ctx_carry_add_id(out, "sessionID", "ses_", p->c, 0);
	ctx_json_add_str(out, "role", p->c->turns[turn].assistant ? "assistant" : "user");
	ctx_json_add_str(out, "agent", "build");
	if (!p->c->turns[turn].assistant) {
		add_times(p, turn, "created", NULL);
		ctx_json_add_open(out, "model", '{');
		put_model(p);
		ctx_json_put_close(out, '}');
	} else {
		add_times(p, turn, "created", "completed");
		ctx_carry_add_id(out, "parentID", "msg_", p->c, user + 1);
		put_model(p);
		ctx_json_add_str(out, "mode", "build");
		ctx_json_add_open(out, "path", '{');
		ctx_json_add_string(out, "cwd", ctx_buf_span(&p->c->directory));
		ctx_json_add_string(out, "root", ctx_buf_span(&p->c->directory));
		ctx_json_put_close(out, '}');
		ctx_json_add_int(out, "cost", 0);
		ctx_json_add_raw(out, "tokens",
		    ctx_span_of(
			"{\"input\":0,\"output\":0,\"reasoning\":0,\"cache\":{\"read\":0,\"write\":0}}"));
		ctx_json_add_str(out, "finish",
		    ctx_carry_has_calls(p->c->turns[turn].content) ? "tool-calls"
								   : "stop");
	}
	ctx_json_put_close(out, '}');
}

static void
put_opencode_session(struct printing *p)
{
	struct carry *c = p->c;

	ctx_json_add_open(p->out, "info", '{');
	ctx_carry_add_id(p->out, "id", "ses_", c, 0);
	ctx_json_put_key(p->out, "slug");
	ctx_buf_addf(p->out, "\"ctx-%.12s\"", c->hash);
	ctx_json_add_str(p->out, "projectID", "global");
	ctx_json_add_string(p->out, "directory", ctx_buf_span(&c->directory));
	ctx_json_add_string(p->out, "title", ctx_buf_span(&c->title));
	ctx_json_add_str(p->out, "version", "1.17.13");
	ctx_json_add_open(p->out, "time", '{');
	ctx_json_add_int(p->out, "created", c->turns[0].at);
	ctx_json_add_int(p->out, "updated", c->turns[c->n - 1].at);
	ctx_json_put_close(p->out, '}');
	ctx_json_put_close(p->out, '}');
}

static void
print_opencode(struct carry *c, struct ctx_buf *out)
{
	struct printing p = {c, out, 0};
	struct carry_block b;
	size_t user = 0;

	ctx_json_put_open(out, '{');
	put_opencode_session(&p);
	ctx_json_add_open(out, "messages", '[');
	for (size_t i = 0; i < c->n; i++) {
		struct carry_iter it = {c->turns[i].content, 0};
		if (!c->turns[i].assistant && ctx_carry_only_results(c->turns[i].content))
			continue;
		user = c->turns[i].assistant ? user : i;
		ctx_json_put_open(out, '{');
		put_opencode_info(&p, i, user);
		ctx_json_add_open(out, "parts", '[');
		while (ctx_carry_next(&it, &b))
			if (b.kind != CARRY_RESULT)
				put_opencode_part(&p, i, &b);
		ctx_json_put_close(out, ']');
		ctx_json_put_close(out, '}');
	}
	ctx_json_put_close(out, ']');
	ctx_json_put_close(out, '}');
	ctx_buf_addc(out, '\n');
}

const struct carry_format ctx_carry_opencode = {
    "opencode", print_opencode, NULL, {NULL, NULL, "opencode import FILE"}, false};
