#include "record/record.h"
#include "append/compaction.h"

#include "json/json.h"
#include "provider/compaction.h"
#include "record/message.h"
#include "store/summary.h"

static void
put_compaction_source(struct ctx_buf *b, const char *provider, int64_t last_seq)
{
	ctx_json_print(b,
	    "{'type':'summary','name':'provider','provider':%s,'first_seq':1,'last_seq':%d}",
	    provider, last_seq);
}

static void
put_compaction_event(struct ctx_buf *b, const struct ctx_session *s,
    const struct ctx_compaction *c, const char *provider, int64_t last_seq)
{
	ctx_event_open(b, s->session_id, c->now, "summarize");
	ctx_json_print(b,
	    "'strategy':'provider','provider':%s,'model':%s,'request_id':%s,'first_seq':1,'last_seq':%d,'usage':%j}",
	    provider, c->model, c->request_id, last_seq, c->usage);
}

/* Finds the last answer before message seq; the messages after it are not answered
 * yet. */
static int
find_last_answer(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    int64_t *last, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc = 0;

	*last = 0;
	c = ctx_cursor_open(st, s, 1, seq, true, err);
	while (*last == 0 && (rc = ctx_cursor_next(c, &m, err)) == 1)
		if (m.role == CTX_ROLE_ASSISTANT)
			*last = m.seq;
	ctx_cursor_close(c);
	if (*last == 0 && rc == 0)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' has no answer before message %lld", s->session_id,
		    (long long)seq);
	return *last == 0 ? -1 : 0;
}

static int
add_compaction(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_compaction *c, struct ctx_store_summary *m, struct ctx_buf *event,
    struct ctx_err *err)
{
	struct ctx_span block;
	int provider = ctx_compaction_find(c->message, &block);
	struct ctx_buf source = CTX_BUF_INIT;
	int64_t id = 0, last = 0;

	if (provider < 0)
		return ctx_err_set(err, CTX_EANSWER, "the answer contains no compaction");
	if (find_last_answer(st, s, c->for_seq, &last, err) < 0)
		return -1;
	if (ctx_store_summary_current(st, s, m, err) < 0)
		return -1;
	if (m->last >= last)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' already has a summary of the messages up to message %lld",
		    s->session_id, (long long)m->last);
	put_compaction_event(
	    event, s, c, ctx_provider_name((enum ctx_provider)provider), last);
	if (ctx_store_event_add(st, s, c->now, ctx_buf_span(event), &id, err) < 0)
		return -1;
	put_compaction_source(
	    &source, ctx_provider_name((enum ctx_provider)provider), last);
	ctx_store_summary_release(m);
	*m = (struct ctx_store_summary){.previous = s->summary,
	    .first = 1,
	    .last = last,
	    .event = id & CTX_SEQ_MAX,
	    .created_at = c->now,
	    .source = ctx_buf_detach(&source),
	    .message = ctx_span_dup(c->message)};
	return ctx_store_summary_add(st, s, m, err);
}

int
ctx_append_compaction(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_compaction *c, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_store_summary m = {0};
	struct ctx_buf event = CTX_BUF_INIT;
	int rc = add_compaction(st, s, c, &m, &event, err);

	if (rc == 0 && out != NULL) {
		ctx_store_summary_print(out, s->session_id, &m);
		ctx_buf_addspan(out, ctx_buf_span(&event));
		ctx_buf_addc(out, '\n');
	}
	ctx_buf_release(&event);
	ctx_store_summary_release(&m);
	return rc;
}
