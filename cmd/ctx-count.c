#include "cli.h"

#include <stdlib.h>

#include "base/io.h"
#include "json/json.h"
#include "record/record.h"
#include "tokens/calibrate.h"
#include "tokens/tokens.h"

#define TEXT_MAX ((size_t)1 << 30)

static struct {
	const char *text, *params;
	bool raw, ids, total, calibrate;
	int64_t max;
} opt = {.max = -1};

static struct cli_option options[] = {
    {"text", 't', "TEXT", "count this text", CLI_STRING, &opt.text, NULL},
    {"raw", 0, NULL, "count the input as text, each file separately", CLI_FLAG, &opt.raw,
	NULL},
    {"ids", 0, NULL, "with -t or --raw: print the token ids", CLI_FLAG, &opt.ids, NULL},
    {"total", 0, NULL, "print only the total number of tokens", CLI_FLAG, &opt.total,
	NULL},
    {"max", 0, "TOKENS",
	"exit with status 1 if the whole input has more than TOKENS tokens", CLI_INT,
	&opt.max, NULL},
    {"calibrate", 0, NULL,
	"compare the token counts that providers reported with the counts of the tokenizer",
	CLI_FLAG, &opt.calibrate, NULL},
    {"params", 0, "FILE",
	"file of request parameters; tokens are counted for the model that it names",
	CLI_STRING, &opt.params, "CTX_PARAMS"},
    CLI_TOKENIZER_OPTION,
    CLI_END,
};

static struct ctx_tokenizer *tokenizer;
static struct ctx_message view;
static int64_t total;
static bool modelled; /* the parameters name a model */

/* ---- text ---- */

