#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "stats/pressure.h"
#include "store/purge.h"
#include "store/recount.h"
#include "store/stats.h"

static struct {
	struct cli_list session;
	const char *user, *by, *format, *tokenizer, *threshold;
	int64_t warn;
	const char *max_cost;
	bool cost, cache, prompt_cache, items, plot, timings, calibrate;
} opt = {.warn = -1, .format = "ndjson"};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"only this session (repeatable; '-': the sessions that the input records name)",
	CLI_LIST, &opt.session, NULL},
    {"user", 'u', "ID", "only sessions of this user", CLI_STRING, &opt.user, NULL},
    {"by", 0, "WHAT", "group by: session, user, day, model, tool or tokenizer",
	CLI_STRING, &opt.by, NULL},
    {"cost", 0, NULL, "print the cost of answers; --by groups the costs", CLI_FLAG,
	&opt.cost, NULL},
    {"max-cost", 0, "DOLLARS",
	"with --cost: exit with status 1 if the cost is higher than DOLLARS", CLI_STRING,
	&opt.max_cost, NULL},
    {"cache", 0, NULL, "print figures about the caches of ctx, one line for each cache",
	CLI_FLAG, &opt.cache, NULL},
    {"prompt-cache", 0, NULL,
	"print how many tokens providers read from their caches; --by groups the figures",
	CLI_FLAG, &opt.prompt_cache, NULL},
    {"calibrate", 0, NULL,
	"learn from stored usage how models count tokens, for auto:MODEL", CLI_FLAG,
	&opt.calibrate, NULL},
    {"items", 0, NULL,
	"print figures about the items in requests, one line for each item", CLI_FLAG,
	&opt.items, NULL},
    {"warn", 0, "PERCENT",
	"list sessions that use at least this share of their budget (exit status 1 if any)",
	CLI_INT, &opt.warn, NULL},
    {"threshold", 0, "SHARE",
	"share of the budget above which compression_needed is true (default 0.80)",
	CLI_STRING, &opt.threshold, "CTX_THRESHOLD"},
    {"plot", 0, NULL,
	"draw a chart of the tokens of each request or turn, with the budget", CLI_FLAG,
	&opt.plot, NULL},
    {"timings", 0, NULL, "measure how long opening the store, listing and reading take",
	CLI_FLAG, &opt.timings, NULL},
    {"tokenizer", 0, "NAME", "count with this tokenizer instead of using stored counts",
	CLI_STRING, &opt.tokenizer, NULL},
    {"format", 0, "FORMAT", "ndjson (default) or prometheus", CLI_STRING, &opt.format,
	NULL},
    CLI_BUDGET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static const char *const groupings[] = {
    "session", "user", "day", "model", "tool", "tokenizer"};

static struct ctx_store *store;
static struct ctx_stats_filter filter;
static struct ctx_figures figures;
static int grouping = -1;
static bool warned;
static double threshold = 0.8, max_cost = -1;

static struct ctx_tokenizer *tokenizer;
/* ---- how full a session is ---- */

static int
measure_session_fullness(const struct ctx_session *s, bool window,
    struct stats_fullness *f, struct ctx_err *err)
{
	struct stats_view view = {store, tokenizer, cli_common.budget, threshold};

	return stats_measure(&view, s, window, f, err);
}

/* ---- the figures ---- */

static void
add_operations(const struct ctx_operations *o)
{
	ctx_figures_add(&figures, "sessions_deleted", o->deleted);
	ctx_figures_add(&figures, "sessions_expired", o->expired);
	ctx_figures_add(&figures, "sessions_held", o->held);
	ctx_figures_add(&figures, "failed_requests", o->failed_requests);
	ctx_figures_add(&figures, "archive_bytes", o->archive_bytes);
	ctx_figures_add(&figures, "oldest_idle_seconds", o->oldest_idle);
	ctx_figures_add(&figures, "index_behind_messages", o->index_behind);
	ctx_figures_add(&figures, "last_check_timestamp_seconds", o->last_check);
	ctx_figures_add(&figures, "last_backup_timestamp_seconds", o->last_backup);
}

