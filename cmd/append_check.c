/* ctx-append: which options go together. */
#include "append.h"

#include <string.h>

/* What a session that is made would get of them. */
static int
check_ids(struct ctx_err *err)
{
	if (opt.user != NULL && cli_check_id(opt.user, "user", err) < 0)
		return -1;
	if (opt.agent != NULL && cli_check_id(opt.agent, "agent", err) < 0)
		return -1;
	if (!opt.create)
		return 0;
	if (opt.session != NULL && cli_check_id(opt.session, "session id", err) < 0)
		return -1;
	return cli_check_tenant(err);
}

static int
check_print(bool answer, struct ctx_err *err)
{
	if (opt.print == NULL)
		return 0;
	if (!append_prints_text() && strcmp(opt.print, "record") != 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--print: '%s' is not record or text", opt.print);
	if (append_prints_text() && !answer)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--print text goes with an answer (--request or -p)");
	return 0;
}

static int
check_question(bool given, bool answer, struct ctx_err *err)
{
	if (!given && !answer)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--question goes with its answer: -t TEXT, --raw, --request or -p");
	if (opt.text.n > 1)
		return ctx_err_set(err, CTX_EUSAGE, "--question has one answer");
	if (opt.id != NULL || opt.type != NULL || opt.call != NULL ||
	    cli_flagged(&opt.role))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--question takes no --id, --type, --role or --call-id");
	return 0;
}

static int
check_append_form(bool text, bool answer, struct ctx_err *err)
{
	if (cli_check_needs(&opt.user, opt.create, "--create", err) < 0 ||
	    cli_check_needs(&opt.agent, opt.create, "--create", err) < 0 ||
	    cli_check_needs(&opt.ttl, opt.create, "--create", err) < 0)
		return -1;
	if (answer)
		return cli_check_form("an answer",
		    "session text raw question role metadata pin create resume user agent ttl if-seq "
		    "atomic max-record request provider echo print redact redact-rules tokenizer",
		    err);
	if (text)
		return cli_check_form("--text and --raw",
		    "session text raw question role id call-id type metadata pin create resume user "
		    "agent ttl if-seq atomic max-record redact redact-rules tokenizer",
		    err);
	return cli_check_form("input in lines",
	    "session pin create resume user agent ttl if-seq atomic keep-going rejects "
	    "max-record redact redact-rules tokenizer",
	    err);
}

int
append_check_options(int argc, char **argv, struct ctx_err *err)
{
	bool given = opt.text.n > 0 || opt.raw;
	bool answer = opt.request != NULL || cli_flagged(&cli_common.provider);
	bool text = given && !answer;

	if (opt.session == NULL && (text || opt.result != NULL))
		opt.session = cli_session_default();
	if (check_print(answer, err) < 0)
		return -1;
	if (opt.result != NULL)
		return check_result(argc, argv, err);
	if (opt.error)
		return ctx_err_set(err, CTX_EUSAGE, "--error goes with --result");
	if (answer && !given && argc > 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s': the answer is read from standard input (< %s)", argv[0],
		    argv[0]);
	if ((given || answer) && cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt.question != NULL && check_question(given, answer, err) < 0)
		return -1;
	if (given && answer && opt.request == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--text and --raw take no -p: --request FILE makes them an answer");
	if (answer && cli_flagged(&opt.role) && strcmp(opt.role, "assistant") != 0)
		return ctx_err_set(err, CTX_EUSAGE, "an answer is the assistant's");
	if (opt.text.n > 1 && answer)
		return ctx_err_set(err, CTX_EUSAGE, "an answer is one --text");
	if (opt.text.n > 0 && opt.raw)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--text and --raw exclude each other");
	if (text && opt.session == NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--text and --raw need -s SID");
	if (text && check_text(err) < 0)
		return -1;
	if (opt.metadata != NULL && check_metadata(err) < 0)
		return -1;
	if (!text && (opt.id != NULL || opt.type != NULL || opt.call != NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--id, --call-id and --type go with --text or --raw");
	if (!text && !answer && opt.metadata != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--metadata goes with --text, --raw or an answer");
	if (opt.rejects != NULL && !opt.keep_going)
		return ctx_err_set(err, CTX_EUSAGE, "--rejects goes with --keep-going");
	if (opt.keep_going && (opt.atomic || opt.if_seq >= 0))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--keep-going and --atomic exclude each other");
	if (check_ids(err) < 0 || check_append_form(text, answer, err) < 0)
		return -1;
	return answer;
}
