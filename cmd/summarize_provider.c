/* ctx-summarize: summaries made by a provider. Turns the body of a request into the body
 * of a compaction request, and stores the answer to it as a summary. */
#include "summarize.h"

#include <string.h>

#include "answer/answer.h"
#include "base/io.h"
#include "append/compaction.h"
#include "json/json.h"
#include "provider/compaction.h"
#include "record/request.h"

#define TEXT_MAX ((size_t)256 << 20) /* maximum length in bytes of a body or an answer */

/* Reads the single file operand, or stdin. */
static int
read_provider_input(int argc, char **argv, struct ctx_buf *text, struct ctx_err *err)
{
	if (argc > 1)
		return ctx_err_set(err, CTX_EUSAGE, "--provider accepts only one file");
	if (argc == 0)
		cli_note_terminal();
	return ctx_io_read_file(argc == 0 ? "-" : argv[0], text, TEXT_MAX, err);
}

/* ---- the request ---- */

static int
print_compaction_body(struct summarizing *sum, enum ctx_provider provider,
    struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_buf body = CTX_BUF_INIT;
	struct ctx_span object;
	int rc = ctx_json_check(ctx_buf_span(text), &object, NULL, err);

	if (rc == 0 && ctx_json_type(object) != CTX_JSON_OBJECT)
		rc = ctx_err_set(err, CTX_EINPUT, "not a JSON object");
	if (rc < 0)
		return ctx_err_prefix(err, "the body");
	rc = ctx_compaction_body(&body, provider, object, sum->opt.instructions, err);
	if (rc == 0 && sum->opt.headers != NULL)
		rc = cli_write_headers(
		    sum->opt.headers, ctx_buf_span(&body), provider, err);
	if (rc == 0) {
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&body));
		ctx_buf_addc(&cli_out.buf, '\n');
		rc = cli_flush(err);
	}
	ctx_buf_release(&body);
	return rc;
}

/* ---- the answer ---- */

static int
read_compaction_request(
    struct summarizing *sum, struct ctx_request *r, struct ctx_err *err)
{
	int rc = cli_read_request(sum->opt.request, r, err);

	if (rc == 0 && (r->session_id == NULL || r->for_seq < 1))
		rc = ctx_err_set(err, CTX_EINPUT, "%s: session_id or for_seq is missing",
		    sum->opt.request);
	if (rc == 0 && sum->opt.session.n > 0 &&
	    (sum->opt.session.n > 1 || strcmp(sum->opt.session.v[0], r->session_id) != 0))
		rc = ctx_err_set(err, CTX_EUSAGE,
		    "the request belongs to session '%s', but -s names another session",
		    r->session_id);
	return rc;
}

/* Parses the answer to a compaction request, in the API's format for compactions or as an
 * ordinary answer. Fails with CTX_EIO if it is an error, with the provider's message, or
 * has no compaction. */
static int
read_compaction_answer(enum ctx_provider provider, struct ctx_buf *text,
    struct ctx_answer *a, struct ctx_err *err)
{
	struct ctx_answer_reader *reader;
	struct ctx_span json, block;
	int rc;

	if (ctx_json_check(ctx_buf_span(text), &json, NULL, NULL) == 0 &&
	    ctx_compaction_items(provider, json, &a->message)) {
		ctx_buf_addspan(&a->usage, ctx_json_get(json, "usage"));
		return 0;
	}
	reader = ctx_answer_reader_new(provider, NULL, NULL);
	rc = ctx_answer_feed(reader, text->p, text->n, err);
	if (rc == 0)
		rc = ctx_answer_finish(reader, a, err);
	ctx_answer_reader_free(reader);
	if (rc == 0 && ctx_compaction_find(ctx_buf_span(&a->message), &block) < 0)
		rc = ctx_err_set(err, CTX_EIO, "the answer contains no compaction (%s)",
		    a->stop_reason == NULL ? "no stop reason" : a->stop_reason);
	return rc;
}

static int
store_compaction(struct summarizing *sum, const struct ctx_request *r,
    const struct ctx_answer *a, struct ctx_err *err)
{
	struct ctx_compaction c = {.message = ctx_buf_span(&a->message),
	    .for_seq = r->for_seq,
	    .request_id = r->request_id,
	    .model = a->model,
	    .usage = a->usage.n > 0 ? ctx_buf_span(&a->usage) : CTX_SPAN_NONE,
	    .now = sum->opt.s.now};
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_begin(sum->store, err);

	if (rc == 0)
		rc = ctx_store_session_active(sum->store, r->session_id, &s, err);
	if (rc == 0)
		rc = ctx_append_compaction(sum->store, &s, &c, &cli_out.buf, err);
	if (rc == 0 && !sum->opt.s.dry_run)
		rc = ctx_store_commit(sum->store, err);
	ctx_store_rollback(sum->store);
	ctx_session_release(&s);
	return rc == 0 ? cli_flush(err) : -1;
}

static int
take_compaction_answer(struct summarizing *sum, enum ctx_provider provider,
    struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_answer a = CTX_ANSWER_INIT;
	struct ctx_request r = CTX_REQUEST_INIT;
	int rc = -1;

	if (read_compaction_request(sum, &r, err) == 0 &&
	    read_compaction_answer(provider, text, &a, err) == 0 &&
	    cli_store_open(&sum->store, 0, err) == 0 &&
	    (r.tenant_id == NULL || cli_see_tenant(sum->store, r.tenant_id, err) == 0))
		rc = store_compaction(sum, &r, &a, err);
	ctx_store_close(sum->store);
	ctx_answer_release(&a);
	ctx_request_release(&r);
	return rc;
}

int
summarize_by_provider(struct summarizing *sum, int argc, char **argv, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int provider = ctx_provider_parse(sum->opt.provider), rc;

	if (provider < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--provider: '%s' is not anthropic or responses", sum->opt.provider);
	if (sum->opt.request == NULL && sum->opt.session.n > 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--provider with -s needs --request FILE, the record of the request");
	if (sum->opt.request != NULL &&
	    (sum->opt.instructions != NULL || sum->opt.headers != NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--request, which stores an answer, cannot be used with --instructions or --headers");
	rc = read_provider_input(argc, argv, &text, err);
	if (rc == 0 && sum->opt.request == NULL)
		rc = print_compaction_body(sum, (enum ctx_provider)provider, &text, err);
	else if (rc == 0)
		rc = take_compaction_answer(sum, (enum ctx_provider)provider, &text, err);
	ctx_buf_release(&text);
	return rc;
}