static int
print_totals(const struct ctx_session *s, struct ctx_err *err)
{
	const char *what = s != NULL ? "session_id" : opt.user != NULL ? "user_id" : NULL;
	struct stats_fullness full;
	struct ctx_operations o;
	struct ctx_stats t;

	if (ctx_stats_read(store, &filter, &t, err) < 0 ||
	    (s != NULL && measure_session_fullness(s, true, &full, err) < 0) ||
	    (what == NULL &&
		ctx_stats_operations(store, &filter, cli_now(), &o, err) < 0))
		return -1;
	ctx_figures_begin(
	    &figures, what, what, ctx_span_of(s != NULL ? s->session_id : opt.user));
	if (s == NULL) {
		ctx_figures_add(&figures, "sessions_active", t.active);
		ctx_figures_add(&figures, "sessions_archived", t.archived);
	}
	if (what == NULL)
		ctx_figures_add(&figures, "users", t.users);
	ctx_figures_add(&figures, "messages", t.messages);
	if (s != NULL)
		ctx_figures_add(&figures, "turns", full.turns);
	ctx_figures_add(&figures, "hidden_messages", t.hidden);
	ctx_figures_add(&figures, "tool_calls", t.tool_calls);
	ctx_figures_add(&figures, "tokens", t.tokens);
	ctx_figures_add(&figures, "requests", t.requests);
	ctx_figures_add(&figures, "answered_requests", t.answered);
	if (what == NULL) {
		ctx_figures_add(&figures, "store_bytes", t.bytes);
		ctx_figures_add(&figures, "derived_bytes", t.derived_bytes);
		add_operations(&o);
	}
	if (s != NULL)
		stats_add_fullness(&figures, &full);
	ctx_figures_end(&figures);
	return cli_flush_some(err);
}

static int
print_stats_group(
    void *arg CTX_UNUSED, const struct ctx_stats_group *g, struct ctx_err *err CTX_UNUSED)
{
	static const char *const members[] = {
	    "session_id", "user_id", "day", "model", "tool", "tokenizer"};

	ctx_figures_begin(&figures, members[grouping], opt.by, g->key);
	ctx_figures_add(&figures, "sessions", g->sessions);
	ctx_figures_add(&figures, "messages", g->messages);
	ctx_figures_add(&figures, "tool_calls", g->tool_calls);
	ctx_figures_add(&figures, "tokens", g->tokens);
	ctx_figures_add(&figures, "input_tokens", g->input_tokens);
	ctx_figures_add(&figures, "output_tokens", g->output_tokens);
	/* written at the end, so that a slow reader does not block the store */
	ctx_figures_end(&figures);
	return 0;
}

static int
print_cache(void *arg, const struct ctx_stats_cache *c, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_stats_cache *all = arg;

	if (all != NULL) {
		all->entries += c->entries;
		all->bytes += c->bytes;
		all->hits += c->hits;
		all->misses += c->misses;
	}
	ctx_figures_begin(&figures, "cache", "cache", ctx_span_of(c->kind));
	ctx_figures_add(&figures, "entries", c->entries);
	ctx_figures_add(&figures, "bytes", c->bytes);
	ctx_figures_add(&figures, "hits", c->hits);
	ctx_figures_add(&figures, "misses", c->misses);
	ctx_figures_add_share(&figures, "hit_rate", c->hits, c->hits + c->misses);
	ctx_figures_end(&figures);
	return 0;
}

/* Prints the figures of each kind of cache, and their total. Prometheus sums them up
 * itself, so it gets no total. */
static int
print_caches(struct ctx_err *err)
{
	struct ctx_stats_cache all = {.kind = "all"};
	int rc = ctx_stats_caches(store, print_cache, &all, err);

	if (rc == 0 && !figures.prometheus)
		rc = print_cache(NULL, &all, err);
	return rc;
}

/* ---- pressure ---- */

static int
warn_session(const struct ctx_session *s, struct ctx_err *err)
{
	struct stats_fullness full;
	int percent;

	if (measure_session_fullness(s, false, &full, err) < 0)
		return -1;
	percent = ctx_pressure_percent(&full.p);
	if (percent < 0 || percent < opt.warn)
		return 0;
	warned = true;
	ctx_figures_begin(&figures, "session_id", NULL, ctx_span_of(s->session_id));
	stats_add_pressure(&figures, &full);
	ctx_figures_end(&figures);
	return cli_flush_some(err);
}

