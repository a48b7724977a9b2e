/* Computes what replaces a redacted message or text. redaction_find.c recognizes the
 * texts. */
#include "record/redaction.h"

#include <stdlib.h>

#include "base/compare.h"
#include "json/json.h"
#include "record/message.h"

bool
ctx_redaction_has(const struct ctx_redaction *r, int64_t seq)
{
	return r->n == 0 ||
	       bsearch(&seq, r->seqs, r->n, sizeof(seq), ctx_compare_int64) != NULL;
}

bool
ctx_redaction_covers(const struct ctx_redaction *r, int64_t first, int64_t last)
{
	for (size_t i = 0; r->match.p == NULL && i < r->n; i++)
		if (r->seqs[i] >= first && r->seqs[i] <= last)
			return true;
	return false;
}

/* ---- values ---- */

/* True for members that describe a part and do not contain what was said. */
static bool
is_structural_key(struct ctx_span key)
{
	static const char *const keys[] = {"role", "type", "id", "call_id",
	    "tool_call_id", "tool_use_id", "name", "kind", "session_id", "tenant_id",
	    "request_id", "sha256", "body_sha256", "slot", NULL};

	return ctx_json_is_any(key, keys);
}

/* True for members with free content: all strings inside them were said by someone. */
static bool
is_free_key(struct ctx_span key)
{
	static const char *const keys[] = {
	    "input", "arguments", "args", "metadata", "params", "preferences", NULL};

	return ctx_json_is_any(key, keys);
}

/* True for reasoning, which the provider has signed or encrypted. */
static bool
is_reasoning(struct ctx_span element)
{
	struct ctx_span type = ctx_json_get(element, "type");

	return CTX_JSON_IS_ANY(type, "thinking", "redacted_thinking", "reasoning");
}

struct rewriting {
	struct ctx_redaction *r;
	bool drop_reasoning;
	bool changed;
};

static void rewrite_value(
    struct rewriting *w, struct ctx_span value, bool structural, struct ctx_buf *out);

/* Rewrites a string that contains JSON, such as a call's arguments; the text may be
 * escaped inside it. */
static bool
rewrite_nested(struct rewriting *w, struct ctx_span text, struct ctx_buf *out)
{
	struct rewriting inner = {.r = w->r};
	struct ctx_span value;

	text = ctx_span_trim(text);
	if (text.n < 2 || (text.p[0] != '{' && text.p[0] != '[') ||
	    ctx_json_check(text, &value, NULL, NULL) < 0)
		return false;
	rewrite_value(&inner, value, false, out);
	return inner.changed;
}

static void
rewrite_string(struct rewriting *w, struct ctx_span string, struct ctx_buf *out)
{
	struct ctx_buf tmp = CTX_BUF_INIT, fresh = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(string, &tmp);
	bool changed = w->r->match.p != NULL && rewrite_nested(w, text, &fresh);

	if (!changed) {
		ctx_buf_reset(&fresh);
		changed = ctx_redaction_find(w->r, text, &fresh);
	}
	if (changed)
		ctx_json_put_string(out, ctx_buf_span(&fresh));
	else
		ctx_json_put_raw(out, string);
	w->changed |= changed;
	ctx_buf_release(&tmp);
	ctx_buf_release(&fresh);
}

static void
rewrite_members(
    struct rewriting *w, struct ctx_span value, bool structural, struct ctx_buf *out)
{
	bool object = ctx_json_type(value) == CTX_JSON_OBJECT;

	ctx_json_put_open(out, object ? '{' : '[');
	CTX_JSON_EACH(it, value) {
		if (!object && structural && w->drop_reasoning &&
		    is_reasoning(it.value)) {
			w->changed = true;
			continue;
		}
		if (object && !structural)
			rewrite_string(w, it.key, out);
		else if (object)
			ctx_json_put_raw(out, it.key);
		if (object)
			ctx_buf_addc(out, ':');
		if (object && structural && is_structural_key(it.key))
			ctx_buf_addspan(out, it.value);
		else
			rewrite_value(w, it.value,
			    structural && !(object && is_free_key(it.key)), out);
	}
	ctx_json_put_close(out, object ? '}' : ']');
}

static void
rewrite_value(
    struct rewriting *w, struct ctx_span value, bool structural, struct ctx_buf *out)
{
	enum ctx_json_type type = ctx_json_type(value);

	if (type == CTX_JSON_OBJECT || type == CTX_JSON_ARRAY)
		rewrite_members(w, value, structural, out);
	else if (type == CTX_JSON_STRING)
		rewrite_string(w, value, out);
	else
		ctx_json_put_raw(out, value);
}

bool
ctx_redaction_json(struct ctx_redaction *r, struct ctx_span value, struct ctx_buf *out)
{
	struct rewriting w = {.r = r};

	ctx_buf_reset(out);
	rewrite_value(&w, value, true, out);
	if (!w.changed)
		ctx_buf_reset(out);
	return w.changed;
}

