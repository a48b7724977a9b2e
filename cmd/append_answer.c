/* ctx-append: stores a provider's answer, with or without its request. */
#include "append.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "append/answer.h"
#include "base/io.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"

/* ---- interruption ---- If a signal ends the command, the part of the answer that has
 * arrived is stored first. Signals are blocked except while the command waits for
 * input. */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t caught;
static sigset_t outside; /* the signal mask before */

static void
note_signal(int sig)
{
	caught = sig;
}

static void
catch_signals(void)
{
	struct sigaction act = {.sa_handler = note_signal}, old;
	sigset_t inside;

	sigemptyset(&inside);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &act, NULL);
		sigaddset(&inside, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &inside, &outside);
}

/* Restores the default handling of signals, so that the pending signal ends the
 * process. */
static void
release_signals(void)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old, plain = {.sa_handler = SIG_DFL};
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler == note_signal)
			sigaction(signals[i], &plain, NULL);
	}
	sigprocmask(SIG_SETMASK, &outside, NULL);
	if (caught != 0)
		raise(caught);
}

/* Reads from stdin as read(2) does. Fails with CTX_EIO if a signal arrived first. */
static long
read_input(char *chunk, size_t size, bool catching, struct ctx_err *err)
{
	fd_set in;
	long n;

	while (catching && caught == 0) {
		FD_ZERO(&in);
		FD_SET(STDIN_FILENO, &in);
		if (pselect(1, &in, NULL, NULL, NULL, &outside) >= 0 || errno != EINTR)
			break;
	}
	if (caught != 0)
		return ctx_err_set(
		    err, CTX_EIO, "the answer was interrupted: %s", strsignal(caught));
	n = ctx_io_read(STDIN_FILENO, chunk, size);
	if (n < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot read stdin");
	return n;
}

/* ---- reading the answer ---- */

static void
show_text(struct ctx_span piece)
{
	struct ctx_buf safe = CTX_BUF_INIT;

	ctx_visible_add(&safe, piece);
	ctx_io_write(STDERR_FILENO, safe.p, safe.n, "stderr", NULL);
	ctx_buf_release(&safe);
}

/* Prints the answer's text on stdout; if that is a terminal, made safe for it. */
static void
print_answer_text(struct appending *app, struct ctx_span piece)
{
	static int terminal = -1;

	if (terminal < 0)
		terminal = isatty(STDOUT_FILENO);
	if (terminal)
		ctx_visible_add(&cli_out.buf, piece);
	else
		ctx_buf_addspan(&cli_out.buf, piece);
	print_pending(app);
}

struct answer_text {
	struct appending *app;
	struct ctx_buf *text; /* text received so far */
};

static void
take_answer_text(void *arg, struct ctx_span piece)
{
	const struct answer_text *answer = arg;

	ctx_buf_addspan(answer->text, piece);
	if (append_prints_text(answer->app))
		print_answer_text(answer->app, piece);
	if (answer->app->opt.echo)
		show_text(piece);
}

/* Reads the whole answer. Its text is stored in *text, even if reading fails halfway.
 * Fails with CTX_EIO if the provider did not answer or, with catching, if a signal
 * arrived. */
static int
read_answer(struct appending *app, enum ctx_provider provider, struct ctx_answer *a,
    struct ctx_buf *text, bool catching, struct ctx_err *err)
{
	static char chunk[65536];
	struct answer_text answer = {app, text};
	struct ctx_answer_reader *r = ctx_answer_reader_new(
	    provider, take_answer_text, &answer);
	int rc = 0;
	long n;

	while (rc == 0 && (n = read_input(chunk, sizeof(chunk), catching, err)) != 0)
		rc = n < 0 ? -1 : ctx_answer_feed(r, chunk, (size_t)n, err);
	if (rc == 0)
		rc = ctx_answer_finish(r, a, err);
	ctx_answer_reader_free(r);
	if (append_prints_text(app) && text->n > 0)
		print_answer_text(app, ctx_span_of("\n"));
	if (app->opt.echo &&
	    (rc == 0 || text->n > 0)) /* an error message begins on a new line */
		show_text(ctx_span_of("\n"));
	return rc;
}

static int
read_answer_request(struct appending *app, struct ctx_request *r, struct ctx_err *err)
{
	int rc = cli_read_request(app->opt.request, r, err);

	if (rc == 0 && (r->request_id == NULL || r->session_id == NULL))
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%s: request_id or session_id is missing", app->opt.request);
	if (rc == 0 && r->created_at == CTX_TIME_NONE)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "%s: created_at is missing", app->opt.request);
	return rc;
}

