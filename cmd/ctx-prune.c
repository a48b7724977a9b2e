#include "prune.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "provider/provider.h"
#include "record/stream.h"
#include "render/render.h"
#include "select/account.h"
#include "window/hide.h"

#define COMPREHENSIVE_BUDGET 4000 /* of its design, when none is given */

static struct pruning pruning;

static struct cli_option options[] = {
    {"strategy", 0, "LIST",
	"recent (default), score, filter, system, important, comprehensive, tools, truncate",
	CLI_STRING, &pruning.opt.strategy, "CTX_STRATEGY"},
    CLI_BUDGET_OPTION,
    {"protect", 0, "WHAT",
	"role=NAME or tool=NAME: never drop or change these (repeatable)", CLI_LIST,
	&pruning.opt.protect, NULL},
    {"keep-last", 0, "N", "never drop the newest N groups", CLI_INT,
	&pruning.opt.policy.keep_last, NULL},
    {"keep-turns", 0, "N", "never drop the newest N turns", CLI_INT,
	&pruning.opt.policy.keep_turns, NULL},
    {"drop-prefix", 0, NULL, "prefix additions may be dropped too", CLI_FLAG,
	&pruning.opt.policy.drop_prefix, NULL},
    {"stub", 0, NULL, "filter: keep calls and results, but clear the results' text",
	CLI_FLAG, &pruning.opt.policy.stub, NULL},
    {"tools-keep", 0, "K", "tools: do not clear the newest K results (default 3)",
	CLI_INT, &pruning.opt.policy.tools_keep, NULL},
    {"clear-at-least", 0, "TOKENS", "tools: clear only if that frees this many tokens",
	CLI_INT, &pruning.opt.policy.clear_at_least, NULL},
    {"max-chars", 0, "N", "truncate: limit of characters for a text (default 5000)",
	CLI_INT, &pruning.opt.policy.max_chars, NULL},
    {"results-only", 0, NULL, "truncate: only tool results", CLI_FLAG,
	&pruning.opt.policy.results_only, NULL},
    {"keep", 0, "PART", "truncate: head (default) or head-tail", CLI_STRING,
	&pruning.opt.keep, NULL},
    {"provider", 'p', "NAME", "count images by their cost for this provider", CLI_STRING,
	&cli_common.provider, "CTX_PROVIDER"},
    {"params", 0, "FILE", "count the tools and system text that ctx-render will add",
	CLI_STRING, &pruning.opt.params, "CTX_PARAMS"},
    {"no-cut", 0, NULL, "never shorten tool results", CLI_FLAG, &pruning.opt.no_cut,
	NULL},
    {"report", 0, "FILE", "write a record per dropped or changed message", CLI_STRING,
	&pruning.opt.report, NULL},
    {"session", 's', "SID",
	"with --apply, --hide or --undo: a stored session (repeatable)", CLI_LIST,
	&pruning.opt.session, NULL},
    {"apply", 0, NULL, "hide messages in the store; prints the event", CLI_FLAG,
	&pruning.opt.apply, NULL},
    {"hide", 0, NULL, "hide these messages in the store; prints the event", CLI_FLAG,
	&pruning.opt.hide, NULL},
    {"undo", 0, NULL, "show again what the last --apply or --hide hid", CLI_FLAG,
	&pruning.opt.undo, NULL},
    {"dry-run", 'n', NULL, "with --apply, --hide or --undo: only print the event",
	CLI_FLAG, &pruning.opt.dry_run, NULL},
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

/* One window, or one list of messages. */
struct prune {
	struct ctx_stream *in;
	struct ctx_history history;
	size_t *item_of; /* record index -> item index, or SIZE_MAX */
	struct ctx_span *sources;
	struct ctx_request request;
	int64_t budget;
	int provider;    /* enum ctx_provider; -1: not known */
	int64_t besides; /* tokens of what is no message */
};

/* Counted here, whatever the record says: a filter before us may have changed the message,
 * and ctx-render counts again. */
static int64_t
count_pruned_message(struct pruning *pru, struct ctx_span message, int provider)
{
	static struct ctx_message view;
	struct ctx_err ignored;

	return ctx_message_parse(&view, message, &ignored) < 0
		   ? 0
		   : ctx_tokens_sent(pru->tokenizer, &view, provider);
}

static double
get_similarity_score(const struct ctx_record *r)
{
	double score = 0;

	ctx_json_double(ctx_json_get(r->source, "similarity_score"), &score);
	return score;
}

/* Who will get the request: as for ctx-render the command line says it first; a window
 * knows what it was made for better than the environment. */
static int
provider_of(const struct prune *p)
{
	const char *name = cli_common.provider;

	if (p->request.provider != NULL && !cli_flagged(&cli_common.provider))
		name = p->request.provider;
	return name == NULL ? -1 : ctx_provider_parse(name);
}

/* Does an addition bring a tool that can be called? */
static bool
is_tool(const struct ctx_record *r)
{
	static struct ctx_message view;
	struct ctx_err ignored;

	return r->slot != CTX_SLOT_HISTORY &&
	       ctx_json_is(ctx_json_get(r->source, "type"), "tool") &&
	       ctx_message_parse(&view, r->message, &ignored) == 0 &&
	       ctx_message_tool(&view).p != NULL;
}

/* Messages are counted now, or where that is needed. */
static int
load_prune_history(
    struct pruning *pru, struct prune *p, bool counted, struct ctx_err *err)
{
	struct ctx_stream *in = p->in;

