#include "summarize.h"

#include <stdlib.h>
#include <string.h>

#include "base/exec.h"
#include "base/mem.h"
#include "json/json.h"

#define MAX_OUTPUT ((size_t)4 << 20) /* maximum length in bytes of --exec's output */

static struct summarizing summarizing = {
    .opt = {.timeout = 60000,
	.format = "ndjson",
	.language = "en",
	.s = {.budget = -1,
	    .max_turns = -1,
	    .max_tokens = -1,
	    .piece = 100000,
	    .cover = {.fraction = 0.4, .keep_last = -1}}},
};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"summarize this stored session (repeatable; '-': the sessions that the input records name)",
	CLI_LIST, &summarizing.opt.session, NULL},
    {"undo", 0, NULL, "with -s: undo the last summary", CLI_FLAG, &summarizing.opt.undo,
	NULL},
    {"dry-run", 'n', NULL, "with -s: change nothing, only print what would be done",
	CLI_FLAG, &summarizing.opt.s.dry_run, NULL},
    {"threshold", 0, "SHARE",
	"summarize only if the window reaches this share of -b or --max-turns (default 0.70)",
	CLI_STRING, &summarizing.opt.threshold, "CTX_THRESHOLD"},
    CLI_BUDGET_OPTION,
    {"max-turns", 0, "N",
	"maximum number of turns; --threshold is a share of this number", CLI_INT,
	&summarizing.opt.s.max_turns, "CTX_MAX_TURNS"},
    {"fraction", 0, "SHARE",
	"share of the turns to summarize, oldest first (default 0.40)", CLI_STRING,
	&summarizing.opt.fraction, "CTX_FRACTION"},
    {"keep-last", 0, "N",
	"do not summarize the newest N groups (a message, or tool calls with their results)",
	CLI_INT, &summarizing.opt.s.cover.keep_last, "CTX_KEEP_LAST"},
    {"max-tokens", 0, "N",
	"maximum tokens of the summary (default: a fifth of the messages' tokens, but 64 to 2000)",
	CLI_COUNT, &summarizing.opt.s.max_tokens, NULL},
    {"require", 0, "TEXT", "a text that the summary must contain (repeatable)", CLI_LIST,
	&summarizing.opt.require, NULL},
    {"language", 0, "LANG",
	"language of the summary's headings: en (default), de, es, zh", CLI_STRING,
	&summarizing.opt.language, "CTX_SUMMARY_LANGUAGE"},
    {"keep-facts", 0, NULL, "this option has no effect (accepted for old scripts)",
	CLI_FLAG, &summarizing.opt.keep_facts, NULL},
    {"no-keep-facts", 0, NULL, "this option has no effect (accepted for old scripts)",
	CLI_FLAG, &summarizing.opt.no_keep_facts, NULL},
    {"condense-tools", 0, NULL,
	"shorten long tool outputs, depending on their type, before summarizing",
	CLI_FLAG, &summarizing.opt.s.condense_tools, NULL},
    {"piece", 0, "TOKENS",
	"give --exec at most this many tokens at once (default 100000)", CLI_INT,
	&summarizing.opt.s.piece, NULL},
    {"exec", 0, "COMMAND", "shell command that reads messages and prints a summary",
	CLI_STRING, &summarizing.opt.s.command, "CTX_SUMMARIZER"},
    {"exec-format", 0, "FORMAT", "input format for --exec: ndjson (default) or text",
	CLI_STRING, &summarizing.opt.format, NULL},
    {"timeout", 0, "TIME", "time limit of the --exec command (default 60s)", CLI_TIMEOUT,
	&summarizing.opt.timeout, NULL},
    {"provider", 0, "NAME",
	"convert a request body to a compaction request: anthropic or responses",
	CLI_STRING, &summarizing.opt.provider, NULL},
    {"instructions", 0, "TEXT", "instructions for Anthropic's compaction", CLI_STRING,
	&summarizing.opt.instructions, NULL},
    {"headers", 0, "FILE",
	"write the HTTP headers for the body to FILE, for curl -H @FILE", CLI_STRING,
	&summarizing.opt.headers, NULL},
    {"request", 0, "FILE", "with --provider: store the answer to this compaction request",
	CLI_STRING, &summarizing.opt.request, NULL},
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_QUIET_OPTION,
    CLI_END,
};

