#include "cli.h"

#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "json/json.h"
#include "lint/lint.h"

#define MAX_FILE ((size_t)2 << 30)

static const char *provider, *format = "ndjson";
static bool repair;
static struct ctx_buf models = CTX_BUF_INIT; /* the user's table */

static struct cli_option options[] = {
    {"provider", 'p', "NAME", "openai, anthropic, gemini or responses", CLI_STRING,
	&provider, "CTX_PROVIDER"},
    CLI_BUDGET_OPTION,
    CLI_TOKENIZER_OPTION,
    {"format", 0, "FORMAT", "ndjson, github or text", CLI_STRING, &format, NULL},
    {"repair", 0, NULL, "print what was read, repaired; diagnostics go to stderr",
	CLI_FLAG, &repair, NULL},
    CLI_END,
};

struct report {
	const char *file;
	struct ctx_buf *out;
};

static void
put_ndjson(void *arg, const struct ctx_lint_diagnostic *d)
{
	const struct report *r = arg;

	ctx_json_put_open(r->out, '{');
	ctx_json_add_str(r->out, "kind", "diagnostic");
	ctx_json_add_str(r->out, "file", r->file);
	ctx_json_add_int(r->out, "line", (int64_t)d->line);
	if (d->index >= 0)
		ctx_json_add_int(r->out, "index", d->index);
	ctx_json_add_str(r->out, "rule", d->rule);
	ctx_json_add_str(r->out, "severity", d->error ? "error" : "warning");
	ctx_json_add_str(r->out, "provider", d->provider);
	ctx_json_add_str(r->out, "message", d->text);
	ctx_json_put_close(r->out, '}');
	ctx_buf_addc(r->out, '\n');
}

static void
put_text(void *arg, const struct ctx_lint_diagnostic *d)
{
	const struct report *r = arg;

	ctx_buf_addf(r->out, "%s:%zu: %s: %s [%s]\n", r->file, d->line,
	    d->error ? "error" : "warning", d->text, d->rule);
}

/* Workflow commands of GitHub Actions escape data as in a URL; properties end at ':'
 * and ','. */
static void
put_escaped(struct ctx_buf *b, const char *s, const char *special)
{
	for (; *s; s++) {
		if (strchr(special, *s) != NULL)
			ctx_buf_addf(b, "%%%02X", (unsigned char)*s);
		else
			ctx_buf_addc(b, *s);
	}
}

static void
put_github(void *arg, const struct ctx_lint_diagnostic *d)
{
	const struct report *r = arg;

	ctx_buf_addf(r->out, "::%s file=", d->error ? "error" : "warning");
	put_escaped(r->out, r->file, "%\r\n:,");
	ctx_buf_addf(r->out, ",line=%zu,title=%s::", d->line, d->rule);
	put_escaped(r->out, d->text, "%\r\n");
	ctx_buf_addc(r->out, '\n');
}

static ctx_lint_sink *sink;

/* "line 3: …" of a file becomes "file:3: …". */
static void
blame(struct ctx_err *err, const char *file)
{
	struct ctx_err was = *err;
	bool line = strncmp(was.msg, "line ", 5) == 0;

	ctx_err_set(
	    err, was.code, "%s:%s%s", file, line ? "" : " ", was.msg + (line ? 5 : 0));
}

/* Errors found (or left, with --repair), or -1. */
static int
lint_file(const char *path, const struct ctx_lint_options *o, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, notes = CTX_BUF_INIT;
	struct report r = {strcmp(path, "-") == 0 ? "stdin" : path, &cli_out.buf};
	int errors = -1;

	if (ctx_io_read_file(path, &text, MAX_FILE, err) < 0)
		goto done;
	if (repair) {
		r.out = &notes;
		errors = ctx_lint_repair(
		    ctx_buf_span(&text), o, &cli_out.buf, sink, &r, err);
	} else {
		errors = ctx_lint_check(ctx_buf_span(&text), o, sink, &r, err);
	}
	if (errors < 0)
		blame(err, r.file);
	if (ctx_io_write(STDERR_FILENO, notes.p, notes.n, "stderr", err) < 0)
		errors = -1;
done:
	ctx_buf_release(&text);
	ctx_buf_release(&notes);
	return errors;
}

static int
choose(struct ctx_lint_options *o, struct ctx_err *err)
{
	int rules = ctx_lint_rules_parse(provider);

	o->soft = !cli_flagged(&provider);
	if (!o->soft && rules < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown provider '%s' (openai, anthropic, gemini or responses)",
		    provider);
	o->rules = (enum ctx_lint_rules)rules;
	if (strcmp(format, "ndjson") == 0)
		sink = put_ndjson;
	else if (strcmp(format, "text") == 0)
		sink = put_text;
	else if (strcmp(format, "github") == 0)
		sink = put_github;
	else
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown format '%s' (ndjson, github or text)", format);
	o->budget = cli_common.budget;
	o->check_model = true;
	if (cli_models_read(&models, err) < 0)
		return -1;
	o->models = ctx_buf_span(&models);
	if (o->budget > 0)
		return cli_tokenizer_open(&o->tokenizer, err);
	return 0;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	static char *standard[] = {"-"};
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	int status = 0, rc = 0;

	if (choose(&o, err) < 0)
		return -1;
	if (argc == 0) {
		cli_note_terminal();
		argc = 1;
		argv = standard;
	}
	for (int i = 0; i < argc && rc == 0; i++) {
		struct ctx_err one = CTX_ERR_INIT;
		int errors = lint_file(argv[i], &o, &one);
		int now = errors == 0              ? 0
			  : errors > 0             ? 1
			  : one.code == CTX_EINPUT ? 3
						   : 4;
		if (errors < 0) /* the other files are judged all the same */
			cli_error(&one);
		status = now > status ? now : status;
		rc = cli_flush_some(err);
	}
	ctx_tokenizer_close(o.tokenizer);
	ctx_buf_release(&models);
	if (rc == 0) /* that diagnostics were lost tells more than that there were some */
		rc = cli_flush(err);
	return rc < 0 ? -1 : status;
}

int
main(int argc, char **argv)
{
	static const struct cli_command command = {
	    .name = "ctx-lint",
	    .synopsis = "[-p NAME] [-b TOKENS] [--tokenizer NAME] [--format FORMAT] "
			"[--repair] [FILE ...]",
	    .about =
		"Check transcripts and request bodies against the rules of providers.",
	    .options = options,
	    .run = run,
	};

	return cli_main(&command, argc, argv);
}
