/* Whatever line comes: what parses can be read as a message and printed again, and the
 * envelope printed parses to the same members. */

#include "fuzz.h"

#include "base/time.h"
#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "record/request.h"
#include "record/session.h"

static bool
inside(struct ctx_span part, struct ctx_span whole)
{
	return part.p == NULL ||
	       (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void
read_message(struct ctx_span json)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	if (ctx_message_parse(&m, json, &err) == 0) {
		for (size_t i = 0; i < m.n; i++)
			MUST(inside(m.parts[i].raw, json) &&
			     inside(m.parts[i].id, json) &&
			     inside(m.parts[i].name, json) &&
			     inside(m.parts[i].body, json));
		ctx_message_text(&m, &text);
		ctx_message_starts_turn(&m);
	}
	ctx_buf_release(&text);
	ctx_message_release(&m);
}

static void
print_again(const struct ctx_record *r)
{
	struct ctx_buf out = CTX_BUF_INIT, id = CTX_BUF_INIT, id2 = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_record again;
	struct ctx_envelope e = {.seq = r->seq,
	    .id = ctx_json_text(r->id, &id),
	    .created_at = r->created_at,
	    .token_count = r->token_count,
	    .message_type = r->message_type,
	    .pinned = r->pinned == 1,
	    .slot = ctx_slot_name(r->slot),
	    .source = r->source,
	    .metadata = r->metadata,
	    .message = r->message};

	ctx_envelope_print(&out, &e);
	MUST(ctx_record_parse(&again, ctx_buf_span(&out), &err) == 0);
	MUST(again.seq == r->seq && again.created_at == r->created_at);
	MUST(again.token_count == r->token_count && again.slot == r->slot);
	MUST(again.message_type == r->message_type);
	MUST(ctx_span_eq(again.message, r->message) &&
	     ctx_span_eq(again.source, r->source));
	MUST(ctx_span_eq(ctx_json_text(again.id, &id2), e.id));
	ctx_buf_release(&out);
	ctx_buf_release(&id);
	ctx_buf_release(&id2);
}

/* A record that was printed parses, and prints the same. */
static void
session_again(struct ctx_span json, struct ctx_buf *out, bool first)
{
	struct ctx_session s = CTX_SESSION_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_session_parse(&s, json, &err) == 0)
		ctx_session_print(out, &s);
	else
		MUST(first && err.code == CTX_EINPUT);
	ctx_session_release(&s);
	if (out->n > 0 && first) {
		struct ctx_buf again = CTX_BUF_INIT;
		MUST(ctx_json_check(ctx_buf_span(out), &json, NULL, &err) == 0);
		session_again(json, &again, false);
		MUST(ctx_span_eq(ctx_buf_span(out), ctx_buf_span(&again)));
		ctx_buf_release(&again);
	}
}

static void
request_again(struct ctx_span json, struct ctx_buf *out, bool first)
{
	struct ctx_request r = CTX_REQUEST_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_request_parse(&r, json, &err) == 0)
		ctx_request_print(out, &r);
	else
		MUST(first && err.code == CTX_EINPUT);
	ctx_request_release(&r);
	if (out->n > 0 && first) {
		struct ctx_buf again = CTX_BUF_INIT;
		MUST(ctx_json_check(ctx_buf_span(out), &json, NULL, &err) == 0);
		request_again(json, &again, false);
		MUST(ctx_span_eq(ctx_buf_span(out), ctx_buf_span(&again)));
		ctx_buf_release(&again);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_span line = {(const char *)data, n};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_record r;

	if (ctx_record_parse(&r, line, &err) < 0) {
		MUST(err.code == CTX_EINPUT && err.msg[0] != '\0');
		return 0;
	}
	MUST(inside(r.line, line) && inside(r.message, line) && inside(r.id, line));
	if (r.kind == CTX_KIND_MESSAGE) {
		read_message(r.message);
		if (!r.bare)
			print_again(&r);
	} else if (r.kind == CTX_KIND_SESSION) {
		session_again(r.line, &out, true);
	} else if (r.kind == CTX_KIND_REQUEST) {
		request_again(r.line, &out, true);
	}
	ctx_buf_release(&out);
	return 0;
}