static int
run_summary_command(
    void *arg, struct ctx_span input, struct ctx_buf *out, struct ctx_err *err)
{
	struct summarizing *sum = arg;
	struct ctx_exec_options o = {.command = sum->opt.s.command,
	    .timeout_ms = sum->opt.timeout,
	    .max_output = MAX_OUTPUT};

	return ctx_exec_run(&o, input, out, err);
}

/* ---- stored sessions ---- */

void
tell(const struct ctx_err *reason, bool made)
{
	if (reason->msg[0] != '\0' && made)
		cli_warn("%s", reason->msg);
	else if (reason->msg[0] != '\0')
		cli_note("%s", reason->msg);
}

static int
summarize_stored(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct summarizing *sum = arg;
	struct ctx_err reason = CTX_ERR_INIT;
	int rc;

	if (!sum->opt.undo && cli_tokenizer_session(sum->opt.s.tokenizer, CTX_SPAN_NONE,
				  sum->store, listed->session_id, err) < 0)
		return -1;
	if (sum->opt.undo)
		rc = ctx_summarize_undo(sum->store, listed->session_id, sum->opt.s.now,
		    sum->opt.s.dry_run, &cli_out.buf, err);
	else
		rc = ctx_summarize_session(sum->store, listed->session_id, &sum->opt.s,
		    &cli_out.buf, &reason, err);
	if (rc >= 0)
		tell(&reason, rc == 1);
	cli_progress(1, "sessions");
	return rc < 0 ? -1 : cli_flush(err);
}

static int
run_stored(struct summarizing *sum, int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (sum->opt.session.n == 1 && strcmp(sum->opt.session.v[0], "-") == 0) {
		sum->opt.session.n = 0;
		cli_input_wait();
	}
	if (cli_store_open(&sum->store, 0, err) < 0)
		return -1;
	rc = cli_sessions(sum->store, &sum->opt.session, summarize_stored, sum, err);
	ctx_store_close(sum->store);
	return rc;
}

/* ---- options ---- */

