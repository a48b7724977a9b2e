#include "window/window.h"

#include "base/time.h"
#include "json/json.h"
#include "record/record.h"

/* Prints the stored messages first to last. If message (JSON) is present, the range is a
 * single message and this text is printed in its place. */
static int
put_replay_range(struct ctx_buf *out, struct ctx_store *st, const struct ctx_session *s,
    int64_t first, int64_t last, struct ctx_span message, struct ctx_err *err)
{
	struct ctx_cursor *c = ctx_cursor_open(st, s, first, last, false, err);
	struct ctx_stored m;
	int64_t next = first;
	int rc;

	while ((rc = ctx_cursor_next(c, &m, err)) == 1 && m.seq == next) {
		if (message.p != NULL)
			m.message = message;
		ctx_stored_print(out, s->session_id, &m, NULL, CTX_SPAN_NONE);
		next++;
	}
	ctx_cursor_close(c);
	if (rc >= 0 && next <= last)
		return ctx_err_set(err, CTX_EANSWER,
		    "message %lld of session '%s' does not exist in the store",
		    (long long)next, s->session_id);
	return rc < 0 ? -1 : 0;
}

static int
put_replay_addition(struct ctx_buf *out, const struct ctx_session *s,
    struct ctx_span entry, struct ctx_err *err)
{
	struct ctx_buf slot = CTX_BUF_INIT;
	struct ctx_envelope e = {.session_id = s->session_id,
	    .seq = -1,
	    .created_at = CTX_TIME_NONE,
	    .token_count = -1,
	    .message_type = -1,
	    .source = ctx_json_get(entry, "source"),
	    .message = ctx_json_find(entry, "message")};

	if (e.message.p == NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "the request was stored without the texts that were added to its messages");
	ctx_json_decode(ctx_json_get(entry, "slot"), &slot);
	e.slot = slot.n > 0 ? slot.p : NULL;
	ctx_envelope_print(out, &e);
	ctx_buf_release(&slot);
	return 0;
}

static int
put_replay_entry(struct ctx_buf *out, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span entry, struct ctx_err *err)
{
	int64_t first, last;

	if (ctx_json_int(ctx_json_get(entry, "seq"), &first))
		last = first;
	else if (!ctx_json_int(ctx_json_get(entry, "first_seq"), &first) ||
		 !ctx_json_int(ctx_json_get(entry, "last_seq"), &last))
		return put_replay_addition(out, s, entry, err);
	return put_replay_range(
	    out, st, s, first, last, ctx_json_find(entry, "message"), err);
}

int
ctx_replay_print(struct ctx_buf *out, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_err *err)
{
	ctx_session_print(out, s);
	CTX_JSON_EACH(it, ctx_json_get(record, "messages"))
		if (put_replay_entry(out, st, s, it.value, err) < 0)
			return -1;
	ctx_buf_addspan(out, record);
	ctx_buf_addc(out, '\n');
	return 0;
}
