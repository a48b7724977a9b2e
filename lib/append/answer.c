#include "append/answer.h"

#include <stdlib.h>

#include "base/mem.h"
#include "append/compaction.h"
#include "json/json.h"
#include "provider/compaction.h"

/* Records the run in which the answer was made: its reasoning may be sent back only after
 * the same messages. */
static void
put_answer_run(struct ctx_buf *line, struct ctx_span run, bool system_inside)
{
	struct ctx_span digest = ctx_json_get(run, "digest");

	if (ctx_json_type(digest) != CTX_JSON_STRING)
		return;
	ctx_json_print(line, "'run':{'id':%j,'digest':%j,'rules':%j",
	    ctx_json_get(run, "id"), digest, ctx_json_get(run, "rules"));
	if (system_inside)
		ctx_json_add_bool(line, "system_inside", true);
	ctx_json_put_close(line, '}');
}

/* Returns whether the answer itself sets this member of the metadata. */
static bool
is_own(struct ctx_span key)
{
	static const char *const own[] = {"provider", "model", "answer_id", "stop_reason",
	    "request_id", "run", "usage", "answer", NULL};

	return ctx_json_is_any(key, own);
}

static void
put_answer_record(struct ctx_buf *line, const struct ctx_answer *a, const char *provider,
    struct ctx_span metadata, const struct ctx_request *r)
{
	ctx_json_print(line,
	    "{'kind':'message','id':%s,'metadata':{'provider':%s,'model':%s,'answer_id':%s,'stop_reason':%s,'request_id':%s",
	    r->request_id, provider, a->model, a->id, a->stop_reason, r->request_id);
	put_answer_run(line, ctx_span_of(r->run_json), r->system != NULL);
	ctx_json_print(line, "'usage':%j,'answer':%j", ctx_buf_span(&a->usage),
	    ctx_buf_span(&a->details));
	CTX_JSON_EACH(it, metadata)
		if (!is_own(it.key))
			ctx_json_put_member(line, it.key, it.value);
	ctx_json_print(line, "},'message':%j}", ctx_buf_span(&a->message));
}

static int
put_answer_request(struct ctx_store *st, struct ctx_request *r,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf record = CTX_BUF_INIT;
	int rc;

	free(r->tenant_id);
	r->tenant_id = ctx_mem_str(s->tenant_id);
	ctx_request_print(&record, r);
	rc = ctx_store_request_put(st, s, ctx_span_of(r->request_id), r->for_seq,
	    r->response_seq > 0 ? r->response_seq : 0, r->created_at,
	    ctx_span_trim(ctx_buf_span(&record)), err);
	ctx_buf_release(&record);
	return rc;
}

static int
refuse_pending_answer(void *arg CTX_UNUSED, const struct ctx_pending *p CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	return -1;
}

/* Removes the failure of an earlier attempt from the record. */
static void
forget_failure(struct ctx_request *r)
{
	char **of_failure[] = {&r->status, &r->error, &r->partial_json};

	for (size_t i = 0; i < sizeof(of_failure) / sizeof(of_failure[0]); i++) {
		free(*of_failure[i]);
		*of_failure[i] = NULL;
	}
}

static struct ctx_compaction
make_compaction(const struct ctx_appender *in, const struct ctx_answer *a,
    const struct ctx_request *r)
{
	struct ctx_compaction c = {.message = ctx_buf_span(&a->message),
	    .for_seq = r->request_id != NULL ? r->for_seq : CTX_SEQ_MAX,
	    .request_id = r->request_id,
	    .model = a->model,
	    .usage = ctx_buf_span(&a->usage),
	    .now = in->o.now};

	return c;
}

/* Stores the compaction inside an answer: what comes before the block is no longer sent.
 * If there are other messages in between, the provider itself ignores what precedes the
 * block. */
static int
put_inline_compaction(struct ctx_appender *in, struct ctx_store *st,
    const struct ctx_answer *a, const struct ctx_request *r, int64_t seq,
    struct ctx_err *err)
{
	struct ctx_compaction c = make_compaction(in, a, r);
	struct ctx_buf message = CTX_BUF_INIT;
	struct ctx_span block;
	int rc;

