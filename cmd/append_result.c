/* ctx-append --result: stores the result of a call that waits for it, in the format of
 * the call's message. */
#include "append.h"

#include <string.h>

#include "store/waiting.h"

int
check_result(struct appending *app, int argc, char **argv, struct ctx_err *err)
{
	if (app->opt.session == NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--result needs -s SID");
	if (app->opt.request != NULL || cli_flagged(&cli_common.provider))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--result cannot be used with --request or -p");
	if (cli_flagged(&app->opt.role) || app->opt.call != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--result cannot be used with --role or --call-id");
	if (cli_check_alone("question result", err) < 0)
		return -1;
	if (app->opt.create || app->opt.atomic || app->opt.keep_going)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--result cannot be used with --create, --atomic or --keep-going");
	if (app->opt.text.n > 1)
		return ctx_err_set(err, CTX_EUSAGE, "--result accepts only one --text");
	if (app->opt.text.n > 0 && (app->opt.raw || argc > 0))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--result accepts --text or a file, not both");
	if (argc > 1)
		return cli_no_operands(argc - 1, argv + 1, err);
	if (argc == 1 && strcmp(argv[0], "-") != 0)
		app->opt.file = argv[0];
	if (cli_check_form("--result",
		"session text raw result error type metadata id pin if-seq resume max-record "
		"redact redact-rules tokenizer",
		err) < 0)
		return -1;
	return app->opt.metadata != NULL ? check_metadata(app, err) : 0;
}

/* Finds the call and adds its result to the batch. Call inside a write transaction, so that
 * no other process answers the call meanwhile. */
static int
append_tool_result(struct appending *app, struct ctx_span text, struct ctx_err *err)
{
	struct ctx_calls calls = CTX_CALLS_INIT;
	const struct ctx_call *call;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = cli_session_open(app->store, app->opt.session, &s, err);

	if (rc == 0)
		rc = ctx_store_calls(app->store, &s, &calls, err);
	call = rc == 0 ? ctx_calls_find(&calls, ctx_span_of(app->opt.result)) : NULL;
	/* it may be an asynchronous call of an earlier turn */
	if (rc == 0 && call == NULL) {
		ctx_calls_release(&calls);
		rc = ctx_store_all_calls(app->store, &s, &calls, err);
	}
	if (rc == 0) {
		call = ctx_calls_find(&calls, ctx_span_of(app->opt.result));
		rc =
		    call == NULL
			? ctx_err_set(err, CTX_EANSWER,
			      "session '%s' has no waiting call '%s' (ctx-calls lists the waiting calls)",
			      app->opt.session, app->opt.result)
			: append_add_text(app, text, "the result", call, err);
	}
	ctx_calls_release(&calls);
	ctx_session_release(&s);
	return rc;
}

int
append_result(struct appending *app, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = append_read_text(app, &text, err);

	if (rc == 0 && ctx_store_begin(app->store, err) < 0)
		rc = -1;
	if (rc == 0) {
		rc = append_tool_result(app, ctx_buf_span(&text), err);
		if (rc == 0)
			rc = apply_batch(app, err);
		ctx_store_rollback(app->store);
	}
	ctx_buf_release(&text);
	return rc < 0 ? -1 : 0;
}
