/* ctx-append: the answer of a provider, maybe to a request. */
#include "append.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/time.h"
#include "base/visible.h"
#include "ingest/answer.h"

#define REQUEST_MAX ((size_t)64 << 20)

/* arg: whether something was shown. */
static void
show_text(void *arg, struct ctx_span piece)
{
	struct ctx_buf safe = CTX_BUF_INIT;
	struct ctx_err ignored;

	*(bool *)arg |= piece.n > 0;
	ctx_visible_add(&safe, piece);
	ctx_io_write(STDERR_FILENO, safe.p, safe.n, "stderr", &ignored);
	ctx_buf_release(&safe);
}

/* Read the whole answer. CTX_EIO: the provider gave none. */
static int
read_answer(enum ctx_provider provider, struct ctx_answer *a, struct ctx_err *err)
{
	static char chunk[65536];
	bool shown = false;
	struct ctx_answer_reader *r = ctx_answer_reader_new(
	    provider, opt.echo ? show_text : NULL, &shown);
	int rc = 0;
	long n;

	while (rc == 0 && (n = ctx_io_read(STDIN_FILENO, chunk, sizeof(chunk))) != 0) {
		if (n < 0)
			rc = ctx_err_sys(err, CTX_EIO, errno, "cannot read stdin");
		else
			rc = ctx_answer_feed(r, chunk, (size_t)n, err);
	}
	if (rc == 0)
		rc = ctx_answer_finish(r, a, err);
	ctx_answer_reader_free(r);
	if (opt.echo && (rc == 0 || shown)) /* an error begins a line of its own */
		show_text(&shown, ctx_span_of("\n"));
	return rc;
}

static int
read_request(struct ctx_request *r, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_record rec;
	int rc;

	rc = ctx_io_read_file(opt.request, &text, REQUEST_MAX, err);
	if (rc == 0 && text.n == 0)
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%s: no request record (ctx-render --request writes one)",
		    opt.request);
	if (rc == 0 && (ctx_record_parse(&rec, ctx_buf_span(&text), err) < 0 ||
			   (rec.kind != CTX_KIND_REQUEST &&
			       ctx_err_set(err, CTX_EINPUT, "no request record") < 0) ||
			   ctx_request_parse(r, rec.line, err) < 0))
		rc = ctx_err_prefix(err, "%s", opt.request);
	if (rc == 0 && (r->request_id == NULL || r->session_id == NULL))
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%s: request_id or session_id is missing", opt.request);
	if (rc == 0 && r->created_at == CTX_TIME_NONE)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "%s: created_at is missing", opt.request);
	ctx_buf_release(&text);
	return rc;
}

/* A request without tenant is of a session of no tenant where there is one, or one that was
 * made before requests told of their tenants: of the only session of its id. */
static int
see_tenant_of(const struct ctx_request *r, struct ctx_err *err)
{
	const char *tenant = r->tenant_id;
	struct ctx_session s;
	int rc = 0;

	if (tenant == NULL && r->session_id != NULL && cli_common.tenant == NULL) {
		ctx_session_init(&s);
		rc = ctx_store_session_of(store, "", r->session_id, &s, err);
		ctx_session_release(&s);
		tenant = rc == 1 ? "" : NULL;
	}
	if (rc >= 0 && tenant != NULL && (rc = cli_see_tenant(tenant, err)) < 0)
		ctx_err_prefix(err, "%s", opt.request);
	return rc < 0 ? -1 : 0;
}

/* Before the answer is read: a session that is to be made for it. */
static int
check_made(const struct ctx_request *r, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	if (!opt.create || opt.request == NULL)
		return 0;
	ctx_session_init(&s);
	rc = ctx_store_session_find(store, r->session_id, &s, err);
	ctx_session_release(&s);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	s.session_id = r->session_id;
	s.tenant_id = r->tenant_id;
	return ctx_session_check(&s, err) < 0 ? ctx_err_prefix(err, "%s", opt.request)
					      : 0;
}

/* What was stored, but is not all that an answer should be. */
static void
warn_ending(const struct ctx_answer *a)
{
	if (a->ending == CTX_ENDING_REFUSED)
		cli_warn("the answer was refused (%s); it is stored, with what was said",
		    a->stop_reason);
	else if (a->ending == CTX_ENDING_PARTIAL)
		cli_warn("the answer is not whole (%s); it is stored as it came",
		    a->stop_reason);
}

static void
keep_failure(struct ctx_request *r, const char *why)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_ingest_failure(store, r, why, &err) < 0)
		cli_warn("the failed request is not kept: %s", err.msg);
}

static int
redact_answer(struct ctx_answer *a, struct ctx_err *err)
{
	struct ctx_span message = ctx_buf_span(&a->message);

	if (cli_redact_json(&message, err) < 0)
		return -1;
	if (message.p != a->message.p) {
		ctx_buf_reset(&a->message);
		ctx_buf_addspan(&a->message, message);
	}
	return 0;
}

int
append_answer(struct ctx_err *err)
{
	struct ctx_answer a = CTX_ANSWER_INIT;
	struct ctx_request r;
	int provider, rc;

	ctx_request_init(&r);
	rc = opt.request != NULL ? read_request(&r, err) : 0;
	if (rc == 0 && r.provider != NULL && !cli_flagged(&cli_common.provider))
		cli_common.provider = r.provider;
	if (rc == 0)
		rc = cli_provider(&provider, true, err);
	if (rc == 0 && opt.session == NULL)
		ingest.o.session = r.session_id;
	if (rc == 0 && opt.session != NULL && r.session_id != NULL &&
	    strcmp(opt.session, r.session_id) != 0)
		rc = ctx_err_set(
		    err, CTX_EUSAGE, "the request belongs to session '%s'", r.session_id);
	if (rc == 0 && ingest.o.session == NULL)
		rc = ctx_err_set(err, CTX_EUSAGE, "-p without --request needs -s SID");
	if (rc == 0)
		rc = see_tenant_of(&r, err);
	if (rc == 0)
		rc = check_session(err);
	if (rc == 0)
		rc = check_made(&r, err);
	if (rc == 0 && opt.session == NULL)
		rc = resume(ingest.o.session, err);
	if (rc == 0) {
		rc = read_answer((enum ctx_provider)provider, &a, err);
		if (rc < 0 && r.request_id != NULL)
			keep_failure(&r, err->msg);
	}
	if (rc == 0)
		rc = redact_answer(&a, err);
	if (rc == 0)
		rc = ctx_ingest_answer(&ingest, store, &a, (enum ctx_provider)provider,
		    &r, &cli_out.buf, err);
	if (rc == 0)
		acknowledge();
	if (rc == 0)
		warn_ending(&a);
	ctx_answer_release(&a);
	ctx_request_release(&r);
	return rc;
}
