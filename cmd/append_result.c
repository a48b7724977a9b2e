/* ctx-append --result: the result of a call that waits, in the shape of the call's message. */
#include "append.h"

#include <string.h>

#include "store/waiting.h"

int
check_result(int argc, char **argv, struct ctx_err *err)
{
	if (opt.session == NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--result needs -s SID");
	if (opt.request != NULL || cli_flagged(&cli_common.provider))
		return ctx_err_set(
		    err, CTX_EUSAGE, "a result is not an answer: no --request, no -p");
	if (cli_flagged(&opt.role) || opt.call != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--result tells role and call: no --role, no --call-id");
	if (opt.question != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--question and --result cannot be used together");
	if (opt.create || opt.atomic || opt.keep_going)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--result is one message of a session that exists: no --create, --atomic or --keep-going");
	if (opt.text.n > 1)
		return ctx_err_set(err, CTX_EUSAGE, "a result is one --text");
	if (opt.text.n > 0 && (opt.raw || argc > 0))
		return ctx_err_set(
		    err, CTX_EUSAGE, "a result is a --text or a file, not both");
	if (argc > 1)
		return cli_no_operands(argc - 1, argv + 1, err);
	if (argc == 1 && strcmp(argv[0], "-") != 0)
		opt.file = argv[0];
	if (cli_check_form("--result",
		"session text raw result error type metadata id pin if-seq resume max-record "
		"redact redact-rules tokenizer",
		err) < 0)
		return -1;
	return opt.metadata != NULL ? check_metadata(err) : 0;
}

/* Finds the call and adds its result to the batch. Call inside a write transaction, so that no
 * other process answers the call meanwhile. */
static int
append_tool_result(struct ctx_span text, struct ctx_err *err)
{
	struct ctx_calls calls = CTX_CALLS_INIT;
	const struct ctx_call *call;
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, opt.session, &s, err);
	if (rc == 0 && s.status == CTX_STATUS_DELETED)
		rc = cli_deleted(opt.session, err);
	if (rc == 0)
		rc = ctx_store_calls(store, &s, &calls, err);
	if (rc == 0) {
		call = ctx_calls_find(&calls, ctx_span_of(opt.result));
		rc =
		    call == NULL
			? ctx_err_set(err, CTX_EANSWER,
			      "no call '%s' waits in session '%s' (ctx-calls lists those that wait)",
			      opt.result, opt.session)
			: append_add_text(text, "the result", call, err);
	}
	ctx_calls_release(&calls);
	ctx_session_release(&s);
	return rc;
}

int
append_result(struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = append_read_text(&text, err);

	if (rc == 0 && ctx_store_begin(store, err) < 0)
		rc = -1;
	if (rc == 0) {
		rc = append_tool_result(
		    (struct ctx_span){text.n > 0 ? text.p : "", text.n}, err);
		if (rc == 0)
			rc = apply_batch(err);
		ctx_store_rollback(store);
	}
	ctx_buf_release(&text);
	return rc < 0 ? -1 : 0;
}
