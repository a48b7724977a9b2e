/* Handles a tool call that is incomplete because of a limit. It becomes a block
 * {"type":"cut_call","call":…}, so that nobody executes it or sends it as a call
 * (Anthropic, "Handling stop reasons", max_tokens). */
#include "answer/internal.h"
#include "record/calls.h"

#include "record/message.h"

bool
ctx_answer_ends_in_cut(const struct ctx_answer_reader *r, const struct ctx_message *m)
{
	enum ctx_ending ending = ctx_answer_ending(r->provider, r->stop_reason);
	const struct ctx_part *last = m->n > 0 ? &m->parts[m->n - 1] : NULL;

	if (last == NULL ||
	    (ending != CTX_ENDING_PARTIAL && ending != CTX_ENDING_REFUSED))
		return false;
	if (last->type == CTX_PART_TOOL_CALL)
		return r->whole == 0 || r->whole != r->parts.n;
	return last->type == CTX_PART_OTHER && !last->stray &&
	       ctx_server_item_is_call(last->raw);
}

static void
put_cut_call(struct ctx_buf *out, struct ctx_span call)
{
	ctx_json_print(out, "{'type':'cut_call','call':%j}", call);
}

/* Appends the content of an OpenAI message as blocks, followed by the cut_call block. */
static void
put_content(struct ctx_buf *out, struct ctx_span content, struct ctx_span call)
{
	ctx_json_add_open(out, "content", '[');
	ctx_message_put_blocks(out, content);
	put_cut_call(out, call);
	ctx_json_put_close(out, ']');
}

static void
put_other_calls(struct ctx_buf *out, struct ctx_span calls, struct ctx_span cut)
{
	struct ctx_span first = ctx_json_first(calls);

	if (first.p == NULL || first.p == cut.p)
		return;
	ctx_json_add_open(out, "tool_calls", '[');
	CTX_JSON_EACH(it, calls)
		if (it.value.p != cut.p)
			ctx_json_put_raw(out, it.value);
	ctx_json_put_close(out, ']');
}

void
ctx_answer_put_cut(const struct ctx_message *m, struct ctx_buf *out)
{
	const struct ctx_part *last = &m->parts[m->n - 1];
	struct ctx_span content = ctx_json_get(m->json, "content");

	if (!last->openai || last->type != CTX_PART_TOOL_CALL) {
		ctx_buf_add(out, m->json.p, (size_t)(last->raw.p - m->json.p));
		put_cut_call(out, last->raw);
		ctx_buf_add(out, last->raw.p + last->raw.n,
		    (size_t)(m->json.p + m->json.n - last->raw.p) - last->raw.n);
		return;
	}
	ctx_json_put_open(out, '{');
	CTX_JSON_EACH(it, m->json) {
		if (ctx_json_is(it.key, "tool_calls"))
			put_other_calls(out, it.value, last->raw);
		else if (!ctx_json_is(it.key, "content"))
			ctx_json_put_member(out, it.key, it.value);
	}
	put_content(out, content, last->raw);
	ctx_json_put_close(out, '}');
}
