#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "json/json.h"
#include "lint.h"
#include "lint/lint.h"

static const char *provider, *params, *format = "ndjson";
static bool repair, strict;
static struct ctx_buf models = CTX_BUF_INIT; /* the user's model table */
static struct ctx_buf params_text = CTX_BUF_INIT;
static struct ctx_span model; /* of the parameters, a JSON string; absent: not known */

static struct cli_option options[] = {
    {"provider", 'p', "NAME", CLI_PROVIDERS, CLI_STRING, &provider, "CTX_PROVIDER"},
    CLI_BUDGET_OPTION,
    CLI_TOKENIZER_OPTION,
    {"params", 0, "FILE",
	"with -b: file of request parameters; tokens are counted for the model that it names",
	CLI_STRING, &params, "CTX_PARAMS"},
    {"format", 0, "FORMAT",
	"output format: ndjson (default), text, github, sarif or junit", CLI_STRING,
	&format, NULL},
    {"strict", 0, NULL, "treat warnings as errors (exit status 1)", CLI_FLAG, &strict,
	NULL},
    {"repair", 0, NULL, "print the repaired input; diagnostics go to stderr", CLI_FLAG,
	&repair, NULL},
    CLI_END,
};

static const struct lint_format *form;

/* A ctx_lint_sink. */
static void
take_diagnostic(void *arg, const struct ctx_lint_diagnostic *d)
{
	struct lint_report *r = arg;

	r->warnings += !d->error;
	form->put(r, d);
}

/* Changes "line 3: …" in the message to "file:3: …". */
static void
prefix_lint_location(struct ctx_err *err, const struct lint_report *r)
{
	struct ctx_err was = *err;
	char *rest;
	size_t line;

	if (strncmp(was.msg, "line ", 5) != 0) {
		ctx_err_set(err, was.code, "%s: %s", r->file, was.msg);
		return;
	}
	line = strtoul(was.msg + 5, &rest, 10);
	ctx_err_set(err, was.code, "%s:%zu%s", r->file, r->before + line, rest);
}

/* Returns the number of errors found (with --repair, of those that remain), or -1. */
static int
lint_text(struct ctx_span text, struct lint_report *r, const struct ctx_lint_options *o,
    struct ctx_err *err)
{
	struct ctx_buf notes = CTX_BUF_INIT;
	int errors;

	if (repair) {
		/* cppcheck-suppress autoVariables */
		r->out = &notes;
		errors = ctx_lint_repair(text, o, &cli_out.buf, take_diagnostic, r, err);
	} else {
		errors = ctx_lint_check(text, o, take_diagnostic, r, err);
	}
	if (errors < 0)
		prefix_lint_location(err, r);
	if (ctx_io_write(STDERR_FILENO, notes.p, notes.n, "stderr", err) < 0)
		errors = -1;
	ctx_buf_release(&notes);
	return errors;
}

/* A file that cannot be read or judged: on stderr, and for those who read only a report. */
static void
report_lint_failure(struct lint_report *r, const struct ctx_err *err)
{
	struct ctx_lint_diagnostic d = {.rule = "unreadable",
	    .provider = "all",
	    .error = true,
	    .line = 1,
	    .index = -1,
	    .text = err->msg};
	size_t n = strlen(r->file);

	cli_error(err);
	if (form->fail == NULL)
		return;
	if (strncmp(d.text, r->file, n) == 0 && d.text[n] == ':') { /* "file:3: …" */
		char *rest = NULL;
		unsigned long at = strtoul(d.text + n + 1, &rest, 10);
		d.text += n + 1;
		if (at > 0 && *rest == ':') {
			d.line = at;
			d.text = rest + 1;
		}
		d.text += *d.text == ' ';
	}
	r->before = 0;
	form->fail(r, &d);
}

static int
get_lint_status(int errors, const struct ctx_err *err)
{
	return errors == 0 ? 0 : errors > 0 ? 1 : err->code == CTX_EINPUT ? 3 : 4;
}

/* Returns the exit status for the file. Errors are printed, and checking continues with
 * the next file. Returns -1, with err set, if output fails. */