	p->item_of = ctx_mem_new((in->n + 1) * sizeof(*p->item_of));
	p->sources = ctx_mem_new((in->n + 1) * sizeof(*p->sources));
	if (in->request < in->n &&
	    ctx_request_parse(&p->request, in->records[in->request].line, err) < 0)
		return -1;
	p->provider = provider_of(p);
	p->besides = pru->params_tokens;
	for (size_t i = 0; i < in->n; i++) {
		const struct ctx_record *r = &in->records[i];
		struct ctx_item item = {.message = r->message,
		    .seq = r->seq,
		    .created_at = r->created_at,
		    .slot = r->slot,
		    .pinned = r->pinned == 1,
		    .sent = r->sent,
		    .place = r->place};
		p->item_of[i] = SIZE_MAX;
		if (r->kind != CTX_KIND_MESSAGE)
			continue;
		item.tokens = counted ? count_pruned_message(pru, r->message, p->provider)
				      : -1;
		item.score = get_similarity_score(r);
		item.named = ctx_names_entity(&pru->opt.policy, r->message) ||
			     ctx_record_tools_used(r->metadata, NULL, 0) > 0;
		if (is_tool(r) && !pru->given_tools)
			p->besides = pru->params_tokens +
				     ctx_tokens_tools_prompt(p->provider);
		p->item_of[i] = p->history.n;
		p->sources[p->history.n] = r->source;
		if (ctx_history_add(&p->history, &item, err) < 0)
			return -1;
	}
	ctx_history_group(&p->history);
	return 0;
}

int
limit_by_keep(struct ctx_policy *p, struct ctx_err *err)
{
	bool limit = p->n_strategies == 0;

	for (size_t i = 0; i < p->n_strategies; i++)
		limit |= p->strategies[i] == CTX_STRATEGY_RECENT ||
			 p->strategies[i] == CTX_STRATEGY_SCORE;
	if (!limit)
		return 0;
	if (p->keep_last == 0 && p->keep_turns == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "no limit: give -b TOKENS (CTX_BUDGET), --keep-turns or --keep-last");
	p->max_messages = 0;
	p->beyond = p->keep_last > 0 ? CTX_REASON_COUNT : CTX_REASON_TURNS;
	return 0;
}

static int
make_policy(
    struct pruning *pru, struct prune *p, struct ctx_policy *policy, struct ctx_err *err)
{
	bool comprehensive = false;

