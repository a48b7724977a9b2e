/* opencode: one object with the session and its messages, read by opencode import FILE.
 * Results are inside the calls that they answer. Ids sort in the order of the
 * messages. */
#include <stdio.h>

#include "carry/internal.h"
#include "json/json.h"
#include "model/model.h"

struct printing {
	struct carry *c;
	struct ctx_buf *out;
	size_t parts;
};

static void
put_state(struct printing *p, size_t turn, const struct carry_block *call)
{
	struct carry_block result;
	bool found = ctx_carry_result(p->c, turn, call->id, &result);
	bool failed = !found || result.error;
	int64_t at = p->c->turns[turn].at;

	ctx_json_print(p->out, "'state':{'status':%s,'input':%j",
	    failed ? "error" : "completed", call->input);
	ctx_json_print(p->out, failed ? "'error':" : "'output':");
	ctx_carry_put_result(p->out, found ? &result : NULL);
	ctx_json_print(p->out, "'title':%j,'metadata':{},'time':{'start':%d,'end':%d}}",
	    failed ? CTX_SPAN_NONE : call->name, at, at);
}

static void
put_opencode_part(struct printing *p, size_t turn, const struct carry_block *b)
{
	ctx_json_print(p->out, "{'id':%s,'sessionID':%s,'messageID':%s",
	    ctx_carry_id(p->c, "prt_", ++p->parts).text,
	    ctx_carry_id(p->c, "ses_", 0).text,
	    ctx_carry_id(p->c, "msg_", turn + 1).text);
	if (b->kind == CARRY_CALL) {
		ctx_json_print(
		    p->out, "'type':'tool','callID':%j,'tool':%j", b->id, b->name);
		put_state(p, turn, b);
	} else if (b->kind == CARRY_IMAGE && b->data.p != NULL) {
		ctx_json_print(p->out, "'type':'file','mime':%j,'url':", b->mime);
		ctx_carry_put_data_url(p->out, b);
	} else {
		ctx_json_print(p->out, "'type':'text','text':");
		ctx_carry_put_words(p->out, b);
	}
	ctx_json_print(p->out, "}");
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

/* user: the message that this answer belongs to. */
static void
put_opencode_info(struct printing *p, size_t turn, size_t user)
{
	const struct carry *c = p->c;
	const struct carry_turn *t = &c->turns[turn];
	struct ctx_span model = ctx_buf_span(&c->model),
			directory = ctx_buf_span(&c->directory);
	const char *provider = name_model_provider(model);

	ctx_json_print(p->out, "'info':{'id':%s,'sessionID':%s,'role':%s,'agent':'build'",
	    ctx_carry_id(c, "msg_", turn + 1).text, ctx_carry_id(c, "ses_", 0).text,
	    t->assistant ? "assistant" : "user");
	if (!t->assistant) {
		ctx_json_print(p->out,
		    "'time':{'created':%d},'model':{'providerID':%s,'modelID':%t}}",
		    t->at, provider, model);
		return;
	}
	ctx_json_print(p->out,
	    "'time':{'created':%d,'completed':%d},'parentID':%s,'providerID':%s,"
	    "'modelID':%t,'mode':'build','path':{'cwd':%t,'root':%t},'cost':0,"
	    "'tokens':{'input':0,'output':0,'reasoning':0,'cache':{'read':0,'write':0}},"
	    "'finish':%s}",
	    t->at, t->at, ctx_carry_id(c, "msg_", user + 1).text, provider, model,
	    directory, directory,
	    ctx_carry_has_calls(t->content) ? "tool-calls" : "stop");
}

static void
print_opencode(struct carry *c, struct ctx_buf *out)
{
	struct printing p = {c, out, 0};
	char slug[32];
	size_t user = 0;

	snprintf(slug, sizeof(slug), "ctx-%.12s", c->hash);
	ctx_json_print(out,
	    "{'info':{'id':%s,'slug':%s,'projectID':'global','directory':%t,'title':%t,"
	    "'version':'1.17.13','time':{'created':%d,'updated':%d}},'messages':[",
	    ctx_carry_id(c, "ses_", 0).text, slug, ctx_buf_span(&c->directory),
	    ctx_buf_span(&c->title), c->turns[0].at, c->turns[c->n - 1].at);
	for (size_t i = 0; i < c->n; i++) {
		if (!c->turns[i].assistant && ctx_carry_only_results(c->turns[i].content))
			continue;
		user = c->turns[i].assistant ? user : i;
		ctx_json_print(out, "{");
		put_opencode_info(&p, i, user);
		ctx_json_print(out, "'parts':[");
		CARRY_EACH(b, c->turns[i].content)
			if (b.kind != CARRY_RESULT)
				put_opencode_part(&p, i, &b);
		ctx_json_print(out, "]}");
	}
	ctx_json_print(out, "]}\n");
}

const struct carry_format ctx_carry_opencode = {
    "opencode", print_opencode, NULL, {NULL, NULL, "opencode import FILE"}, false};