static int
lint_file(const char *path, struct ctx_lint_options *o, struct ctx_err *err)
{
	struct ctx_lint_counts counts = {0, 0};
	struct lint_report r = {.file = strcmp(path, "-") == 0 ? "stdin" : path,
	    .out = &cli_out.buf,
	    .strict = strict};
	struct ctx_err one = CTX_ERR_INIT;
	struct lint_parts *parts = lint_parts_open(path, &one);
	struct ctx_span text;
	int status = 0, got = -1, rc = 0;

	o->counts = &counts;
	while (rc == 0 && parts != NULL &&
	       (got = lint_parts_next(parts, &text, &r.before, &one)) > 0) {
		int errors = lint_text(text, &r, o, &one), now;
		if (errors == 0 && strict && r.warnings > 0)
			errors = 1;
		now = get_lint_status(errors, &one);
		if (errors < 0)
			report_lint_failure(&r, &one);
		one = (struct ctx_err)CTX_ERR_INIT;
		status = now > status ? now : status;
		rc = cli_flush_some(err);
	}
	o->counts = NULL;
	if (rc == 0 && got == 0 && status == 0 && counts.bodies + counts.messages == 0)
		got = ctx_err_set(&one, CTX_EINPUT,
		    "%s: the input contains no message and no request body", r.file);
	if (rc == 0 && got < 0) {
		report_lint_failure(&r, &one);
		got = get_lint_status(-1, &one);
		status = got > status ? got : status;
	}
	lint_parts_close(parts);
	if (form->end_file != NULL)
		form->end_file(&r);
	return rc < 0 ? -1 : status;
}

/* Counts in the tokens of the body's model or, if the text names no model, of the model of
 * the parameters. The settings were read before: nothing can fail. */
static void
count_for_body_model(struct ctx_tokenizer *t, struct ctx_span named)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	cli_tokenizer_model(t, ctx_json_is_text(named) ? named : model, &ignored);
}

static int
open_lint_tokenizer(struct ctx_lint_options *o, struct ctx_err *err)
{
	static const struct ctx_span any = {"\"any\"", 5};
	struct ctx_span object = CTX_SPAN_NONE;

	o->count_for = count_for_body_model;
	if (cli_read_params(params, &params_text, &object, err) < 0 ||
	    cli_tokenizer_open(&o->tokenizer, err) < 0)
		return -1;
	model = ctx_json_get(object, "model");
	return cli_tokenizer_model(o->tokenizer, any, err);
}

static int
choose_lint_rules(struct ctx_lint_options *o, struct ctx_err *err)
{
	int rules = ctx_provider_parse(provider);

	o->soft = !cli_flagged(&provider);
	if (!o->soft && rules < 0)
		return cli_unknown_provider(provider, "", err);
	o->rules = (enum ctx_provider)rules;
	form = lint_format_find(format);
	if (form == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown format '%s' (ndjson, text, github, sarif or junit)", format);
	if (repair && form->begin != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--repair cannot be used with --format %s", format);
	o->budget = cli_common.budget;
	o->whole_histories = cli_flagged(&cli_common.budget);
	o->check_model = true;
	if (cli_models_read("models.ndjson", &models, err) < 0)
		return -1;
	o->models = ctx_buf_span(&models);
	if (o->budget >= 0)
		return open_lint_tokenizer(o, err);
	if (cli_check_needs(&params, false, "a budget (-b)", err) < 0)
		return -1;
	return cli_check_needs(&cli_common.tokenizer, false, "a budget (-b)", err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	static char *standard[] = {"-"};
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	int status = 0, rc = 0;

	if (choose_lint_rules(&o, err) < 0)
		return -1;
	if (argc == 0) {
		cli_note_terminal();
		argc = 1;
		argv = standard;
	}
	ctx_buf_addspan(&cli_out.buf, ctx_span_of(form->begin));
	for (int i = 0; i < argc && rc == 0; i++) {
		int now = lint_file(argv[i], &o, err);

		status = now > status ? now : status;
		rc = now < 0 ? -1 : 0;
	}
	ctx_tokenizer_close(o.tokenizer);
	ctx_buf_release(&models);
	ctx_buf_release(&params_text);
	ctx_buf_addspan(&cli_out.buf, ctx_span_of(form->end));
	if (rc == 0) /* lost diagnostics are more important than the result */
		rc = cli_flush(err);
	return rc < 0 ? -1 : status;
}

static const struct cli_command command = {
    .name = "ctx-lint",
    .synopsis =
	"[-p NAME] [-b TOKENS] [--params FILE] [--tokenizer NAME] [--format FORMAT] [--strict] [--repair] [FILE ...]",
    .about = "Checks transcripts and request bodies against the rules of providers.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