static int
count_text(struct ctx_span text, const char *name, struct ctx_err *err)
{
	if (opt.ids) {
		uint32_t *ids;
		size_t n;
		if (ctx_tokens_ids(tokenizer, text.p, text.n, &ids, &n, err) < 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			ctx_buf_addf(
			    &cli_out.buf, "%s%u", i > 0 ? " " : "", (unsigned)ids[i]);
		free(ids);
		total += (int64_t)n;
	} else {
		int64_t n = ctx_tokens_text(tokenizer, text.p, text.n);
		ctx_buf_addi(&cli_out.buf, n);
		total += n;
	}
	if (name != NULL)
		ctx_buf_addf(&cli_out.buf, " %s", name);
	ctx_buf_addc(&cli_out.buf, '\n');
	return cli_flush_some(err);
}

static int
count_file(const char *path, const char *name, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = ctx_io_read_file(path, &text, TEXT_MAX, err);

	if (rc == 0)
		rc = count_text(ctx_buf_span(&text), name, err);
	ctx_buf_release(&text);
	return rc;
}

static int
count_texts(int argc, char **argv, struct ctx_err *err)
{
	int rc = 0;

	if (opt.text != NULL)
		return cli_no_operands(argc, argv, err) < 0
			   ? -1
			   : count_text(ctx_span_of(opt.text), NULL, err);
	if (argc == 0)
		return count_file("-", NULL, err);
	for (int i = 0; rc == 0 && i < argc; i++)
		rc = count_file(argv[i], argc > 1 ? argv[i] : NULL, err);
	return rc;
}

/* ---- messages ---- */

/* Appends the members that counting sets, if the record does not have them. */
static void
add_missing(struct ctx_buf *b, const struct ctx_record *r, int64_t tokens)
{
	if (r->token_count < 0 || r->bare)
		ctx_json_add_int(b, "token_count", tokens);
	if (r->tokenizer.p == NULL)
		ctx_json_add_str(b, "tokenizer", ctx_tokenizer_name(tokenizer));
}

/* Appends the record with its count and tokenizer. Its other members stay, in order. */
static void
put_counted(const struct ctx_record *r, int64_t tokens)
{
	struct ctx_buf *b = &cli_out.buf;

	if (r->bare) {
		ctx_json_print(b, "{'kind':'message'");
		add_missing(b, r, tokens);
		ctx_json_print(b, "'message':%j}", r->message);
		return;
	}
	ctx_json_put_open(b, '{');
	CTX_JSON_EACH(it, r->line) {
		if (it.value.p == r->message.p)
			add_missing(b, r, tokens);
		/* a null member counts as absent, and was added already */
		if ((r->token_count < 0 && ctx_json_is(it.key, "token_count")) ||
		    (r->tokenizer.p == NULL && ctx_json_is(it.key, "tokenizer")))
			continue;
		if (ctx_json_is(it.key, "token_count"))
			ctx_json_add_int(b, "token_count", tokens);
		else if (ctx_json_is(it.key, "tokenizer"))
			ctx_json_add_str(b, "tokenizer", ctx_tokenizer_name(tokenizer));
		else
			ctx_json_put_member(b, it.key, it.value);
	}
	ctx_json_put_close(b, '}');
}

/* Counts each record on its own. Whether a window is complete is for its reader to
 * check. */
static int
count_line(void *arg CTX_UNUSED, const struct cli_input *in CTX_UNUSED,
    struct ctx_span line, struct ctx_err *err)
{
	struct ctx_record r;
	int64_t tokens;

	if (ctx_record_parse(&r, line, err) < 0 || ctx_record_refuse_body(&r, err) < 0)
		return -1;
	if (r.kind == CTX_KIND_MESSAGE) {
		if (ctx_message_parse(&view, r.message, err) < 0)
			return -1;
		if (!modelled) { /* a window is counted in the tokens of its model */
			char *name = ctx_json_strdup(r.tokenizer);

			cli_tokenizer_follow(tokenizer, name);
			free(name);
		}
		tokens = ctx_tokens_message(tokenizer, &view);
		total += tokens;
		if (!opt.total)
			put_counted(&r, tokens);
	} else if (!opt.total) {
		ctx_buf_addspan(&cli_out.buf, r.line);
	}
	if (!opt.total)
		ctx_buf_addc(&cli_out.buf, '\n');
	return cli_flush_some(err);
}

/* ---- calibration ---- */

static int
calibrate_line(void *arg, const struct cli_input *in CTX_UNUSED, struct ctx_span line,
    struct ctx_err *err)
{
	struct ctx_record r;
	int rc = ctx_record_parse(&r, line, err);

	if (rc == 0 && r.kind == CTX_KIND_MESSAGE &&
	    ctx_json_get(r.metadata, "model").p != NULL &&
	    (rc = ctx_message_parse(&view, r.message, err)) == 0)
		ctx_calibration_answer(arg, &r, ctx_tokens_message(tokenizer, &view));
	else if (rc == 0 && r.kind == CTX_KIND_REQUEST)
		rc = ctx_calibration_request(arg, r.line, CTX_SPAN_NONE, err);
	return rc;
}

static int
calibrate_token_counts(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_calibration *c = ctx_calibration_new(ctx_tokenizer_name(tokenizer));
	int rc = cli_each_line(argc, argv, calibrate_line, c, err);

	if (rc == 0)
		ctx_calibration_print(c, false, &cli_out.buf);
	if (rc == 0 && ctx_calibration_left(c) > 0)
		cli_warn(
		    "%ld requests skipped: their tokens were counted with another tokenizer",
		    ctx_calibration_left(c));
	ctx_calibration_free(c);
	return rc;
}

/* ---- main ---- */

static int
check_options(struct ctx_err *err)
{
	bool text = opt.text != NULL || opt.raw;

	if (opt.text != NULL && opt.raw)
		return ctx_err_set(
		    err, CTX_EUSAGE, "-t and --raw cannot be used together");
	if (cli_check_needs(&opt.ids, text, "-t or --raw", err) < 0)
		return -1;
	if (text && (opt.total || opt.calibrate))
		return ctx_err_set(err, CTX_EUSAGE, "%s cannot be used with -t or --raw",
		    opt.total ? "--total" : "--calibrate");
	if (cli_check_alone("max calibrate", err) < 0 ||
	    cli_check_alone("params calibrate", err) < 0)
		return -1;
	return cli_check_alone("total calibrate", err);
}

static int
open_counting_tokenizer(struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span params = CTX_SPAN_NONE;
	int rc = cli_tokenizer_open(&tokenizer, err);

	if (rc == 0 && !opt.calibrate)
		rc = cli_read_params(opt.params, &text, &params, err);
	modelled = ctx_json_is_text(ctx_json_get(params, "model"));
	if (rc == 0 && !opt.calibrate)
		rc = cli_tokenizer_model(tokenizer, ctx_json_get(params, "model"), err);
	ctx_buf_release(&text);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (check_options(err) < 0 || open_counting_tokenizer(err) < 0)
		return -1;
	if (opt.text != NULL || opt.raw)
		rc = count_texts(argc, argv, err);
	else if (opt.calibrate)
		rc = calibrate_token_counts(argc, argv, err);
	else
		rc = cli_each_line(argc, argv, count_line, NULL, err);
	if (rc == 0 && opt.total)
		ctx_buf_addf(&cli_out.buf, "%lld\n", (long long)total);
	if (rc == 0)
		rc = cli_flush(err);
	if (rc == 0 && opt.max >= 0 && total > opt.max)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "the input has %lld tokens, %lld more than --max %lld",
		    (long long)total, (long long)(total - opt.max), (long long)opt.max);
	ctx_message_release(&view);
	ctx_tokenizer_close(tokenizer);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-count",
    .synopsis = "[--total | --calibrate] [--max TOKENS] [OPTION ...] [FILE ...]\n"
		"-t TEXT [--ids] [--max TOKENS] [OPTION ...]\n"
		"--raw [--ids] [--max TOKENS] [OPTION ...] [FILE ...]",
    .about =
	"Counts the tokens of texts or messages, and prints each message with its token count.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
