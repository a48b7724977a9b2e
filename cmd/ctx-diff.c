/* ctx-diff: prints the differences between two requests, windows or transcripts. */
#include "cli_term.h"

#include <string.h>

#include "base/io.h"
#include "diff/diff.h"

#define INPUT_MAX ((size_t)1 << 30)

static struct {
	const char *format;
} opt = {.format = "text"};

static struct cli_option options[] = {
    {"format", 0, "FORMAT", "output format: text (default), ndjson or html", CLI_STRING,
	&opt.format, NULL},
    CLI_TOKENIZER_OPTION,
    CLI_TERM_OPTIONS,
    CLI_END,
};

static int
read_side(struct ctx_diff_side *side, const char *path, struct ctx_tokenizer *t,
    struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc;

	if (strcmp(path, "-") == 0)
		cli_note_terminal();
	rc = ctx_io_read_file(path, &text, INPUT_MAX, err);
	if (rc == 0) {
		rc = ctx_diff_read(side, ctx_buf_span(&text), t, err);
		if (rc < 0)
			ctx_err_prefix(
			    err, "%s", strcmp(path, "-") == 0 ? "stdin" : path);
	}
	ctx_buf_release(&text);
	return rc;
}

static int
check_diff_operands(int argc, char **argv, struct ctx_err *err)
{
	if (argc != 2)
		return ctx_err_set(
		    err, CTX_EUSAGE, "two files are needed (ctx-diff A B)");
	if (strcmp(argv[0], "-") == 0 && strcmp(argv[1], "-") == 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "only one of the two inputs can be standard input");
	if (strcmp(opt.format, "text") != 0 && strcmp(opt.format, "ndjson") != 0 &&
	    strcmp(opt.format, "html") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown format '%s' (text, ndjson or html)", opt.format);
	return 0;
}

/* Returns the exit status. */
static int
print_diff(const struct ctx_diff *d, const struct ctx_term *term, char **names,
    struct ctx_err *err)
{
	if (strcmp(opt.format, "ndjson") == 0)
		ctx_diff_ndjson(&cli_out.buf, d);
	else if (strcmp(opt.format, "html") == 0)
		ctx_diff_html(&cli_out.buf, d, names[0], names[1]);
	else
		ctx_diff_text(&cli_out.buf, d, term, names[0], names[1]);
	return cli_flush(err) < 0 ? -1 : d->n > 0;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_diff_side a = {0}, b = {0};
	struct ctx_diff d = {0};
	struct ctx_tokenizer *tokenizer = NULL;
	struct ctx_term term;
	int rc;

	if (check_diff_operands(argc, argv, err) < 0 || cli_term_open(&term, err) < 0 ||
	    cli_tokenizer_open(&tokenizer, err) < 0)
		return -1;
	rc = read_side(&a, argv[0], tokenizer, err);
	if (rc == 0)
		rc = read_side(&b, argv[1], tokenizer, err);
	if (rc == 0) {
		if (strcmp(opt.format, "text") == 0)
			cli_term_page();
		ctx_diff_compare(&d, &a, &b);
		rc = print_diff(&d, &term, argv, err);
	}
	ctx_diff_release(&d);
	ctx_diff_side_release(&a);
	ctx_diff_side_release(&b);
	ctx_tokenizer_close(tokenizer);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-diff",
    .synopsis = "[--format FORMAT] [--tokenizer NAME] [OPTION ...] A B",
    .about = "Compares two requests, windows or transcripts, message by message.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
