/* Redaction of request records: replaces additions that contain a redacted text, and adds
 * the member "redacted". */

#include "base/hash.h"
#include "json/json.h"
#include "record/redaction.h"

struct requesting {
	struct ctx_redaction *r;
	struct ctx_span session_id;
	bool changed; /* the record was changed */
	bool held;    /* the request contained redacted messages */
};

/* True for an addition that an item of the agent defines: it is not a copy of
 * messages. */
static bool
is_defined(struct ctx_span source)
{
	static const char *const types[] = {"rule", "reference", "tool", "prompt", NULL};

	return ctx_json_is_any(ctx_json_get(source, "type"), types);
}

/* True if the addition was made from messages of this session of which one is redacted
 * whole. */
static bool
is_made_from(const struct requesting *q, struct ctx_span source)
{
	struct ctx_span of = ctx_json_find(source, "session_id");
	struct ctx_buf a = CTX_BUF_INIT, b = CTX_BUF_INIT;
	int64_t first, last;
	bool same = of.p == NULL ||
		    ctx_span_eq(ctx_json_text(of, &a), ctx_json_text(q->session_id, &b));

	ctx_buf_release(&a);
	ctx_buf_release(&b);
	return same && ctx_json_int(ctx_json_get(source, "first_seq"), &first) &&
	       ctx_json_int(ctx_json_get(source, "last_seq"), &last) &&
	       ctx_redaction_covers(q->r, first, last);
}

static bool
redact_addition(struct requesting *q, struct ctx_span entry, struct ctx_buf *out)
{
	struct ctx_span message = ctx_json_get(entry, "message"),
			source = ctx_json_get(entry, "source");
	int64_t seq;

	if (ctx_json_type(message) != CTX_JSON_OBJECT)
		return false;
	if (ctx_json_int(ctx_json_get(entry, "seq"), &seq))
		return ctx_redaction_has(q->r, seq)
			   ? ctx_redaction_message(q->r, message, out)
			   : false;
	if (q->r->match.p == NULL && is_defined(source))
		return false;
	return ctx_redaction_summary(q->r, message, is_made_from(q, source), out);
}

/* Appends the entry with another message, its digest, and the mark "redacted". */
static void
put_redacted_entry(struct ctx_buf *out, struct ctx_span entry, struct ctx_span message)
{
	char sha[CTX_HASH_HEX + 1];

	ctx_hash_sha256(message.p, message.n, sha);
	ctx_json_put_open(out, '{');
	CTX_JSON_EACH(it, entry) {
		if (ctx_json_is(it.key, "redacted"))
			continue;
		ctx_json_put_name(out, it.key);
		if (ctx_json_is(it.key, "message"))
			ctx_buf_addspan(out, message);
		else if (ctx_json_is(it.key, "sha256"))
			ctx_buf_addf(out, "\"%s\"", sha);
		else
			ctx_buf_addspan(out, it.value);
	}
	ctx_json_print(out, "'redacted':true}");
}

/* True if the entry contains stored messages that are redacted. With match, these are
 * only the messages that contained it: the caller lists them. */
static bool
holds_redacted(const struct requesting *q, struct ctx_span entry)
{
	int64_t first, last;

	if (ctx_json_int(ctx_json_get(entry, "seq"), &first))
		last = first;
	else if (ctx_json_get(entry, "source").p != NULL ||
		 !ctx_json_int(ctx_json_get(entry, "first_seq"), &first) ||
		 !ctx_json_int(ctx_json_get(entry, "last_seq"), &last))
		return ctx_json_true(ctx_json_get(entry, "redacted"));
	for (size_t i = 0; i < q->r->n; i++)
		if (q->r->seqs[i] >= first && q->r->seqs[i] <= last)
			return true;
	return false;
}

static void
put_request_entry(struct requesting *q, struct ctx_span entry, struct ctx_buf *out)
{
	struct ctx_buf fresh = CTX_BUF_INIT;

	if (redact_addition(q, entry, &fresh)) {
		put_redacted_entry(out, entry, ctx_buf_span(&fresh));
		q->changed = q->held = true;
	} else {
		ctx_json_put_raw(out, entry);
		q->held |= holds_redacted(q, entry);
	}
	ctx_buf_release(&fresh);
}

static void
put_request_entries(struct requesting *q, struct ctx_span messages, struct ctx_buf *out)
{
	ctx_buf_addc(out, '[');
	CTX_JSON_EACH(it, messages)
		put_request_entry(q, it.value, out);
	ctx_json_put_close(out, ']');
}

/* Appends the sequence numbers that the record already lists as redacted, and the new
 * ones. */
static void
add_redacted(struct requesting *q, struct ctx_span before, struct ctx_buf *out)
{
	struct ctx_buf list = CTX_BUF_INIT;
	int64_t seq;

	ctx_json_put_open(&list, '[');
	CTX_JSON_EACH(it, before)
		if (!ctx_json_int(it.value, &seq) || q->r->n == 0 ||
		    !ctx_redaction_has(q->r, seq))
			ctx_json_put_raw(&list, it.value);
	for (size_t i = 0; q->held && i < q->r->n; i++)
		ctx_json_put_int(&list, q->r->seqs[i]);
	ctx_json_put_close(&list, ']');
	q->changed |= q->held && !ctx_span_eq(ctx_buf_span(&list), before);
	ctx_json_add_raw(out, "redacted", ctx_buf_span(&list));
	ctx_buf_release(&list);
}

/* True for members that may contain texts of messages: objects, such as the received part
 * of a failed answer, and the provider's error text. */
static bool
is_free_member(const struct ctx_json_iter *it)
{
	enum ctx_json_type type = ctx_json_type(it->value);

	return type == CTX_JSON_OBJECT || type == CTX_JSON_ARRAY ||
	       ctx_json_is(it->key, "error");
}

bool
ctx_redaction_request(
    struct ctx_redaction *r, struct ctx_span record, struct ctx_buf *out)
{
	struct requesting q = {.r = r, .session_id = ctx_json_get(record, "session_id")};
	struct ctx_span before = ctx_json_get(record, "redacted");
	struct ctx_buf fresh = CTX_BUF_INIT;

	ctx_buf_reset(out);
	ctx_json_put_open(out, '{');
	CTX_JSON_EACH(it, record) {
		if (ctx_json_is(it.key, "redacted"))
			continue;
		ctx_json_put_name(out, it.key);
		if (ctx_json_is(it.key, "messages")) {
			put_request_entries(&q, it.value, out);
		} else if (is_free_member(&it) &&
			   ctx_redaction_json(r, it.value, &fresh)) {
			ctx_buf_addspan(out, ctx_buf_span(&fresh));
			q.changed = q.held = true;
		} else {
			ctx_buf_addspan(out, it.value);
		}
	}
	if (q.held || before.p != NULL)
		add_redacted(&q, before, out);
	ctx_json_put_close(out, '}');
	ctx_buf_release(&fresh);
	if (!q.changed)
		ctx_buf_reset(out);
	return q.changed;
}
