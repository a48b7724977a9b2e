#include "prune.h"

#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "provider/provider.h"

static struct pruning pruning;

static struct cli_option options[] = {
    {"strategy", 0, "LIST",
	"strategies: recent (default), score, filter, system, important, comprehensive, tools, truncate",
	CLI_STRING, &pruning.opt.strategy, "CTX_STRATEGY"},
    CLI_BUDGET_OPTION,
    {"protect", 0, "WHAT",
	"never drop or change messages with role=NAME or calls of tool=NAME (repeatable)",
	CLI_LIST, &pruning.opt.protect, NULL},
    {"keep-last", 0, "N",
	"never drop the newest N groups (a message, or tool calls with their results)",
	CLI_INT, &pruning.opt.policy.keep_last, NULL},
    {"keep-turns", 0, "N", "never drop the newest N turns", CLI_INT,
	&pruning.opt.policy.keep_turns, NULL},
    {"drop-prefix", 0, NULL,
	"if needed, also drop what ctx-enrich added in the slot \"prefix\"", CLI_FLAG,
	&pruning.opt.policy.drop_prefix, NULL},
    {"stub", 0, NULL,
	"with --strategy filter: keep the tool calls and clear only their results",
	CLI_FLAG, &pruning.opt.policy.stub, NULL},
    {"tools-keep", 0, "K",
	"with --strategy tools: never clear the newest K results (default 3)", CLI_INT,
	&pruning.opt.policy.tools_keep, NULL},
    {"clear-at-least", 0, "TOKENS",
	"with --strategy tools: clear results only if this frees at least this many tokens",
	CLI_INT, &pruning.opt.policy.clear_at_least, NULL},
    {"max-chars", 0, "N",
	"with --strategy truncate: maximum characters of a text (default 5000)", CLI_INT,
	&pruning.opt.policy.max_chars, NULL},
    {"results-only", 0, NULL, "with --strategy truncate: shorten only tool results",
	CLI_FLAG, &pruning.opt.policy.results_only, NULL},
    {"keep", 0, "PART",
	"part of a text that --strategy truncate keeps: head (default) or head-tail",
	CLI_STRING, &pruning.opt.keep, NULL},
    {"provider", 'p', "NAME", "provider whose image costs are counted: " CLI_PROVIDERS,
	CLI_STRING, &cli_common.provider, "CTX_PROVIDER"},
    {"params", 0, "FILE",
	"also count the tokens of the tools and system text that ctx-render adds",
	CLI_STRING, &pruning.opt.params, "CTX_PARAMS"},
    {"no-cut", 0, NULL, "never shorten tool results to fit the budget", CLI_FLAG,
	&pruning.opt.no_cut, NULL},
    {"report", 0, "FILE", "write a record for each dropped or changed message",
	CLI_STRING, &pruning.opt.report, NULL},
    {"session", 's', "SID",
	"with --apply, --hide or --undo: a stored session (repeatable)", CLI_LIST,
	&pruning.opt.session, NULL},
    {"apply", 0, NULL,
	"hide the stored messages that would be dropped, and print the event record",
	CLI_FLAG, &pruning.opt.apply, NULL},
    {"hide", 0, NULL,
	"hide the stored messages that the operands name, and print the event record",
	CLI_FLAG, &pruning.opt.hide, NULL},
    {"undo", 0, NULL,
	"undo the last --apply or --hide: make the hidden messages visible again",
	CLI_FLAG, &pruning.opt.undo, NULL},
    {"dry-run", 'n', NULL,
	"with --apply, --hide or --undo: change nothing, only print the event record",
	CLI_FLAG, &pruning.opt.dry_run, NULL},
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

/* Parses the argument of --strategy, for example "filter,recent". */
static int
parse_strategies(struct pruning *pru, struct ctx_err *err)
{
	const char *p = pru->opt.strategy;

	while (p != NULL) {
		const char *comma = strchr(p, ',');
		struct ctx_span name = {
		    p, comma == NULL ? strlen(p) : (size_t)(comma - p)};
		int s = ctx_strategy_parse(name);
		if (s < 0 || pru->opt.policy.n_strategies == CTX_STRATEGIES_MAX)
			return ctx_err_set(err, CTX_EUSAGE,
			    "unknown strategy '%.*s' (--help lists them)", (int)name.n,
			    name.p);
		pru->opt.policy
		    .strategies[pru->opt.policy.n_strategies++] = (enum ctx_strategy)s;
		p = comma == NULL ? NULL : comma + 1;
	}
	return 0;
}

static int
parse_protect(struct pruning *pru, struct ctx_err *err)
{
	static const char **tools;

	tools = ctx_mem_new((pru->opt.protect.n + 1) * sizeof(*tools));
	pru->opt.policy.protect_tools = tools;
	for (size_t i = 0; i < pru->opt.protect.n; i++) {
		const char *what = pru->opt.protect.v[i];
		struct ctx_buf quoted = CTX_BUF_INIT;
		int role;
		if (strncmp(what, "tool=", 5) == 0 && what[5] != '\0') {
			tools[pru->opt.policy.n_protect_tools++] = what + 5;
			continue;
		}
		ctx_json_put_string(
		    &quoted, ctx_span_of(strncmp(what, "role=", 5) == 0 ? what + 5 : ""));
		role = ctx_role_parse(ctx_buf_span(&quoted));
		ctx_buf_release(&quoted);
		if (role < 0)
			return ctx_err_set(err, CTX_EUSAGE,
			    "--protect: '%s' is neither role=ROLE nor tool=NAME", what);
		pru->opt.policy.protect_roles |= 1u << role;
	}
	return 0;
}

static bool
has_strategy(const struct pruning *pru, enum ctx_strategy strategy)
{
	for (size_t i = 0; i < pru->opt.policy.n_strategies; i++)
		if (pru->opt.policy.strategies[i] == strategy)
			return true;
	return false;
}

/* Refuses options of strategies that were not chosen. */
static int
check_strategy_options(const struct pruning *pru, struct ctx_err *err)
{
	const struct {
		const void *value;
		enum ctx_strategy strategy;
		const char *needs;
	} rows[] = {{&pru->opt.policy.stub, CTX_STRATEGY_FILTER, "--strategy filter"},
	    {&pru->opt.policy.tools_keep, CTX_STRATEGY_TOOLS, "--strategy tools"},
	    {&pru->opt.policy.clear_at_least, CTX_STRATEGY_TOOLS, "--strategy tools"},
	    {&pru->opt.policy.max_chars, CTX_STRATEGY_TRUNCATE, "--strategy truncate"},
	    {&pru->opt.policy.results_only, CTX_STRATEGY_TRUNCATE, "--strategy truncate"},
	    {&pru->opt.keep, CTX_STRATEGY_TRUNCATE, "--strategy truncate"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (cli_check_needs(rows[i].value, has_strategy(pru, rows[i].strategy),
			rows[i].needs, err) < 0)
			return -1;
	return 0;
}

static int
check_options(struct pruning *pru, struct ctx_err *err)
{
	int provider, modes;

	if (parse_strategies(pru, err) < 0 || parse_protect(pru, err) < 0)
		return -1;
	if (pru->opt.keep != NULL && strcmp(pru->opt.keep, "head") != 0 &&
	    strcmp(pru->opt.keep, "head-tail") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--keep: '%s' is not head or head-tail", pru->opt.keep);
	pru->opt.policy.head_tail = pru->opt.keep != NULL &&
				    strcmp(pru->opt.keep, "head-tail") == 0;
	if (cli_flagged(&cli_common.provider) && cli_provider(&provider, false, err) < 0)
		return -1;
	modes = pru->opt.apply + pru->opt.undo + pru->opt.hide;
	if (cli_check_alone("apply hide undo", err) < 0)
		return -1;
	if ((pru->opt.session.n > 0 || pru->opt.dry_run) && modes == 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "-s and -n need --apply, --hide or --undo");
	if (pru->opt.report != NULL && modes > 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--report cannot be used with --apply, --hide or --undo");
	if (check_strategy_options(pru, err) < 0)
		return -1;
	if (pru->opt.undo)
		return cli_check_form("--undo", "undo session dry-run", err);
	if (pru->opt.hide)
		return cli_check_form("--hide", "hide session dry-run", err);
	return pru->opt.apply
		   ? cli_check_form("--apply",
			 "apply session dry-run strategy budget protect keep-last keep-turns "
			 "tools-keep clear-at-least max-chars results-only keep stub tokenizer",
			 err)
		   : 0;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct pruning *pru = &pruning;
	struct ctx_buf params = CTX_BUF_INIT;
	int rc = check_options(pru, err);

	if (rc == 0)
		rc = cli_tokenizer_open(&pru->tokenizer, err);
	if (rc == 0)
		rc = cli_read_params(pru->opt.params, &params, &pru->params, err);
	if (rc == 0)
		rc = cli_tokenizer_model(
		    pru->tokenizer, ctx_json_get(pru->params, "model"), err);
	if (rc == 0)
		rc = pru->opt.apply || pru->opt.undo || pru->opt.hide
			 ? run_stored(pru, argc, argv, err)
			 : cli_windows_trimmed(NULL, argc, argv, prune_window,
			       trim_prune_stream, pru, err);
	if (rc == 0 && pru->opt.report != NULL)
		rc = ctx_io_replace_file(pru->opt.report,
		    pru->report.p == NULL ? "" : pru->report.p, pru->report.n, err);
	ctx_buf_release(&pru->report);
	ctx_buf_release(&params);
	ctx_recognisers_free(pru->recognisers);
	ctx_tokenizer_close(pru->tokenizer);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-prune",
    .synopsis = "[-b TOKENS] [--strategy LIST] [OPTION ...] [FILE ...]\n"
		"--apply [-n] [-s SID] [-b TOKENS | --keep-turns N] [OPTION ...]\n"
		"--hide [-n] -s SID {SEQ | SEQ-SEQ | last | turn} ...\n"
		"--undo [-n] [-s SID]",
    .about =
	"Prints the messages of a window that fit a token budget; with --apply, hides the other messages in the store.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	ctx_policy_init(&pruning.opt.policy);
	return cli_main(&command, argc, argv);
}
