#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/stream.h"
#include "render/render.h"
#include "select/account.h"
#include "select/select.h"

#define PARAMS_MAX ((size_t)16 << 20)
#define COMPREHENSIVE_BUDGET 4000   /* of its design, when none is given */

static struct {
	const char *params, *strategy, *keep;
	struct cli_list protect;
	struct ctx_policy policy;
	bool no_cut;
} opt;

static struct cli_option options[] = {
    {"strategy", 0, "LIST",
	"recent (default), score, filter, system, important, comprehensive, tools, truncate",
	CLI_STRING, &opt.strategy, "CTX_STRATEGY"},
    CLI_BUDGET_OPTION,
    {"protect", 0, "WHAT", "role=NAME or tool=NAME: never dropped or changed; repeatable",
	CLI_LIST, &opt.protect, NULL},
    {"keep-last", 0, "N", "never drop the newest N groups", CLI_INT, &opt.policy.keep_last,
	NULL},
    {"keep-turns", 0, "N", "never drop the newest N turns", CLI_INT, &opt.policy.keep_turns,
	NULL},
    {"drop-prefix", 0, NULL, "prefix additions may be dropped too", CLI_FLAG,
	&opt.policy.drop_prefix, NULL},
    {"stub", 0, NULL, "filter: clear tool results, keep the pairs", CLI_FLAG,
	&opt.policy.stub, NULL},
    {"tools-keep", 0, "K", "tools: leave the newest K results (default 3)", CLI_INT,
	&opt.policy.tools_keep, NULL},
    {"clear-at-least", 0, "TOKENS", "tools: only if clearing frees so many", CLI_INT,
	&opt.policy.clear_at_least, NULL},
    {"max-chars", 0, "N", "truncate: characters that a text may have (default 5000)", CLI_INT,
	&opt.policy.max_chars, NULL},
    {"results-only", 0, NULL, "truncate: only tool results", CLI_FLAG,
	&opt.policy.results_only, NULL},
    {"keep", 0, "PART", "truncate: head (default) or head-tail", CLI_STRING, &opt.keep, NULL},
    {"params", 0, "FILE", "count what ctx-render will add from this file (tools, system)",
	CLI_STRING, &opt.params, NULL},
    {"no-cut", 0, NULL, "never shorten tool results", CLI_FLAG, &opt.no_cut, NULL},
    CLI_TOKENIZER_OPTION,
    CLI_END,
};

static struct ctx_tokenizer *tokenizer;
static int64_t params_tokens;

/* One window, or one list of messages. */
struct prune {
	struct ctx_stream *in;
	struct ctx_history history;
	size_t *item_of;             /* record index -> item index, or SIZE_MAX */
	struct ctx_span *sources;
	struct ctx_request request;
	int64_t budget;
};

static int64_t
tokens_of(struct prune *p, const struct ctx_record *r)
{
	struct ctx_message *view = &p->history.scratch;
	struct ctx_err ignored;

	if (r->token_count >= 0 && ctx_json_is(r->tokenizer, ctx_tokenizer_name(tokenizer)))
		return r->token_count;
	return ctx_message_parse(view, r->message, &ignored) < 0
		   ? 0
		   : ctx_tokens_message(tokenizer, view);
}

static double
score_of(const struct ctx_record *r)
{
	double score = 0;

	ctx_json_double(ctx_json_get(r->source, "similarity_score"), &score);
	return score;
}

static int
load(struct prune *p, struct ctx_err *err)
{
	struct ctx_stream *in = p->in;

	p->item_of = ctx_mem_new((in->n + 1) * sizeof(*p->item_of));
	p->sources = ctx_mem_new((in->n + 1) * sizeof(*p->sources));
	for (size_t i = 0; i < in->n; i++) {
		const struct ctx_record *r = &in->records[i];
		struct ctx_item item = {.message = r->message, .seq = r->seq,
		    .created_at = r->created_at, .slot = r->slot, .pinned = r->pinned == 1};
		p->item_of[i] = SIZE_MAX;
		if (r->kind != CTX_KIND_MESSAGE)
			continue;
		item.tokens = tokens_of(p, r);
		item.score = score_of(r);
		p->item_of[i] = p->history.n;
		p->sources[p->history.n] = r->source;
		if (ctx_history_add(&p->history, &item, err) < 0)
			return -1;
	}
	ctx_history_group(&p->history);
	if (in->request == in->n)
		return 0;
	return ctx_request_parse(&p->request, in->records[in->request].line, err);
}

/* recent and score need a limit; the others can do without. */
static bool
needs_budget(const struct ctx_policy *p)
{
	for (size_t i = 0; i < p->n_strategies; i++)
		if (p->strategies[i] == CTX_STRATEGY_RECENT || p->strategies[i] == CTX_STRATEGY_SCORE)
			return true;
	return p->n_strategies == 0;
}