static int
plot_session(const struct ctx_session *s, struct ctx_err *err)
{
	int rc = ctx_pressure_plot(&cli_out.buf, store, s, cli_common.budget, err);

	if (rc == 0)
		cli_warn("session '%s' has no tokens to plot", s->session_id);
	return rc < 0 ? -1 : cli_flush_some(err);
}

/* ---- timings ---- */

static double open_ms;

/* ---- which sessions ---- */

static int
print_one(void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	if (opt.plot)
		return plot_session(s, err);
	if (opt.warn >= 0)
		return warn_session(s, err);
	filter.session_no = s->no;
	if (grouping >= 0)
		return ctx_stats_group_by(store, &filter, (enum ctx_stats_by)grouping,
		    print_stats_group, NULL, err);
	return print_totals(s, err);
}

/* ---- counts by another tokenizer ---- */

static struct ctx_stats_total *totals;
static size_t n_totals, cap_totals;

static int
recount_session_total(
    void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	int64_t tokens;

	if (tokenizer == NULL)
		return 0;
	if (ctx_recount_total(store, s, tokenizer, &tokens, err) < 0)
		return -1;
	CTX_MEM_GROW(totals, n_totals, cap_totals);
	totals[n_totals++] = (struct ctx_stats_total){s->no, tokens};
	filter.totals = totals;
	filter.n_totals = n_totals;
	return 0;
}

static int
print_named_session_stats(
    void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	n_totals = 0;
	return recount_session_total(NULL, s, err) < 0 ? -1 : print_one(NULL, s, err);
}

static int
check_stats_form(struct ctx_err *err)
{
	if (cli_check_alone("user session", err) < 0)
		return -1;
	if (opt.cost)
		return cli_check_form(
		    "--cost", "cost max-cost by session user format", err);
	if (opt.cache)
		return cli_check_form("--cache", "cache format", err);
	if (opt.prompt_cache)
		return cli_check_form(
		    "--prompt-cache", "prompt-cache by session user format", err);
	if (opt.items)
		return cli_check_form("--items", "items session format", err);
	if (opt.calibrate)
		return cli_check_form("--calibrate", "calibrate user format", err);
	if (opt.plot)
		return cli_check_form("--plot", "plot session budget format", err);
	if (opt.timings)
		return cli_check_form("--timings", "timings session user format", err);
	if (opt.warn >= 0)
		return cli_check_form("--warn", "warn session user budget format", err);
	if (opt.by != NULL)
		return cli_check_form("--by", "by session user tokenizer format", err);
	if (opt.session.n > 0)
		return cli_check_form(
		    "--session", "session budget threshold tokenizer format", err);
	return cli_check_form("the totals of the store", "user tokenizer format", err);
}

