/* Completes or refuses the tool calls of an answer, for all providers. */
#include "answer/internal.h"

#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "record/message.h"

static bool
is_blank_string(struct ctx_span json)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool blank = ctx_json_type(json) != CTX_JSON_STRING ||
		     ctx_span_trim(ctx_json_text(json, &tmp)).n == 0;

	ctx_buf_release(&tmp);
	return blank;
}

/* Returns whether the id is valid and was not seen before, and adds it to seen. */
static bool
take_call_id(struct ctx_map *seen, struct ctx_span id)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text;
	size_t *place;
	bool fresh = false;

	if (!is_blank_string(id)) {
		text = ctx_json_text(id, &tmp);
		place = ctx_map_at(seen, ctx_hash_bytes(0, text.p, text.n), NULL, NULL);
		fresh = *place == 0;
		*place = 1;
	}
	ctx_buf_release(&tmp);
	return fresh;
}

/* Appends the call with id in place of its own id. The provider's id is removed, because
 * another call has it. */
static void
put_with_id(struct ctx_buf *out, struct ctx_span call, struct ctx_span id)
{
	ctx_json_put_open(out, '{');
	if (ctx_json_get(call, "id").p == NULL)
		ctx_json_add_string(out, "id", id);
	CTX_JSON_EACH(it, call) {
		if (ctx_json_is(it.key, "gemini_id"))
			continue;
		ctx_json_put_name(out, it.key);
		if (ctx_json_is(it.key, "id"))
			ctx_json_put_string(out, id);
		else
			ctx_buf_addspan(out, it.value);
	}
	ctx_json_put_close(out, '}');
}

/* Makes ids, which are unique in a conversation if the answer's id is. They consist of at
 * most 40 letters, digits, '_' and '-', which all providers accept. */
static void
make_ids(
    const struct ctx_answer_reader *r, const struct ctx_message *m, struct ctx_buf *out)
{
	struct ctx_buf id = CTX_BUF_INIT;
	struct ctx_map seen = {0};
	struct ctx_span whole = m->json;
	char hash[CTX_HASH_HEX + 1];
	const char *done = whole.p;
	int count = 0;

	if (r->id != NULL)
		ctx_hash_sha256(r->id, strlen(r->id), hash);
	else
		ctx_hash_sha256(whole.p, whole.n, hash);
	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type != CTX_PART_TOOL_CALL)
			continue;
		count++;
		if (take_call_id(&seen, p->id))
			continue;
		ctx_buf_add(out, done, (size_t)(p->raw.p - done));
		ctx_buf_reset(&id);
		ctx_buf_addf(&id, "call_%.16s_%d", hash, count);
		put_with_id(out, p->raw, ctx_buf_span(&id));
		done = p->raw.p + p->raw.n;
	}
	ctx_buf_add(out, done, (size_t)(whole.p + whole.n - done));
	ctx_buf_release(&id);
	ctx_map_release(&seen);
}

/* Returns whether the arguments are incomplete. A stream that ended without a stop reason
 * may have ended inside them. */
static bool
is_cut_tool_call(const struct ctx_part *call)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text;
	bool cut;

	if (call->custom || ctx_json_type(call->body) != CTX_JSON_STRING)
		return false;
	text = ctx_span_trim(ctx_json_text(call->body, &tmp));
	cut = text.n > 0 && ctx_json_check(text, NULL, NULL, NULL) < 0;
	ctx_buf_release(&tmp);
	return cut;
}

static int
fail_damaged(const struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (r->stop_reason == NULL)
		return ctx_err_set(err, CTX_EIO,
		    "the arguments of a tool call are damaged or truncated");
	return ctx_err_set(err, CTX_EIO,
	    "the arguments of a tool call are damaged or truncated (stop reason %.80s)",
	    r->stop_reason);
}

/* Checks the calls of the message. *missing is set if a call needs a new id. An
 * incomplete call at the end (cut) is not checked. */
static int
check_calls(const struct ctx_answer_reader *r, const struct ctx_message *m, bool cut,
    bool *missing, struct ctx_err *err)
{
	struct ctx_map seen = {0};
	int rc = 0;

	if (r->damaged > 0 && (!cut || r->damaged != r->parts.n))
		return fail_damaged(r, err);
	for (size_t i = 0; rc == 0 && i + cut < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type != CTX_PART_TOOL_CALL)
			continue;
		if (ctx_json_type(p->raw) != CTX_JSON_OBJECT || is_blank_string(p->name))
			rc = ctx_err_set(err, CTX_EIO, "a tool call has no name");
		else if (r->stop_reason == NULL && is_cut_tool_call(p))
			rc = fail_damaged(r, err);
		*missing |= !take_call_id(&seen, p->id);
	}
	ctx_map_release(&seen);
	return rc;
}

int
ctx_answer_complete_calls(struct ctx_answer_reader *r, bool *cut, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf out = CTX_BUF_INIT, kept = CTX_BUF_INIT;
	bool missing = false;
	int rc = ctx_message_parse(&m, ctx_buf_span(&r->message), err);

	*cut = rc == 0 && ctx_answer_ends_in_cut(r, &m);
	if (rc == 0)
		rc = check_calls(r, &m, *cut, &missing, err);
	if (rc == 0 && *cut) {
		ctx_answer_put_cut(&m, &kept);
		rc = ctx_message_parse(&m, ctx_buf_span(&kept), err);
	}
	if (rc == 0 && missing)
		make_ids(r, &m, &out);
	if (rc == 0 && out.n == 0 && *cut) {
		out = kept;
		kept = (struct ctx_buf)CTX_BUF_INIT;
	}
	if (out.n > 0) {
		ctx_buf_release(&r->message);
		r->message = out;
	}
	ctx_buf_release(&kept);
	ctx_message_release(&m);
	return rc;
}

void
ctx_answer_rename(struct ctx_answer *a, ctx_answer_name_fn *fn, void *arg)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf out = CTX_BUF_INIT, name = CTX_BUF_INIT;
	struct ctx_span whole = ctx_buf_span(&a->message);
	const char *done = whole.p;

	if (ctx_message_parse(&m, whole, NULL) == 0)
		for (size_t i = 0; i < m.n; i++) {
			const struct ctx_part *p = &m.parts[i];
			ctx_buf_reset(&name);
			if (p->type != CTX_PART_TOOL_CALL ||
			    ctx_json_type(p->name) != CTX_JSON_STRING)
				continue;
			fn(arg, p->name, &name);
			if (name.n == 0)
				continue;
			ctx_buf_add(&out, done, (size_t)(p->name.p - done));
			ctx_buf_addspan(&out, ctx_buf_span(&name));
			done = p->name.p + p->name.n;
		}
	ctx_buf_add(&out, done, (size_t)(whole.p + whole.n - done));
	ctx_buf_release(&a->message);
	a->message = out;
	ctx_buf_release(&name);
	ctx_message_release(&m);
}