static int
choose(struct prune *p, struct ctx_err *err)
{
	struct ctx_policy policy = opt.policy;
	bool comprehensive = false;
	int64_t total;

	for (size_t i = 0; i < policy.n_strategies; i++)
		comprehensive |= policy.strategies[i] == CTX_STRATEGY_COMPREHENSIVE;
	p->budget = cli_common.budget >= 0 ? cli_common.budget : p->request.budget;
	if (p->budget < 0 && comprehensive)
		p->budget = COMPREHENSIVE_BUDGET;
	if (p->budget < 0 && needs_budget(&policy))
		return ctx_err_set(err, CTX_EUSAGE, "no budget: give -b TOKENS or CTX_BUDGET");
	policy.tokenizer = tokenizer;
	if (p->budget >= 0) {
		policy.budget = p->budget - CTX_TOKENS_REPLY - params_tokens;
		policy.cut_base = opt.no_cut ? -1 : p->budget;
		if (policy.budget < 0)
			return ctx_err_set(err, CTX_EANSWER,
			    "the parameters alone exceed the budget of %lld", (long long)p->budget);
	}
	if (ctx_select(&p->history, &policy, err) < 0)
		return -1;
	total = ctx_account_total(&p->history) + params_tokens;
	if (p->budget >= 0 && total > p->budget)
		return ctx_err_set(err, CTX_EANSWER,
		    "what must stay exceeds the budget of %lld tokens by %lld", (long long)p->budget,
		    (long long)(total - p->budget));
	return 0;
}

static void
print(struct prune *p)
{
	for (size_t i = 0; i < p->in->n; i++) {
		const struct ctx_record *r = &p->in->records[i];
		const struct ctx_item *it =
		    p->item_of[i] == SIZE_MAX ? NULL : &p->history.items[p->item_of[i]];
		if (it != NULL && !it->keep)
			continue;
		if (i == p->in->request) {
			p->request.budget = p->budget;
			ctx_account(&p->request, &p->history, p->sources);
			ctx_request_print(&cli_out.buf, &p->request);
			continue;
		}
		if (it != NULL && it->message.p != r->message.p)
			ctx_record_replace(&cli_out.buf, r, it->message,
			    r->token_count >= 0 ? it->tokens : -1);
		else
			ctx_buf_addspan(&cli_out.buf, r->line);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
}

static int
prune(struct ctx_stream *in, struct ctx_err *err)
{
	struct prune p = {.in = in};
	int rc;

	ctx_request_init(&p.request);
	rc = load(&p, err);
	if (rc == 0)
		rc = choose(&p, err);
	if (rc == 0) {
		print(&p);
		rc = cli_flush(err);
	}
	free(p.item_of);
	free(p.sources);
	ctx_history_release(&p.history);
	ctx_request_release(&p.request);
	return rc;
}

static int
read_params(struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span v;
	int rc;

	if (opt.params == NULL)
		return 0;
	rc = ctx_io_read_file(opt.params, &text, PARAMS_MAX, err);
	if (rc == 0 && ctx_json_check(ctx_buf_span(&text), &v, NULL, err) < 0)
		rc = ctx_err_prefix(err, "%s", opt.params);
	if (rc == 0)
		params_tokens = ctx_render_params_tokens(tokenizer, v);
	ctx_buf_release(&text);
	return rc;
}

/* "filter,recent" */
static int
parse_strategies(struct ctx_err *err)
{
	const char *p = opt.strategy;

	while (p != NULL) {
		const char *comma = strchr(p, ',');
		struct ctx_span name = {p, comma == NULL ? strlen(p) : (size_t)(comma - p)};
		int s = ctx_strategy_parse(name);
		if (s < 0 || opt.policy.n_strategies == CTX_STRATEGIES_MAX)
			return ctx_err_set(err, CTX_EUSAGE, "unknown strategy '%.*s' (--help lists them)",
			    (int)name.n, name.p);
		opt.policy.strategies[opt.policy.n_strategies++] = (enum ctx_strategy)s;
		p = comma == NULL ? NULL : comma + 1;
	}
	return 0;
}

static int
parse_protect(struct ctx_err *err)
{
	static const char **tools;

	tools = ctx_mem_new((opt.protect.n + 1) * sizeof(*tools));
	opt.policy.protect_tools = tools;
	for (size_t i = 0; i < opt.protect.n; i++) {
		const char *what = opt.protect.v[i];
		struct ctx_buf quoted = CTX_BUF_INIT;
		int role;
		if (strncmp(what, "tool=", 5) == 0 && what[5] != '\0') {
			tools[opt.policy.n_protect_tools++] = what + 5;
			continue;
		}
		ctx_json_put_string(&quoted, ctx_span_of(strncmp(what, "role=", 5) == 0 ? what + 5 : ""));
		role = ctx_role_parse(ctx_buf_span(&quoted));
		ctx_buf_release(&quoted);
		if (role < 0)
			return ctx_err_set(err, CTX_EUSAGE,
			    "--protect: '%s' is neither role=ROLE nor tool=NAME", what);
		opt.policy.protect_roles |= 1u << role;
	}
	return 0;
}

static int
check_options(struct ctx_err *err)
{
	if (parse_strategies(err) < 0 || parse_protect(err) < 0)
		return -1;
	if (opt.keep != NULL && strcmp(opt.keep, "head") != 0 && strcmp(opt.keep, "head-tail") != 0)
		return ctx_err_set(err, CTX_EUSAGE, "--keep: '%s' is not head or head-tail", opt.keep);
	opt.policy.head_tail = opt.keep != NULL && strcmp(opt.keep, "head-tail") == 0;
	return 0;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc = check_options(err);

	if (rc == 0)
		rc = cli_tokenizer_open(&tokenizer, err);

	if (rc == 0)
		rc = read_params(err);
	if (rc == 0)
		rc = cli_windows(argc, argv, prune, err);
	ctx_tokenizer_close(tokenizer);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-prune",
    .synopsis = "[-b TOKENS] [--params FILE] [OPTION ...] [FILE ...]",
    .about = "Passes on those messages that fit the budget: the newest groups, whole.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	ctx_policy_init(&opt.policy);
	return cli_main(&command, argc, argv);
}