static int
check_options(struct ctx_err *err)
{
	bool prometheus = strcmp(opt.format, "prometheus") == 0;

	figures.out = &cli_out.buf;
	figures.prometheus = prometheus;
	figures.group = opt.by != NULL ? opt.by : opt.cache ? "cache" : NULL;
	if (opt.prompt_cache)
		figures.group = "prompt_cache";
	if (!prometheus && strcmp(opt.format, "ndjson") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--format: '%s' is not ndjson or prometheus", opt.format);
	for (int i = 0;
	     opt.by != NULL && i < (int)(sizeof(groupings) / sizeof(groupings[0])); i++)
		if (strcmp(opt.by, groupings[i]) == 0)
			grouping = i;
	if (opt.by != NULL && grouping < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--by: '%s' is not session, user, day, model, tool or tokenizer",
		    opt.by);
	if (opt.prompt_cache && opt.by != NULL && grouping != CTX_STATS_MODEL &&
	    grouping != CTX_STATS_SESSION && grouping != CTX_STATS_DAY)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--prompt-cache can only be grouped by session, day or model");
	if (opt.cost + (opt.max_cost != NULL) > 0 &&
	    stats_check_cost(opt.cost, opt.by, prometheus || opt.tokenizer != NULL,
		opt.max_cost, &max_cost, err) < 0)
		return -1;
	if ((opt.by != NULL && !opt.prompt_cache && !opt.cost) + opt.cost +
		opt.prompt_cache + opt.cache + opt.items + opt.calibrate + opt.plot +
		(opt.warn >= 0) + opt.timings >
	    1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--by, --cache, --cost, --prompt-cache, --calibrate, --items, --plot, --timings and --warn cannot be used together");
	if (opt.tokenizer != NULL &&
	    (opt.cache || opt.items || opt.plot || opt.warn >= 0 || opt.timings ||
		grouping >= CTX_STATS_DAY))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--tokenizer can only be used with totals, --by session and --by user");
	if (opt.timings && opt.session.n > 1)
		return ctx_err_set(err, CTX_EUSAGE, "--timings accepts only one session");
	if (opt.threshold != NULL &&
	    cli_parse_share("--threshold", opt.threshold, &threshold, err) < 0)
		return -1;
	if (opt.items && (opt.user != NULL || prometheus))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--items cannot be used with -u or --format prometheus");
	if (opt.calibrate && (opt.session.n > 0 || prometheus || opt.tokenizer != NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--calibrate cannot be used with -s, --tokenizer or --format prometheus");
	if (opt.plot && opt.session.n == 0)
		return ctx_err_set(err, CTX_EUSAGE, "--plot needs a session (-s)");
	if (prometheus && (opt.plot || opt.timings || opt.warn >= 0 || opt.session.n > 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--format prometheus cannot be used with -s, --plot, --timings or --warn");
	return check_stats_form(err);
}

static int
print_stats(struct ctx_err *err)
{
	struct ctx_session_filter all = CTX_SESSION_FILTER_INIT;
	struct ctx_session_filter counted = CTX_SESSION_FILTER_INIT;
	int rc;

	filter.user_id = all.user_id = opt.user;
	if (opt.timings)
		return stats_timings(
		    store, &opt.session, opt.user, open_ms, &figures, err);
	if (opt.prompt_cache || opt.calibrate) {
		all.status[CTX_STATUS_ACTIVE] = all.status[CTX_STATUS_ARCHIVED] = true;
		if (opt.calibrate)
			return stats_calibrate(store, &all, err);
		return stats_prompt_cache(
		    store, &all, &opt.session, opt.by, &figures, err);
	}
	if (opt.cost)
		return stats_cost(store, &filter, &opt.session, opt.by, max_cost, err);
	if (opt.items)
		return stats_items(store, &opt.session, &figures, err);
	if (opt.session.n > 0)
		return cli_named_sessions(
		    store, &opt.session, true, print_named_session_stats, NULL, err);
	/* counts the messages of all sessions that are included */
	counted.user_id = opt.user;
	counted.status[CTX_STATUS_ACTIVE] = counted.status[CTX_STATUS_ARCHIVED] = true;
	if (tokenizer != NULL &&
	    cli_each_session(store, &counted, recount_session_total, NULL, err) < 0)
		return -1;
	/* on a server, the order of creation is not the order of numbers */
	if (n_totals > 0)
		qsort(totals, n_totals, sizeof(*totals), ctx_compare_int64);
	if (opt.warn >= 0)
		return cli_each_session(store, &all, print_one, NULL, err);
	if (opt.cache)
		rc = print_caches(err);
	else if (grouping >= 0)
		rc = ctx_stats_group_by(store, &filter, (enum ctx_stats_by)grouping,
		    print_stats_group, NULL, err);
	else
		rc = print_totals(NULL, err);
	ctx_figures_finish(&figures);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int64_t begun;
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 || check_options(err) < 0)
		return -1;
	begun = ctx_time_monotonic_us();
	if (cli_store_open(&store, 0, err) < 0)
		return -1;
	open_ms = (double)(ctx_time_monotonic_us() - begun) / 1000;
	rc = 0;
	if (opt.tokenizer != NULL) {
		cli_common.tokenizer = opt.tokenizer;
		rc = cli_tokenizer_open(&tokenizer, err);
	}
	if (rc == 0)
		rc = print_stats(err);
	ctx_tokenizer_close(tokenizer);
	free(totals);
	ctx_store_close(store);
	return rc == 0 && warned ? 1 : rc;
}

static const struct cli_command command = {
    .name = "ctx-stats",
    .synopsis =
	"[-s SID | -u USER] [--by WHAT | --cost | --cache | --prompt-cache | --calibrate | --items | --warn "
	"PERCENT | --plot | --timings] [OPTION ...]",
    .about = "Prints figures about the store, its sessions and its requests.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