	if (in->repeated > 0 || ctx_compaction_find(c.message, &block) < 0 ||
	    (r->request_id != NULL && r->for_seq != seq - 1))
		return 0;
	ctx_json_print(&message, "{'role':'assistant','content':[%j]}", block);
	c.message = ctx_buf_span(&message);
	c.for_seq = seq - 1;
	c.usage = CTX_SPAN_NONE; /* the usage belongs to the answer */
	rc = ctx_append_compaction(st, ctx_append_session(in), &c, NULL, err);
	ctx_buf_release(&message);
	/* there is nothing that could be left out */
	if (rc < 0 && err->code == CTX_EANSWER) {
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = 0;
	}
	return rc;
}

/* Stores answer and request. Call inside a write transaction. */
static int
put_both(struct ctx_appender *in, struct ctx_store *st, const struct ctx_answer *a,
    struct ctx_request *r, struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_pending *p = &in->pending[in->n - 1];
	struct ctx_session *s;

	if (ctx_append_apply(in, st, out, refuse_pending_answer, NULL, err) != 0)
		return -1;
	if (put_inline_compaction(in, st, a, r, p->m.seq, err) < 0)
		return -1;
	if (r->request_id != NULL) {
		s = ctx_append_session(in);
		/* if the answer was stored before, it is not the session's last
		 * message */
		r->response_seq = p->m.seq;
		forget_failure(r);
		if (a->usage.n > 0) {
			free(r->usage_json);
			r->usage_json = ctx_span_dup(ctx_buf_span(&a->usage));
		}
		if (put_answer_request(st, r, s, err) < 0)
			return -1;
	}
	return ctx_append_finish(in, st, err);
}

/* Returns whether the answer has only compaction blocks. It is then not an answer to a
 * message. */
static bool
is_only_compaction(const struct ctx_answer *a)
{
	struct ctx_span block, message = ctx_buf_span(&a->message);

	CTX_JSON_EACH(it, ctx_json_get(message, "content"))
		if (!ctx_json_has_type(it.value, "compaction"))
			return false;
	return ctx_compaction_find(message, &block) >= 0;
}

static int
put_compaction_answer(struct ctx_appender *in, struct ctx_store *st,
    const struct ctx_answer *a, const struct ctx_request *r, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_compaction c = make_compaction(in, a, r);
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	if (ctx_store_begin(st, err) < 0)
		return -1;
	rc = ctx_store_session_active(st, in->o.session, &s, err);
	if (rc == 0)
		rc = ctx_append_compaction(st, &s, &c, out, err);
	rc = ctx_store_end(st, rc, err);
	ctx_session_release(&s);
	return rc;
}

int
ctx_append_answer(struct ctx_appender *in, struct ctx_store *st,
    const struct ctx_answer *a, const char *provider, struct ctx_span metadata,
    struct ctx_request *r, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_buf line = CTX_BUF_INIT;
	size_t start = out->n;
	int rc;

	if (is_only_compaction(a))
		return put_compaction_answer(in, st, a, r, out, err);
	put_answer_record(&line, a, provider, metadata, r);
	rc = ctx_append_add(in, ctx_buf_span(&line), NULL, 0, err);
	ctx_buf_release(&line);
	if (rc < 0 || ctx_store_begin(st, err) < 0)
		return -1;
	rc = put_both(in, st, a, r, out, err);
	rc = ctx_store_end(st, rc, err);
	if (rc < 0)
		out->n = start;
	return rc;
}

int
ctx_append_failure(struct ctx_store *st, struct ctx_request *r, const char *why,
    struct ctx_span text, struct ctx_err *err)
{
	struct ctx_buf partial = CTX_BUF_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	forget_failure(r);
	r->status = ctx_mem_str("failed");
	r->error = ctx_mem_str(why);
	if (text.n > 0) {
		ctx_json_print(&partial, "{'role':'assistant','content':%t}", text);
		r->partial_json = ctx_buf_detach(&partial);
	}
	if (ctx_store_begin(st, err) < 0)
		return -1;
	rc = ctx_store_session_find(st, r->session_id, &s, err);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "no session '%s'", r->session_id);
	if (rc == 1 && s.status == CTX_STATUS_DELETED)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is deleted", r->session_id);
	if (rc == 1)
		rc = put_answer_request(st, r, &s, err);
	rc = ctx_store_end(st, rc, err);
	ctx_session_release(&s);
	return rc;
}