static int
check_limits(struct summarizing *sum, struct ctx_err *err)
{
	bool stored = sum->opt.session.n > 0;

	if (cli_flagged(&sum->opt.threshold) && stored && cli_common.budget < 0 &&
	    sum->opt.s.max_turns < 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--threshold needs -b or --max-turns");
	if (sum->opt.s.max_turns >= 0 || cli_flagged(&sum->opt.threshold) ||
	    cli_flagged(&cli_common.budget)) {
		sum->opt.s.threshold = 0.7;
		/* with --max-turns, a budget from the environment is not used as a
		 * limit */
		if (sum->opt.s.max_turns < 0 || cli_flagged(&cli_common.budget))
			sum->opt.s.budget = cli_common.budget;
	}
	/* a threshold from the environment is used only if there is a limit */
	return sum->opt.s.threshold > 0
		   ? cli_parse_share(
			 "--threshold", sum->opt.threshold, &sum->opt.s.threshold, err)
		   : 0;
}

static int
check_options(struct summarizing *sum, struct ctx_err *err)
{
	int language;

	if ((sum->opt.undo || sum->opt.s.dry_run) && sum->opt.session.n == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--undo and -n need -s SID (-s - reads session ids from standard input)");
	if (sum->opt.undo && cli_check_form("--undo", "undo session dry-run", err) < 0)
		return -1;
	if (cli_check_needs(&sum->opt.format, sum->opt.s.command != NULL, "--exec", err) <
		0 ||
	    cli_check_needs(
		&sum->opt.timeout, sum->opt.s.command != NULL, "--exec", err) < 0)
		return -1;
	/* An option overrides the setting of the other one. Of two settings, keep_last
	 * applies. */
	if (cli_flagged(&sum->opt.fraction) && !cli_flagged(&sum->opt.s.cover.keep_last))
		sum->opt.s.cover.keep_last = -1;
	else if (sum->opt.s.cover.keep_last >= 0 && !cli_flagged(&sum->opt.fraction))
		sum->opt.fraction = NULL;
	if (sum->opt.fraction != NULL && sum->opt.s.cover.keep_last >= 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--fraction and --keep-last cannot be used together");
	if (sum->opt.keep_facts || sum->opt.no_keep_facts)
		cli_note("--keep-facts and --no-keep-facts no longer have an effect");
	language = ctx_summary_language_find(sum->opt.language);
	if (language < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--language: '%s' is not en, de, es or zh", sum->opt.language);
	sum->opt.s.language = (enum ctx_summary_language)language;
	sum->opt.s.ndjson = strcmp(sum->opt.format, "ndjson") == 0;
	if (!sum->opt.s.ndjson && strcmp(sum->opt.format, "text") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--exec-format: '%s' is not ndjson or text", sum->opt.format);
	if (sum->opt.s.piece < 1000)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--piece must be at least 1000 tokens");
	if (check_limits(sum, err) < 0)
		return -1;
	sum->opt.s.exec = sum->opt.s.command == NULL ? NULL : run_summary_command;
	sum->opt.s.arg = sum;
	sum->opt.s.now = cli_now();
	return cli_parse_share(
	    "--fraction", sum->opt.fraction, &sum->opt.s.cover.fraction, err);
}

static int
check_provider_options(struct summarizing *sum, struct ctx_err *err)
{
	const void *needing[] = {
	    &sum->opt.instructions, &sum->opt.headers, &sum->opt.request};

	for (size_t i = 0; i < sizeof(needing) / sizeof(needing[0]); i++)
		if (cli_check_needs(
			needing[i], sum->opt.provider != NULL, "--provider", err) < 0)
			return -1;
	sum->opt.s.now = cli_now();
	return sum->opt.provider == NULL
		   ? 0
		   : cli_check_form("--provider",
			 "provider instructions headers request session dry-run", err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct summarizing *sum = &summarizing;
	struct ctx_span *required = ctx_mem_new(
	    (sum->opt.require.n + 1) * sizeof(*required));
	int rc = check_provider_options(sum, err);

	if (rc < 0 || sum->opt.provider != NULL) {
		free(required);
		return rc < 0 ? -1 : summarize_by_provider(sum, argc, argv, err);
	}
	if (argc == 0)
		cli_sessions_default(&sum->opt.session);
	rc = check_options(sum, err);

	for (size_t i = 0; i < sum->opt.require.n; i++)
		required[i] = ctx_span_of(sum->opt.require.v[i]);
	sum->opt.s.required = required;
	sum->opt.s.n_required = sum->opt.require.n;
	if (rc == 0)
		rc = cli_tokenizer_open(&sum->opt.s.tokenizer, err);
	if (rc == 0)
		rc = sum->opt.session.n > 0
			 ? run_stored(sum, argc, argv, err)
			 : cli_windows(NULL, argc, argv, summarize_window, sum, err);
	ctx_tokenizer_close(sum->opt.s.tokenizer);
	free(required);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-summarize",
    .synopsis = "[--fraction SHARE | --keep-last N] [OPTION ...] [FILE ...]\n"
		"-s SID [-n] [--fraction SHARE | --keep-last N] [OPTION ...]\n"
		"-s SID --undo [-n]\n"
		"--provider NAME [--instructions TEXT] [--headers FILE] [BODY]\n"
		"--provider NAME --request FILE [-s SID] [-n] [ANSWER]",
    .about =
	"Replaces old messages with a summary in a window, or stores a summary of a session's messages.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