/* Reads the answer of a model that reads and writes plain text: the whole input. Fails
 * with CTX_EIO if it is empty. */
static int
read_answer_text(struct appending *app, struct ctx_answer *a, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = append_read_text(app, &text, err);

	if (rc == 0 && ctx_span_trim(ctx_buf_span(&text)).n == 0)
		rc = ctx_err_set(err, CTX_EIO, "the answer is empty");
	if (rc == 0)
		ctx_json_print(&a->message, "{'role':'assistant','content':%t}",
		    ctx_buf_span(&text));
	if (rc == 0 && append_prints_text(app)) {
		print_answer_text(app, ctx_buf_span(&text));
		print_answer_text(app, ctx_span_of("\n"));
	}
	if (rc == 0 && app->opt.echo) {
		show_text(ctx_buf_span(&text));
		show_text(ctx_span_of("\n"));
	}
	ctx_buf_release(&text);
	return rc;
}

/* Determines the provider of the answer. For an answer that is plain text, *provider is
 * -1 and only *name is set. */
static int
find_provider(struct appending *app, const struct ctx_request *r, int *provider,
    const char **name, struct ctx_err *err)
{
	*provider = -1;
	*name = r->provider;
	if (app->opt.text.n > 0 || app->opt.raw)
		return 0;
	if (r->provider != NULL && !cli_flagged(&cli_common.provider)) {
		if (ctx_provider_parse(r->provider) < 0)
			return ctx_err_set(err, CTX_EUSAGE,
			    "the request was rendered as '%s', so the answer is plain text: append it with --raw",
			    r->provider);
		cli_common.provider = r->provider;
	}
	if (cli_provider(provider, true, err) < 0)
		return -1;
	*name = ctx_provider_name((enum ctx_provider) * provider);
	return 0;
}

/* If the request has no tenant, the session is one without a tenant, if it exists; else
 * the only session with that id, because older request records did not name their
 * tenants. */
int
append_see_tenant(struct appending *app, const struct ctx_request *r, struct ctx_err *err)
{
	const char *tenant = r->tenant_id;
	struct ctx_session s;
	int rc = 0;

	if (tenant == NULL && r->session_id != NULL && cli_common.tenant == NULL) {
		ctx_session_init(&s);
		rc = ctx_store_session_of(app->store, "", r->session_id, &s, err);
		ctx_session_release(&s);
		tenant = rc == 1 ? "" : NULL;
	}
	if (rc >= 0 && tenant != NULL &&
	    (rc = cli_see_tenant(app->store, tenant, err)) < 0)
		ctx_err_prefix(err, "%s", app->opt.request);
	return rc < 0 ? -1 : 0;
}

/* Checks, before the answer is read, a session that will be created for it. */
static int
check_made(struct appending *app, const struct ctx_request *r, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	if (!app->opt.create || app->opt.request == NULL)
		return 0;
	rc = ctx_store_session_find(app->store, r->session_id, &s, err);
	ctx_session_release(&s);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	s.session_id = r->session_id;
	s.tenant_id = r->tenant_id;
	return ctx_session_check(&s, err) < 0
		   ? ctx_err_prefix(err, "%s", app->opt.request)
		   : 0;
}

/* Warns if the stored answer is incomplete, or is only one of several. */
static void
warn_ending(const struct ctx_answer *a)
{
	if (a->ending == CTX_ENDING_REFUSED)
		cli_warn("the answer was refused (%s); the text received is stored",
		    a->stop_reason);
	else if (a->ending == CTX_ENDING_PARTIAL)
		cli_warn("the answer is incomplete (%s); it is stored as received",
		    a->stop_reason);
	if (a->choices > 1)
		cli_warn(
		    "the answer has %zu choices: only the first is stored", a->choices);
	if (a->followed)
		cli_warn("the stream contains another answer: only the first is stored");
	if (a->cut)
		cli_warn(
		    "the last tool call of the answer is truncated: it needs no result and will not be sent");
}

