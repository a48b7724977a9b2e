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
	bool failed = found && result.error;

	ctx_json_print(out, "{'id':%j,'name':%j,'args':%j,'status':%s,'timestamp':%m",
	    call->id, call->name, call->input,
	    !found   ? "cancelled"
	    : failed ? "error"
		     : "success",
	    c->turns[i].at);
	ctx_json_print(out,
	    "'result':[{'functionResponse':{'id':%j,'name':%j,'response':{", call->id,
	    call->name);
	ctx_json_print(out, failed ? "'error':" : "'output':");
	ctx_carry_put_result(out, found ? &result : NULL);
	ctx_json_print(out, "}}}]}");
}

static void
put_gemini_answer(struct carry *c, size_t i, struct ctx_buf *out)
{
	ctx_json_print(
	    out, "'type':'gemini','model':%t,'content':", ctx_buf_span(&c->model));
	ctx_carry_put_text(out, c->turns[i].content);
	if (!ctx_carry_has_calls(c->turns[i].content))
		return;
	ctx_json_print(out, "'toolCalls':[");
	CARRY_EACH(b, c->turns[i].content)
		if (b.kind == CARRY_CALL)
			put_gemini_call(c, i, &b, out);
	ctx_json_print(out, "]");
}

static void
put_gemini_user(struct carry *c, size_t i, struct ctx_buf *out)
{
	ctx_json_print(out, "'type':'user','content':[");
	CARRY_EACH(b, c->turns[i].content) {
		if (b.kind == CARRY_RESULT)
			continue;
		if (b.kind == CARRY_IMAGE && b.data.p != NULL) {
			ctx_json_print(out, "{'inlineData':{'mimeType':%j,'data':%j}}",
			    b.mime, b.data);
			continue;
		}
		ctx_json_print(out, "{'text':");
		ctx_carry_put_words(out, &b);
		ctx_json_print(out, "}");
	}
	ctx_json_print(out, "]");
}

static void
print_gemini_cli(struct carry *c, struct ctx_buf *out)
{
	char hash[CTX_HASH_HEX + 1];

	ctx_hash_sha256(c->directory.p, c->directory.n, hash);
	/* the time now, not the last message's, because Gemini CLI deletes sessions older
	 * than 30 days */
	ctx_json_print(out,
	    "{'sessionId':%s,'projectHash':%s,'startTime':%m,'lastUpdated':%m,"
	    "'kind':'main','summary':%t,'messages':[",
	    c->id.text, hash, c->turns[0].at, c->o->now,
	    c->titled ? ctx_buf_span(&c->title) : CTX_SPAN_NONE);
	for (size_t i = 0; i < c->n; i++) {
		if (!c->turns[i].assistant && ctx_carry_only_results(c->turns[i].content))
			continue;
		ctx_json_print(out, "{'id':%s,'timestamp':%m",
		    ctx_carry_uuid(c, i + 1).text, c->turns[i].at);
		if (c->turns[i].assistant)
			put_gemini_answer(c, i, out);
		else
			put_gemini_user(c, i, out);
		ctx_json_print(out, "}");
	}
	ctx_json_print(out, "]}\n");
}

static void
place_gemini_cli(const struct carry *c, struct ctx_buf *out)
{
	char at[CTX_TIME_LEN + 1];

	ctx_time_format(c->turns[0].at, at);
	ctx_buf_adds(out, ".gemini/tmp/");
	ctx_carry_put_slug(out, ctx_buf_span(&c->directory));
	ctx_buf_addf(out, "/chats/session-%.10sT%.2s-%.2s-%.8s.json", at, at + 11,
	    at + 14, c->id.text);
}

const struct carry_format ctx_carry_gemini_cli = {"gemini-cli", print_gemini_cli,
    place_gemini_cli, {"GEMINI_CLI_HOME", "", NULL}, false};
