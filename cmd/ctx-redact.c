#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "cli.h"
#include "json/json.h"
#include "redact/redact.h"

#define TEXT_MAX ((size_t)1 << 30)

static struct {
	bool check, raw;
	const char *report;
} opt;

static struct cli_option options[] = {
    {"check", 0, NULL, "print no records; exit with status 1 if a secret is found",
	CLI_FLAG, &opt.check, NULL},
    {"report", 0, "FILE", "write a record for each secret (without its text) to FILE",
	CLI_STRING, &opt.report, NULL},
    {"raw", 0, NULL, "treat the input as text, each file separately", CLI_FLAG, &opt.raw,
	NULL},
    CLI_REDACT_RULES_OPTION,
    CLI_END,
};

static struct ctx_redact *engine;
static struct ctx_buf report;
static size_t secrets;

/* position of the current secret */
static struct {
	const char *file;
	long line;
	struct ctx_span record; /* absent if the input is plain text */
} at;

static void
note_finding(void *arg CTX_UNUSED, const struct ctx_redact_finding *f)
{
	static const char *const members[] = {"session_id", "seq", "id"};

	if (opt.report == NULL)
		return;
	ctx_json_print(&report, "{'kind':'finding','rule':%s,'hash':%s,'file':%s",
	    f->rule, f->hash, at.file);
	if (at.line > 0)
		ctx_json_add_int(&report, "line", at.line);
	for (size_t i = 0; at.record.p != NULL && i < 3; i++)
		ctx_json_add_raw(
		    &report, members[i], ctx_json_get(at.record, members[i]));
	if (at.record.p != NULL)
		ctx_json_add_string(&report, "path", f->path);
	ctx_json_print(
	    &report, "'offset':%d,'bytes':%d}\n", (int64_t)f->offset, (int64_t)f->n);
}

/* ---- records ---- */

static int
redact_line(void *arg CTX_UNUSED, const struct cli_input *in, struct ctx_span line,
    struct ctx_err *err)
{
	struct ctx_buf *out = &cli_out.buf;
	size_t n = out->n, found;
	struct ctx_span value;

	at.file = ctx_reader_name(in->reader);
	at.line = ctx_reader_line(in->reader);
	if (ctx_json_check(line, &value, NULL, err) < 0)
		return -1;
	at.record = value;
	found = ctx_redact_json(engine, value, out, note_finding, NULL);
	secrets += found;
	if (opt.check) {
		out->n = n;
		return 0;
	}
	if (found == 0)
		ctx_buf_addspan(out, value);
	ctx_buf_addc(out, '\n');
	return cli_flush_some(err);
}

/* ---- text ---- */

static int
redact_file(const char *path, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, *out = &cli_out.buf;
	int rc = ctx_io_read_file(path, &text, TEXT_MAX, err);
	size_t n = out->n, found;

	at.file = strcmp(path, "-") == 0 ? "stdin" : path;
	if (rc == 0 && text.n > 0) {
		found = ctx_redact_text(
		    engine, ctx_buf_span(&text), out, note_finding, NULL);
		secrets += found;
		if (opt.check)
			out->n = n;
		else if (found == 0)
			ctx_buf_addspan(out, ctx_buf_span(&text));
		rc = cli_flush_some(err);
	}
	ctx_buf_release(&text);
	return rc;
}

static int
redact_texts(int argc, char **argv, struct ctx_err *err)
{
	int rc = argc == 0 ? redact_file("-", err) : 0;

	for (int i = 0; rc == 0 && i < argc; i++)
		rc = redact_file(argv[i], err);
	return rc;
}

/* ---- main ---- */

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_err late = CTX_ERR_INIT;
	int rc;

	if (opt.report != NULL && strcmp(opt.report, "-") == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--report: '-' cannot be written to (use /dev/stderr, or ./- for a file named '-')");
	rc = cli_redact_open(&engine, err);
	if (rc == 0)
		rc = opt.raw ? redact_texts(argc, argv, err)
			     : cli_each_line(argc, argv, redact_line, NULL, err);
	if (cli_flush(rc == 0 ? err : &late) < 0)
		rc = -1;
	if (opt.report != NULL && engine != NULL &&
	    ctx_io_replace_file(opt.report, report.p, report.n, rc == 0 ? err : &late) <
		0)
		rc = -1;
	ctx_redact_free(engine);
	ctx_buf_release(&report);
	if (rc == 0 && opt.check && secrets > 0)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "%zu secret%s found", secrets, CTX_PLURAL(secrets));
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-redact",
    .synopsis = "[--check] [--report FILE] [--raw] [FILE ...]",
    .about = "Replaces secrets in records with placeholders.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
