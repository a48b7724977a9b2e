/* Lint rules for messages of a Chat Completions request that OpenAI, or the server of the
 * request's model, refuses. */
#include <string.h>

#include "json/json.h"
#include "provider/openai/lint.h"
#include "provider/server.h"

static bool
is_id_of_nine(struct ctx_span id)
{
	return id.n == 9 && ctx_lint_plain_name(id, 9) && memchr(id.p, '_', 9) == NULL &&
	       memchr(id.p, '-', 9) == NULL;
}

/* True if a call or result has an id that Mistral refuses. Its error message, reported by
 * several clients: "must be a-z, A-Z, 0-9, with a length of 9". */
static bool
has_other_ids(struct ctx_span message)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span id = ctx_json_text(ctx_json_get(message, "tool_call_id"), &tmp);
	bool other = id.p != NULL && !is_id_of_nine(id);

	CTX_JSON_EACH_WHILE(!other, it, ctx_json_get(message, "tool_calls")) {
		id = ctx_json_text(ctx_json_get(it.value, "id"), &tmp);
		other = id.p != NULL && !is_id_of_nine(id);
	}
	ctx_buf_release(&tmp);
	return other;
}

static bool
has_other_parts(struct ctx_span content)
{
	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return false;
	CTX_JSON_EACH(it, content)
		if (!ctx_json_has_type(it.value, "text"))
			return true;
	return false;
}

struct counted {
	size_t ids, tools, audio, reasoned, answers;
};

static void
count_message(struct counted *n, struct ctx_span message)
{
	struct ctx_span role = ctx_json_get(message, "role");
	struct ctx_span audio = ctx_json_get(message, "audio");

	n->ids += has_other_ids(message);
	if (ctx_json_is(role, "tool"))
		n->tools += has_other_parts(ctx_json_get(message, "content"));
	if (!ctx_json_is(role, "assistant"))
		return;
	n->answers++;
	n->reasoned += ctx_json_is_text(ctx_json_get(message, "reasoning_content"));
	n->audio += ctx_json_get(audio, "data").p != NULL ||
		    ctx_json_get(audio, "transcript").p != NULL;
}

void
ctx_openai_lint_messages(struct lint_params *p)
{
	struct ctx_buf name = CTX_BUF_INIT;
	struct counted n = {0};
	const struct ctx_server *server = NULL;

	if (p->known && ctx_json_text(p->m.server, &name).p != NULL) {
		ctx_buf_reset(&name);
		ctx_json_decode(p->m.server, &name);
		server = ctx_server_find(name.p);
	}
	CTX_JSON_EACH(it, ctx_lint_param(p, "messages"))
		count_message(&n, it.value);
	if (n.tools > 0 && p->official)
		ctx_lint_flaw(p, "oa-tool-content", true, "messages",
		    "a tool message may contain only text");
	if (n.audio > 0 && p->official)
		ctx_lint_flaw(p, "oa-audio", false, "messages",
		    "the audio of an earlier answer must be sent only as its \"id\"");
	if (n.ids > 0 && server != NULL && server->nine_ids)
		ctx_lint_flaw(p, "oa-server-id", false, "messages",
		    "call ids do not have exactly nine letters or digits, as %s requires (ctx-render --server converts them)",
		    server->name);
	if (n.reasoned > 0 && n.reasoned < n.answers && server != NULL &&
	    server->reasoning)
		ctx_lint_flaw(p, "oa-server-reasoning", false, "messages",
		    "some assistant messages have no \"reasoning_content\", which %s requires on all of them (ctx-render --server)",
		    server->name);
	ctx_buf_release(&name);
}