/* With --redact, replaces secrets in text that is not JSON yet. */
static int
redact_text(struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_buf json = CTX_BUF_INIT;
	struct ctx_span message;
	int rc;

	ctx_json_print(&json, "{'content':%t}", ctx_buf_span(text));
	message = ctx_buf_span(&json);
	rc = cli_redact_json(&message, err);
	ctx_buf_reset(text);
	if (rc == 0)
		ctx_json_decode(ctx_json_get(message, "content"), text);
	ctx_buf_release(&json);
	return rc;
}

void
append_keep_failure(
    struct appending *app, struct ctx_request *r, const char *why, struct ctx_buf *text)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf reason = CTX_BUF_INIT;

	ctx_buf_adds(&reason, why);
	if (redact_text(text, &err) < 0 || redact_text(&reason, &err) < 0 ||
	    ctx_append_failure(app->store, r, reason.p, ctx_buf_span(text), &err) < 0)
		cli_warn("the failed request was not stored: %s", err.msg);
	ctx_buf_release(&reason);
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
append_store_answer(struct appending *app, struct ctx_answer *a, int provider,
    const char *name, struct ctx_request *r, struct ctx_err *err)
{
	int rc = append_restore_names(app, a, provider, r, err);

	if (rc == 0)
		rc = redact_answer(a, err);
	if (rc == 0 && app->opt.question != NULL)
		rc = append_question(app, r->request_id, err);
	if (rc == 0)
		rc = ctx_append_answer(&app->appender, app->store, a, name,
		    ctx_span_of(app->opt.metadata), r, &cli_out.buf, err);
	if (rc == 0)
		acknowledge(app);
	if (rc == 0)
		warn_ending(a);
	return rc;
}

/* Reads the answer to the request and stores both. name is the provider's name; provider
 * is -1 for an answer that is plain text. */
static int
take_answer(struct appending *app, int provider, const char *name, struct ctx_request *r,
    struct ctx_err *err)
{
	struct ctx_answer a = CTX_ANSWER_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	bool kept = r->request_id != NULL;
	int rc;

	if (kept)
		catch_signals();
	rc = provider < 0
		 ? read_answer_text(app, &a, err)
		 : read_answer(app, (enum ctx_provider)provider, &a, &text, kept, err);
	if (rc < 0 && kept)
		append_keep_failure(app, r, err->msg, &text);
	if (rc == 0)
		rc = append_store_answer(app, &a, provider, name, r, err);
	if (caught != 0)
		cli_error(err);
	if (kept)
		release_signals();
	ctx_buf_release(&text);
	ctx_answer_release(&a);
	return rc;
}

int
append_answer(struct appending *app, struct ctx_err *err)
{
	struct ctx_request r = CTX_REQUEST_INIT;
	const char *name;
	int provider;
	int rc = app->opt.request != NULL ? read_answer_request(app, &r, err) : 0;

	if (rc == 0)
		rc = find_provider(app, &r, &provider, &name, err);
	if (rc == 0 && app->opt.session == NULL)
		app->appender.o.session = r.session_id;
	if (rc == 0 && app->opt.session != NULL && r.session_id != NULL &&
	    strcmp(app->opt.session, r.session_id) != 0)
		rc = ctx_err_set(err, CTX_EUSAGE,
		    "the request belongs to session '%s', but -s names another session",
		    r.session_id);
	if (rc == 0 && app->appender.o.session == NULL)
		rc = ctx_err_set(err, CTX_EUSAGE, "-p without --request needs -s SID");
	if (rc == 0)
		rc = append_see_tenant(app, &r, err);
	if (rc == 0)
		rc = check_session(app, err);
	if (rc == 0)
		rc = check_made(app, &r, err);
	if (rc == 0 && app->opt.session == NULL)
		rc = resume(app, app->appender.o.session, err);
	if (rc == 0)
		rc = take_answer(app, provider, name, &r, err);
	ctx_request_release(&r);
	return rc;
}