bool
ctx_redaction_text(struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out)
{
	ctx_buf_reset(out);
	if (text.p == NULL || !ctx_redaction_find(r, text, out))
		return false;
	if (r->match.p == NULL)
		ctx_buf_reset(out);
	return true;
}

/* ---- messages ---- */

/* Appends calls in OpenAI's format. The calls of a message have one format only. */
static void
put_marked_calls(struct ctx_buf *out, const struct ctx_message *m)
{
	ctx_json_add_open(out, "tool_calls", '[');
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_TOOL_CALL)
			ctx_json_print(out,
			    "{'id':%j,'type':'function','function':{'name':%j,'arguments':'{}'}}",
			    m->parts[i].id, m->parts[i].name);
	ctx_json_put_close(out, ']');
}

static void
put_marked_blocks(struct ctx_buf *out, const struct ctx_message *m)
{
	ctx_json_add_open(out, "content", '[');
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_TOOL_RESULT)
			ctx_json_print(out,
			    "{'type':'tool_result','tool_use_id':%j,'content':%s}",
			    m->parts[i].id, CTX_REDACTION_MARK);
	if (ctx_message_count(m, CTX_PART_TEXT) > 0)
		ctx_json_print(out, "{'type':'text','text':%s}", CTX_REDACTION_MARK);
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_TOOL_CALL)
			ctx_json_print(out,
			    "{'type':'tool_use','id':%j,'name':%j,'input':{}}",
			    m->parts[i].id, m->parts[i].name);
	ctx_json_put_close(out, ']');
}

/* Appends the replacement of a whole message. Its calls and results remain, so they stay
 * paired. */
static void
put_marked_message(struct ctx_buf *out, const struct ctx_message *m)
{
	size_t calls = ctx_message_count(m, CTX_PART_TOOL_CALL),
	       results = ctx_message_count(m, CTX_PART_TOOL_RESULT);
	const struct ctx_part *first = m->n > 0 ? &m->parts[0] : NULL;

	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_TOOL_CALL ||
		    m->parts[i].type == CTX_PART_TOOL_RESULT) {
			first = &m->parts[i];
			break;
		}
	ctx_json_print(out, "{'role':%s", ctx_role_name(m->role));
	if (m->role == CTX_ROLE_TOOL && first != NULL)
		ctx_json_add_raw(out, "tool_call_id", first->id);
	if (calls + results == 0 || m->role == CTX_ROLE_TOOL ||
	    (calls > 0 && first->openai))
		ctx_json_add_str(out, "content", CTX_REDACTION_MARK);
	else
		put_marked_blocks(out, m);
	if (calls > 0 && first->openai)
		put_marked_calls(out, m);
	ctx_json_put_close(out, '}');
}

static bool
mark_message(struct ctx_span message, struct ctx_buf *out)
{
	struct ctx_message m = CTX_MESSAGE_INIT;

	if (ctx_message_parse(&m, message, NULL) < 0)
		ctx_buf_adds(
		    out, "{\"role\":\"user\",\"content\":\"" CTX_REDACTION_MARK "\"}");
	else
		put_marked_message(out, &m);
	ctx_message_release(&m);
	return !ctx_span_eq(ctx_buf_span(out), message);
}

bool
ctx_redaction_message(
    struct ctx_redaction *r, struct ctx_span message, struct ctx_buf *out)
{
	struct rewriting w = {.r = r};

	ctx_buf_reset(out);
	if (r->match.p == NULL) {
		w.changed = mark_message(message, out);
	} else {
		rewrite_value(&w, message, true, out);
		if (w.changed) {
			w.drop_reasoning = true;
			ctx_buf_reset(out);
			rewrite_value(&w, message, true, out);
		}
	}
	if (!w.changed)
		ctx_buf_reset(out);
	return w.changed;
}

void
ctx_redaction_metadata(
    struct ctx_redaction *r, struct ctx_span metadata, struct ctx_buf *out)
{
	struct rewriting w = {.r = r};
	struct ctx_buf fresh = CTX_BUF_INIT;

	if (r->match.p != NULL && ctx_json_type(metadata) == CTX_JSON_OBJECT)
		rewrite_value(&w, metadata, false, &fresh);
	ctx_buf_reset(out);
	ctx_json_put_open(out, '{');
	ctx_json_put_members(out, ctx_buf_span(&fresh), "redacted");
	ctx_json_print(out, "'redacted':%s}", r->match.p != NULL ? "text" : "message");
	ctx_buf_release(&fresh);
}

bool
ctx_redaction_summary(
    struct ctx_redaction *r, struct ctx_span message, bool covered, struct ctx_buf *out)
{
	ctx_buf_reset(out);
	if (!covered)
		return ctx_redaction_json(r, message, out);
	if (mark_message(message, out))
		return true;
	ctx_buf_reset(out);
	return false;
}