	*policy = pru->opt.policy;
	for (size_t i = 0; i < policy->n_strategies; i++)
		comprehensive |= policy->strategies[i] == CTX_STRATEGY_COMPREHENSIVE;
	p->budget = cli_common.budget >= 0 ? cli_common.budget : p->request.budget;
	if (p->budget < 0 && comprehensive)
		p->budget = COMPREHENSIVE_BUDGET;
	if (p->budget < 0 && limit_by_keep(policy, err) < 0)
		return -1;
	policy->tokenizer = pru->tokenizer;
	policy->provider = p->provider;
	policy->user_first = ctx_provider_user_first(p->provider);
	policy->only_over = cli_flagged(&cli_common.budget);
	policy->over = pru->over_budget;
	if (p->budget >= 0) {
		policy->budget = p->budget - CTX_TOKENS_REPLY - p->besides;
		policy->cut_base = pru->opt.no_cut ? -1 : p->budget;
		if (policy->budget < 0)
			return ctx_err_set(err, CTX_EANSWER,
			    p->besides > 0
				? "the parameters alone exceed the budget of %lld"
				: "no message fits into the budget of %lld",
			    (long long)p->budget);
	}
	return 0;
}

static int
choose_pruned_items(struct pruning *pru, struct prune *p, struct ctx_err *err)
{
	struct ctx_policy policy;
	int64_t total;

	if (make_policy(pru, p, &policy, err) < 0 ||
	    ctx_select(&p->history, &policy, err) < 0)
		return -1;
	total = ctx_account_total(&p->history) + p->besides;
	if (p->budget >= 0 && total > p->budget)
		return ctx_err_set(err, CTX_EANSWER,
		    "what must stay is %lld tokens over the budget of %lld",
		    (long long)(total - p->budget), (long long)p->budget);
	return 0;
}

/* Forget what a long list can do without: messages that are dropped whatever follows. With
 * a report, each of them is needed to the end. */
static int
trim_prune_stream(void *arg, struct ctx_stream *in, struct ctx_err *err)
{
	struct pruning *pru = arg;
	struct prune p = {.in = in};
	struct ctx_policy policy;
	bool *gone = NULL;
	int rc;

	if (pru->opt.report != NULL)
		return 0;
	ctx_request_init(&p.request);
	rc = load_prune_history(pru, &p, false, err);
	if (rc == 0)
		rc = make_policy(pru, &p, &policy, err);
	if (rc == 0) {
		gone = ctx_mem_new(in->n + p.history.n + 1);
		if (ctx_select_forget(&p.history, &policy, gone + in->n)) {
			pru->over_budget = true;
			for (size_t i = 0; i < in->n; i++)
				gone[i] = p.item_of[i] != SIZE_MAX &&
					  gone[in->n + p.item_of[i]];
		}
		ctx_stream_forget(in, gone);
	}
	free(gone);
	free(p.item_of);
	free(p.sources);
	ctx_history_release(&p.history);
	ctx_request_release(&p.request);
	return rc;
}

static void
print_pruned_window(struct pruning *pru, struct prune *p)
{
	for (size_t i = 0; i < p->in->n; i++) {
		const struct ctx_record *r = &p->in->records[i];
		const struct ctx_item *it = p->item_of[i] == SIZE_MAX
						? NULL
						: &p->history.items[p->item_of[i]];
		if (it != NULL && !it->keep)
			continue;
		if (i == p->in->request) {
			p->request.budget = p->budget;
			ctx_account(&p->request, &p->history, p->sources);
			ctx_account_strategies(&p->request, &pru->opt.policy);
			ctx_request_print(&cli_out.buf, &p->request);
			continue;
		}
		if (it != NULL && it->message.p != r->message.p)
			ctx_record_replace(&cli_out.buf, r, it->message,
			    r->token_count >= 0
				? count_pruned_message(pru, it->message, -1)
				: -1);
		else
			ctx_buf_addspan(&cli_out.buf, r->line);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
}

/* A record per decision that was not simply to keep. before: tokens as they came. */
static void
add_to_report(struct pruning *pru, const struct prune *p, const struct ctx_item *it,
    const struct ctx_record *r, size_t position)
{
	struct ctx_buf *b = &pru->report;
	int64_t before = it->tokens;

	if (it->keep && it->reason == CTX_REASON_NONE)
		return;
	if (it->message.p != r->message.p)
		before = count_pruned_message(
		    pru, p->in->records[position].message, p->provider);
	ctx_json_put_open(b, '{');
	ctx_json_add_str(b, "kind", "decision");
	ctx_json_add_raw(b, "session_id", r->session_id);
	ctx_json_add_int(b, "position", (int64_t)position + 1);
	if (r->seq > 0)
		ctx_json_add_int(b, "seq", r->seq);
	ctx_json_add_raw(b, "id", r->id);
	ctx_json_add_raw(b, "source", r->source);
	ctx_json_add_str(b, "decision", it->keep ? "changed" : "dropped");
	ctx_json_add_str(b, "reason", ctx_reason_name(it->reason));
	ctx_json_add_int(b, "tokens_before", before);
	ctx_json_add_int(b, "tokens_after", it->keep ? it->tokens : 0);
	ctx_json_put_close(b, '}');
	ctx_buf_addc(b, '\n');
}

static int
prune_window(void *arg, struct ctx_stream *in, struct ctx_err *err)
{
	struct pruning *pru = arg;
	struct prune p = {.in = in};
	int rc;

	ctx_request_init(&p.request);
	rc = load_prune_history(pru, &p, true, err);
	if (rc == 0)
		rc = choose_pruned_items(pru, &p, err);
	if (rc == 0) {
		print_pruned_window(pru, &p);
		for (size_t i = 0; pru->opt.report != NULL && i < in->n; i++)
			if (p.item_of[i] != SIZE_MAX)
				add_to_report(pru, &p, &p.history.items[p.item_of[i]],
				    &in->records[i], i);
		rc = cli_flush(err);
	}
	pru->over_budget = false;
	free(p.item_of);
	free(p.sources);
	ctx_history_release(&p.history);
	ctx_request_release(&p.request);
	return rc;
}

/* "filter,recent" */
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

/* Options of a strategy that was not chosen. */
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
	if (modes > 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--apply, --hide and --undo cannot be used together");
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
	struct ctx_span v;
	int rc = check_options(pru, err);

	if (rc == 0)
		rc = cli_tokenizer_open(&pru->tokenizer, err);
	if (rc == 0)
		rc = cli_read_params(pru->opt.params, &params, &v, err);
	if (rc == 0) {
		pru->params_tokens = ctx_render_params_tokens(pru->tokenizer, v);
		pru->given_tools = ctx_tokens_tools(
				       pru->tokenizer, ctx_json_get(v, "tools")) > 0;
	}
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
	"Passes on those messages that fit a budget, whole groups of them; or hides the others in the store.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	ctx_policy_init(&pruning.opt.policy);
	return cli_main(&command, argc, argv);
}
