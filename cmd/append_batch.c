/* ctx-append: stores the results of a batch, which may be in any order, each with its
 * request. */
#include "append.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"

#define REQUESTS_MAX ((size_t)1 << 30)

/* A request of the batch, from the file of request records. */
struct batch_request {
	struct ctx_span id; /* JSON string */
	struct ctx_span record;
};

struct batch {
	struct ctx_buf text;
	struct batch_request *v; /* sorted by id */
	size_t n, cap;
	long failed;
};

int
append_check_batch(struct appending *app, struct ctx_err *err)
{
	if (app->opt.request == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--batch needs --request FILE, the file that ctx-render --batch wrote");
	if (app->opt.session != NULL || app->opt.text.n > 0 || app->opt.raw ||
	    app->opt.result != NULL || app->opt.question != NULL ||
	    app->opt.print != NULL || app->opt.echo || app->opt.create ||
	    cli_flagged(&cli_common.provider))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--batch cannot be used with -s, -p, -t, --raw, --result, --question, --create, --echo or --print (the requests name session and provider)");
	if (cli_check_form("--batch",
		"batch request metadata pin max-record redact redact-rules tokenizer",
		err) < 0)
		return -1;
	return app->opt.metadata != NULL ? check_metadata(app, err) : 0;
}

/* ---- the requests ---- */

static int
compare_batch_ids(const void *a, const void *b)
{
	struct ctx_span x = ((const struct batch_request *)a)->id;
	struct ctx_span y = ((const struct batch_request *)b)->id;
	int c = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

	return c != 0 ? c : (x.n > y.n) - (x.n < y.n);
}

static int
read_batch_requests(struct batch *b, const char *path, struct ctx_err *err)
{
	int rc = ctx_io_read_file(path, &b->text, REQUESTS_MAX, err);
	struct ctx_span rest = ctx_span_trim(ctx_buf_span(&b->text));

	while (rc == 0 && rest.n > 0) {
		struct batch_request r;
		rc = ctx_json_check_next(rest, &r.record, &rest, err);
		if (rc < 0)
			break;
		r.id = ctx_json_get(r.record, "request_id");
		if (!ctx_json_is(ctx_json_get(r.record, "kind"), "request") ||
		    ctx_json_type(r.id) != CTX_JSON_STRING)
			rc = ctx_err_set(err, CTX_EINPUT,
			    "record %zu is not a request record", b->n + 1);
		CTX_MEM_GROW(b->v, b->n, b->cap);
		b->v[b->n++] = r;
		rest = ctx_span_trim(rest);
	}
	if (rc == 0 && b->n == 0)
		rc = ctx_err_set(err, CTX_EINPUT, "not a request record");
	if (rc == 0)
		qsort(b->v, b->n, sizeof(*b->v), compare_batch_ids);
	return rc < 0 ? ctx_err_prefix(err, "%s", path) : 0;
}

/* ---- a result ---- */

struct result {
	struct ctx_span body;  /* body of the answer; if it is absent: */
	struct ctx_buf reason; /* the reason why there is no answer */
};

/* Appends the message of an error: {"type","message"}, {"code","message"}, or an object
 * with one of these as "error". */
static void
put_batch_error(struct ctx_buf *out, const char *what, struct ctx_span error)
{
	struct ctx_span inner = ctx_json_get(error, "error"), message, kind;

	if (ctx_json_type(inner) == CTX_JSON_OBJECT)
		error = inner;
	kind = ctx_json_get(error, "type");
	if (ctx_json_type(kind) != CTX_JSON_STRING)
		kind = ctx_json_get(error, "code");
	message = ctx_json_get(error, "message");
	ctx_buf_adds(out, what);
	if (ctx_json_type(kind) == CTX_JSON_STRING) {
		ctx_buf_adds(out, ": ");
		ctx_json_decode(kind, out);
	}
	if (ctx_json_type(message) == CTX_JSON_STRING) {
		ctx_buf_adds(out, ": ");
		ctx_json_decode(message, out);
	}
}

/* Reads one result of a batch. Anthropic puts it into the member "result". Other APIs use
 * the members "response" and "error"; with some of them, a response has no status. */
static void
read_result(struct result *r, struct ctx_span line)
{
	struct ctx_span result = ctx_json_get(line, "result");
	struct ctx_span response = ctx_json_get(line, "response");
	struct ctx_span error = ctx_json_get(line, "error");
	struct ctx_span type = ctx_json_get(result, "type");

	r->body = CTX_SPAN_NONE;
	if (ctx_json_type(result) == CTX_JSON_OBJECT) {
		r->body = ctx_json_get(result, "message");
		if (r->body.p == NULL) {
			struct ctx_buf what = CTX_BUF_INIT;
			ctx_json_decode(type, &what);
			put_batch_error(&r->reason, what.n > 0 ? what.p : "no result",
			    ctx_json_get(result, "error"));
			ctx_buf_release(&what);
		}
	} else if (ctx_json_type(error) == CTX_JSON_OBJECT) {
		put_batch_error(&r->reason,
		    "the batch results contain no answer to this request", error);
	} else if (ctx_json_type(response) == CTX_JSON_OBJECT) {
		struct ctx_span body = ctx_json_get(response, "body");
		r->body = body.p != NULL ? body : response;
	} else {
		ctx_buf_adds(
		    &r->reason, "the batch results contain no answer to this request");
	}
}

static int
parse_result_answer(struct ctx_answer *a, struct ctx_span body,
    enum ctx_provider provider, struct ctx_err *err)
{
	struct ctx_answer_reader *reader = ctx_answer_reader_new(provider, NULL, NULL);
	int rc = ctx_answer_feed(reader, body.p, body.n, err);

	if (rc == 0)
		rc = ctx_answer_finish(reader, a, err);
	ctx_answer_reader_free(reader);
	return rc;
}

/* Stores the answer, or the failure. */
static int
store_result(struct appending *app, struct batch *b, struct ctx_request *r,
    struct result *result, struct ctx_err *err)
{
	struct ctx_answer a = CTX_ANSWER_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err why = CTX_ERR_INIT;
	int provider = r->provider == NULL ? -1 : ctx_provider_parse(r->provider);
	int rc = 0;

	if (provider < 0)
		return ctx_err_set(
		    err, CTX_EINPUT, "the request names no known provider");
	app->appender.o.session = r->session_id;
	if (append_see_tenant(app, r, err) < 0 || resume(app, r->session_id, err) < 0)
		return -1;
	if (result->body.p != NULL && parse_result_answer(&a, result->body,
					  (enum ctx_provider)provider, &why) == 0) {
		rc = append_store_answer(app, &a, provider,
		    ctx_provider_name((enum ctx_provider)provider), r, err);
	} else {
		if (result->body.p != NULL)
			ctx_buf_adds(&result->reason, why.msg);
		append_keep_failure(app, r, result->reason.p, &text);
		cli_warn("request %s: %s", r->request_id, result->reason.p);
		b->failed++;
	}
	ctx_buf_release(&text);
	ctx_answer_release(&a);
	return rc;
}

static int
take_result(
    struct appending *app, struct batch *b, struct ctx_span line, struct ctx_err *err)
{
	struct batch_request key, *found;
	struct result result = {.reason = CTX_BUF_INIT};
	struct ctx_request r = CTX_REQUEST_INIT;
	int rc = 0;

	if (ctx_json_check(line, NULL, NULL, err) < 0)
		return -1;
	key.id = ctx_json_get(line, "custom_id");
	if (key.id.p == NULL)
		key.id = ctx_json_get(line, "key");
	if (ctx_json_type(key.id) != CTX_JSON_STRING)
		return ctx_err_set(
		    err, CTX_EINPUT, "the result has neither \"custom_id\" nor \"key\"");
	found = bsearch(&key, b->v, b->n, sizeof(*b->v), compare_batch_ids);
	if (found == NULL)
		return ctx_err_set(err, CTX_EINPUT, "no request %.*s in '%s'",
		    (int)(key.id.n > 100 ? 100 : key.id.n), key.id.p, app->opt.request);
	rc = ctx_request_parse(&r, found->record, err);
	if (rc == 0 && r.session_id == NULL)
		rc = ctx_err_set(err, CTX_EINPUT, "the request has no session_id");
	read_result(&result, line);
	if (rc == 0)
		rc = store_result(app, b, &r, &result, err);
	app->appender.o.session = NULL;
	ctx_buf_release(&result.reason);
	ctx_request_release(&r);
	return rc;
}

int
append_batch(struct appending *app, int argc, char **argv, struct ctx_err *err)
{
	struct batch b = {.n = 0};
	struct ctx_span line;
	int rc = read_batch_requests(&b, app->opt.request, err);

	cli_input_open(&app->input, argc, argv);
	app->input.max_record = (size_t)app->opt.max_record;
	while (rc == 0 && (rc = cli_input_next(&app->input, &line, err)) == 1)
		if ((rc = take_result(app, &b, line, err)) < 0) {
			if (err->code == CTX_EINPUT)
				cli_input_blame(&app->input, err);
			break;
		}
	if (rc == 0 && b.failed > 0)
		rc = ctx_err_set(err, CTX_EIO, "%ld request%s of the batch failed",
		    b.failed, b.failed == 1 ? "" : "s");
	free(b.v);
	ctx_buf_release(&b.text);
	return rc;
}
