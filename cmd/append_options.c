/* ctx-append: checks which options can be used together. */
#include "append.h"

#include <string.h>

/* Checks the ids that would be stored in messages or in a session that is created. */
static int
check_ids(struct appending *app, struct ctx_err *err)
{
	if (app->opt.user != NULL && cli_check_id(app->opt.user, "user", err) < 0)
		return -1;
	if (app->opt.agent != NULL && cli_check_id(app->opt.agent, "agent", err) < 0)
		return -1;
	if (app->opt.id != NULL && cli_check_id(app->opt.id, "record id", err) < 0)
		return -1;
	if (!app->opt.create)
		return 0;
	if (app->opt.session != NULL &&
	    cli_check_id(app->opt.session, "session id", err) < 0)
		return -1;
	return cli_check_tenant(err);
}

bool
append_prints_text(struct appending *app)
{
	return app->opt.print != NULL && strcmp(app->opt.print, "text") == 0;
}

static int
check_print(struct appending *app, bool answer, struct ctx_err *err)
{
	if (app->opt.print == NULL)
		return 0;
	if (!append_prints_text(app) && strcmp(app->opt.print, "record") != 0)
		return ctx_err_set(err, CTX_EUSAGE, "--print: '%s' is not record or text",
		    app->opt.print);
	if (append_prints_text(app) && !answer)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--print text needs an answer (--request or -p)");
	return 0;
}

static int
check_question(struct appending *app, bool given, bool answer, struct ctx_err *err)
{
	if (!given && !answer)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--question needs the answer too: -t TEXT, --raw, --request or -p");
	if (*app->opt.question == '\0')
		return ctx_err_set(err, CTX_EUSAGE, "--question: the question is empty");
	if (app->opt.text.n > 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--question cannot be used with more than one --text");
	if (app->opt.id != NULL || app->opt.type != NULL || app->opt.call != NULL ||
	    cli_flagged(&app->opt.role))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--question cannot be used with --id, --type, --role or --call-id");
	return 0;
}

static int
check_append_form(
    const struct appending *app, bool text, bool answer, struct ctx_err *err)
{
	bool create = app->opt.create;

	if (cli_check_needs(&app->opt.user, create, "--create", err) < 0 ||
	    cli_check_needs(&app->opt.agent, create, "--create", err) < 0 ||
	    cli_check_needs(&app->opt.ttl, create, "--create", err) < 0)
		return -1;
	if (answer)
		return cli_check_form("an answer",
		    "session text raw question role metadata pin create resume user agent ttl if-seq "
		    "atomic max-record request provider echo print redact redact-rules tokenizer",
		    err);
	if (text)
		return cli_check_form("--text and --raw",
		    "session text raw attach question role id call-id type metadata pin create resume user "
		    "agent ttl if-seq atomic max-record redact redact-rules tokenizer",
		    err);
	return cli_check_form("records on standard input or in files",
	    "session pin create resume user agent ttl if-seq atomic keep-going rejects "
	    "max-record redact redact-rules tokenizer",
	    err);
}

int
append_check_options(struct appending *app, int argc, char **argv, struct ctx_err *err)
{
	bool given = app->opt.text.n > 0 || app->opt.raw;
	bool answer = app->opt.request != NULL || cli_flagged(&cli_common.provider);
	bool text = given && !answer;

	if (app->opt.batch)
		return append_check_batch(app, err) < 0 ? -1 : 1;
	if (app->opt.session == NULL && (text || app->opt.result != NULL))
		app->opt.session = cli_session_default();
	if (check_print(app, answer, err) < 0)
		return -1;
	if (cli_check_alone("attach result", err) < 0)
		return -1;
	if (app->opt.result != NULL)
		return check_result(app, argc, argv, err);
	if (cli_check_needs(&app->opt.error, false, "--result", err) < 0)
		return -1;
	if (answer && !given && argc > 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unexpected operand '%s': an answer is read from standard input (< %s)",
		    argv[0], argv[0]);
	if ((given || answer) && cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (app->opt.question != NULL && check_question(app, given, answer, err) < 0)
		return -1;
	if (given && answer && app->opt.request == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--text and --raw cannot be used with -p (use --request FILE to store an answer)");
	if (answer && cli_flagged(&app->opt.role) &&
	    strcmp(app->opt.role, "assistant") != 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--role: an answer has the role assistant");
	if (app->opt.text.n > 1 && answer)
		return ctx_err_set(err, CTX_EUSAGE, "an answer can have only one --text");
	if (cli_check_alone("text raw", err) < 0)
		return -1;
	if (app->opt.attach.n > 0 &&
	    (!text || app->opt.question != NULL || app->opt.text.n > 1))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--attach needs exactly one message, given by -t or --raw");
	if (text && app->opt.session == NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--text and --raw need -s SID");
	if (text && check_text(app, err) < 0)
		return -1;
	if (app->opt.metadata != NULL && check_metadata(app, err) < 0)
		return -1;
	if (!text &&
	    (app->opt.id != NULL || app->opt.type != NULL || app->opt.call != NULL))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--id, --call-id and --type need --text or --raw");
	if (cli_check_needs(&app->opt.metadata, text || answer,
		"--text, --raw, or a provider's answer as input", err) < 0 ||
	    cli_check_needs(&app->opt.rejects, app->opt.keep_going, "--keep-going", err) <
		0)
		return -1;
	if (app->opt.keep_going && (app->opt.atomic || app->opt.if_seq >= 0))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--keep-going and --atomic cannot be used together");
	if (check_ids(app, err) < 0 || check_append_form(app, text, answer, err) < 0)
		return -1;
	return answer;
}
