/* Writes messages in the format of the OpenTelemetry conventions. */
#include "json/json.h"
#include "telemetry/internal.h"

void
ctx_otlp_arguments(struct ctx_buf *b, const struct ctx_part *call)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_span v;

	if (ctx_json_type(call->body) != CTX_JSON_STRING) {
		ctx_json_put_raw(b, call->body);
		return;
	}
	ctx_json_decode(call->body, &text);
	if (!call->custom && text.n > 0 &&
	    ctx_json_check(ctx_buf_span(&text), &v, NULL, &ignored) == 0) {
		ctx_json_minify(v, b);
	} else {
		ctx_json_put_raw(b, call->body);
	}
	ctx_buf_release(&text);
}

static struct ctx_span
string_or_empty(struct ctx_span json)
{
	return ctx_json_type(json) == CTX_JSON_STRING ? json : ctx_span_of("\"\"");
}

static void
put_content_part(struct ctx_buf *b, const struct ctx_part *p)
{
	static const char *const types[] = {[CTX_PART_TEXT] = "text",
	    [CTX_PART_TOOL_CALL] = "tool_call",
	    [CTX_PART_TOOL_RESULT] = "tool_call_response",
	    [CTX_PART_IMAGE] = "image",
	    [CTX_PART_THINKING] = "reasoning",
	    [CTX_PART_OTHER] = "other"};
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_json_print(b, "{'type':%s", types[p->type]);
	if (p->type == CTX_PART_TEXT || p->type == CTX_PART_THINKING)
		ctx_json_print(b, "'content':%j", string_or_empty(p->body));
	if (p->type == CTX_PART_TOOL_CALL)
		ctx_json_print(b, "'id':%j,'name':%j", p->id, string_or_empty(p->name));
	if (p->type == CTX_PART_TOOL_CALL && p->body.p != NULL) {
		ctx_json_put_key(b, "arguments");
		ctx_otlp_arguments(b, p);
	}
	if (p->type == CTX_PART_TOOL_RESULT) {
		ctx_content_text(p->body, &text);
		ctx_json_print(b, "'id':%j,'response':%t", p->id, ctx_buf_span(&text));
		ctx_buf_release(&text);
	}
	ctx_json_print(b, "}");
}

/* Translates a provider's stop reason to a finish_reason of OpenTelemetry's semantic
 * conventions. An unknown reason becomes "stop". */
static const char *
name_finish_reason(struct ctx_span reason)
{
	static const char *const known[][2] = {{"tool_use", "tool_call"},
	    {"tool_calls", "tool_call"}, {"toolUse", "tool_call"},
	    {"max_tokens", "length"}, {"length", "length"}, {"MAX_TOKENS", "length"},
	    {"max_output_tokens", "length"}, {"content_filter", "content_filter"},
	    {"refusal", "content_filter"}, {"SAFETY", "content_filter"},
	    {"error", "error"}, {"failed", "error"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ctx_json_is(reason, known[i][0]))
			return known[i][1];
	return "stop";
}

void
ctx_otlp_message(struct ctx_buf *b, const struct ctx_message *m, bool answer,
    struct ctx_span stop_reason)
{
	enum ctx_role role = ctx_message_shown_role(m);

	ctx_json_print(b, "{'role':%s,'parts':[",
	    role == CTX_ROLE_DEVELOPER ? "system" : ctx_role_name(role));
	for (size_t i = 0; i < m->n; i++)
		put_content_part(b, &m->parts[i]);
	ctx_json_print(b, "],'finish_reason':%s}",
	    !answer                 ? NULL
	    : stop_reason.p != NULL ? name_finish_reason(stop_reason)
	    : ctx_message_count(m, CTX_PART_TOOL_CALL) > 0 ? "tool_call"
							   : "stop");
}
