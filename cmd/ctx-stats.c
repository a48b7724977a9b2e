#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/item.h"
#include "store/recount.h"
#include "store/stats.h"

#define PAGE 256
#define TIMED_MESSAGES 20 /* as many as a window has by default */
#define PLOT_WIDTH 60
#define PLOT_HEIGHT 10

static struct {
	struct cli_list session;
	const char *user, *by, *format, *tokenizer;
	int64_t warn;
	bool cache, items, plot, timings;
} opt = {.warn = -1, .format = "ndjson"};

static struct cli_option options[] = {
    {"session", 's', "SID", "of this session (repeatable)", CLI_LIST, &opt.session, NULL},
    {"user", 'u', "ID", "of this user's sessions", CLI_STRING, &opt.user, NULL},
    {"by", 0, "WHAT", "a line per session, user, day, model, tool or tokenizer",
	CLI_STRING, &opt.by, NULL},
    {"cache", 0, NULL, "of the caches, a line per kind", CLI_FLAG, &opt.cache, NULL},
    {"items", 0, NULL, "of the items that went into requests, a line each", CLI_FLAG,
	&opt.items, NULL},
    {"warn", 0, "PERCENT",
	"sessions whose last request took so much of its budget: status 1", CLI_INT,
	&opt.warn, NULL},
    {"plot", 0, NULL, "draw the tokens of requests, or of turns, against the budget",
	CLI_FLAG, &opt.plot, NULL},
    {"timings", 0, NULL, "how long opening, listing and reading take here", CLI_FLAG,
	&opt.timings, NULL},
    {"tokenizer", 0, "NAME", "count by this tokenizer, rather than by those that counted",
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
static bool prometheus;
static int grouping = -1;
static bool warned;

/* ---- printing ---- */

/* One line of output: members of a JSON object, or a metric each. */
struct line {
	const char *label;     /* of metrics: the name of the label, NULL none */
	struct ctx_span value; /* and its value */
};

/* Samples of one metric must stand together: they are gathered, and printed at the end. */
static struct metric {
	const char *name;
	struct ctx_buf samples;
} metrics[16];

static struct ctx_buf *
samples_of(const char *name)
{
	struct metric *m = metrics;

	while (m->name != NULL && strcmp(m->name, name) != 0)
		m++;
	m->name = name;
	return &m->samples;
}

static void
add_metric_name(struct ctx_buf *b, const char *name)
{
	const char *group = opt.by != NULL ? opt.by : opt.cache ? "cache" : NULL;

	ctx_buf_addf(
	    b, "ctx_%s%s%s", group == NULL ? "" : group, group == NULL ? "" : "_", name);
}

static void
add_sample(const struct line *l, const char *name, int64_t v)
{
	struct ctx_buf *b = samples_of(name);

	add_metric_name(b, name);
	if (l->label != NULL)
		ctx_buf_addf(b, "{%s=\"", l->label);
	for (size_t i = 0; l->label != NULL && i < l->value.n; i++) {
		char c = l->value.p[i];
		if (c == '\\' || c == '"')
			ctx_buf_addc(b, '\\');
		if (c == '\n')
			ctx_buf_adds(b, "\\n");
		else
			ctx_buf_addc(b, c);
	}
	ctx_buf_addf(b, "%s %lld\n", l->label != NULL ? "\"}" : "", (long long)v);
}

static void
print_metrics(void)
{
	for (struct metric *m = metrics; m->name != NULL; m++) {
		ctx_buf_adds(&cli_out.buf, "# TYPE ");
		add_metric_name(&cli_out.buf, m->name);
		ctx_buf_adds(&cli_out.buf, " gauge\n");
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&m->samples));
		ctx_buf_release(&m->samples);
	}
}

static void
add_figure(const struct line *l, const char *name, int64_t v)
{
	if (v >= 0 && prometheus)
		add_sample(l, name, v);
	else if (v >= 0)
		ctx_json_add_int(&cli_out.buf, name, v);
}

static void
begin_line(void)
{
	if (!prometheus) {
		ctx_json_put_open(&cli_out.buf, '{');
		ctx_json_add_str(&cli_out.buf, "kind", "stats");
	}
}

static void
end_line(void)
{
	if (!prometheus) {
		ctx_json_put_close(&cli_out.buf, '}');
		ctx_buf_addc(&cli_out.buf, '\n');
	}
}

/* ---- the last request of a session ---- */

struct use {
	int64_t tokens, budget; /* -1 unknown */
};

static void
read_use(struct use *u, struct ctx_span record)
{
	struct ctx_span tokens = ctx_json_get(record, "tokens");

	u->tokens = u->budget = -1;
	if (!ctx_json_int(ctx_json_get(tokens, "total"), &u->tokens))
		u->tokens = -1;
	if (!ctx_json_int(ctx_json_get(record, "budget"), &u->budget))
		u->budget = cli_common.budget;
}

static int
percent(const struct use *u)
{
	return u->tokens < 0 || u->budget <= 0
		   ? -1
		   : (int)(100 * (double)u->tokens / (double)u->budget);
}

static int
last_use(const struct ctx_session *s, struct use *u, struct ctx_err *err)
{
	char *record;
	int rc = ctx_stats_last_request(store, s, &record, err);

	u->tokens = u->budget = -1;
	if (rc == 1)
		read_use(u, ctx_span_of(record));
	free(record);
	return rc < 0 ? -1 : 0;
}

/* ---- the figures ---- */

static int
print_totals(const struct ctx_session *s, struct ctx_err *err)
{
	struct line l = {s != NULL          ? "session_id"
			 : opt.user != NULL ? "user_id"
					    : NULL,
	    ctx_span_of(s != NULL ? s->session_id : opt.user)};
	struct ctx_stats t;
	struct use u;

	if (ctx_stats_read(store, &filter, &t, err) < 0)
		return -1;
	begin_line();
	if (!prometheus && l.label != NULL)
		ctx_json_add_string(&cli_out.buf, l.label, l.value);
	if (s == NULL) {
		add_figure(&l, "sessions_active", t.active);
		add_figure(&l, "sessions_archived", t.archived);
	}
	if (s == NULL && opt.user == NULL)
		add_figure(&l, "users", t.users);
	add_figure(&l, "messages", t.messages);
	add_figure(&l, "hidden_messages", t.hidden);
	add_figure(&l, "tool_calls", t.tool_calls);
	add_figure(&l, "tokens", t.tokens);
	add_figure(&l, "requests", t.requests);
	add_figure(&l, "answered_requests", t.answered);
	if (s == NULL && opt.user == NULL) {
		add_figure(&l, "store_bytes", t.bytes);
		add_figure(&l, "derived_bytes", t.derived_bytes);
	}
	if (s != NULL) {
		if (last_use(s, &u, err) < 0)
			return -1;
		add_figure(&l, "last_request_tokens", u.tokens);
		add_figure(&l, "budget", u.budget);
		add_figure(&l, "percent_used", percent(&u));
	}
	end_line();
	return cli_flush_some(err);
}

static int
print_group(void *arg, const struct ctx_stats_group *g, struct ctx_err *err)
{
	static const char *const members[] = {
	    "session_id", "user_id", "day", "model", "tool", "tokenizer"};
	struct line l = {opt.by, g->key.p == NULL ? ctx_span_of("") : g->key};

	(void)arg;
	(void)err;
	begin_line();
	if (!prometheus)
		ctx_json_add_string(&cli_out.buf, members[grouping], g->key);
	add_figure(&l, "sessions", g->sessions);
	add_figure(&l, "messages", g->messages);
	add_figure(&l, "tool_calls", g->tool_calls);
	add_figure(&l, "tokens", g->tokens);
	add_figure(&l, "input_tokens", g->input_tokens);
	add_figure(&l, "output_tokens", g->output_tokens);
	/* written at the end: a reader that stalls must not hold up the store */
	end_line();
	return 0;
}

/* A definition that no request used is one to think about. */
static int
print_item(void *arg, const struct ctx_item_use *use, struct ctx_err *err)
{
	(void)arg;
	begin_line();
	ctx_json_add_str(&cli_out.buf, "type", use->type);
	ctx_json_add_str(&cli_out.buf, "server_name", use->server_name);
	ctx_json_add_str(&cli_out.buf, "name", use->name);
	ctx_json_add_int(&cli_out.buf, "requests", use->requests);
	ctx_json_add_int(&cli_out.buf, "always", use->always);
	ctx_json_add_int(&cli_out.buf, "manual", use->manual);
	ctx_json_add_int(&cli_out.buf, "agent", use->agent);
	if (use->agent > 0)
		ctx_json_add_double(&cli_out.buf, "mean_score", use->mean_score, 2);
	end_line();
	return cli_flush_some(err);
}

static int
items_of(const char *session_id, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0)
		rc = ctx_item_uses(store, &s, print_item, NULL, err);
	ctx_session_release(&s);
	return rc;
}

static int
items(struct ctx_err *err)
{
	int rc = 0;

	if (opt.session.n == 0)
		return ctx_item_uses(store, NULL, print_item, NULL, err);
	for (size_t i = 0; rc == 0 && i < opt.session.n; i++)
		rc = items_of(opt.session.v[i], err);
	return rc;
}

static int
print_cache(void *arg, const struct ctx_stats_cache *c, struct ctx_err *err)
{
	struct line l = {"cache", ctx_span_of(c->kind)};

	(void)arg;
	(void)err;
	begin_line();
	if (!prometheus)
		ctx_json_add_str(&cli_out.buf, "cache", c->kind);
	add_figure(&l, "entries", c->entries);
	add_figure(&l, "bytes", c->bytes);
	add_figure(&l, "hits", c->hits);
	add_figure(&l, "misses", c->misses);
	end_line();
	return 0;
}

/* ---- pressure ---- */

static int
warn_session(const struct ctx_session *s, struct ctx_err *err)
{
	struct use u;
	int p;

	if (last_use(s, &u, err) < 0)
		return -1;
	p = percent(&u);
	if (p < 0 || p < opt.warn)
		return 0;
	warned = true;
	ctx_json_put_open(&cli_out.buf, '{');
	ctx_json_add_str(&cli_out.buf, "kind", "stats");
	ctx_json_add_str(&cli_out.buf, "session_id", s->session_id);
	ctx_json_add_int(&cli_out.buf, "last_request_tokens", u.tokens);
	ctx_json_add_int(&cli_out.buf, "budget", u.budget);
	ctx_json_add_int(&cli_out.buf, "percent_used", p);
	ctx_json_put_close(&cli_out.buf, '}');
	ctx_buf_addc(&cli_out.buf, '\n');
	return cli_flush_some(err);
}

/* ---- plot ---- */

struct series {
	int64_t *v;
	size_t n, cap;
	int64_t budget;
};

static void
add_point(struct series *p, int64_t v)
{
	CTX_MEM_GROW(p->v, p->n, p->cap);
	p->v[p->n++] = v;
}

static int
add_request(void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	struct series *p = arg;
	struct use u;

	(void)response_seq;
	(void)err;
	read_use(&u, record);
	if (u.tokens >= 0)
		add_point(p, u.tokens);
	if (u.budget > 0)
		p->budget = u.budget;
	return 0;
}

static int
add_turn(void *arg, int64_t seq, int64_t tokens, struct ctx_err *err)
{
	(void)seq;
	(void)err;
	add_point(arg, tokens);
	return 0;
}

/* The greatest of the points that fall into a column. */
static int64_t
column(const struct series *p, size_t width, size_t x)
{
	int64_t max = 0;

	for (size_t i = x * p->n / width;
	     i < (x + 1) * p->n / width || i == x * p->n / width; i++)
		if (p->v[i] > max)
			max = p->v[i];
	return max;
}

static void
draw(const struct series *p)
{
	size_t width = p->n < PLOT_WIDTH ? p->n : PLOT_WIDTH;
	int64_t top = p->budget > 0 ? p->budget : 1;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i] > top)
			top = p->v[i];
	for (int row = PLOT_HEIGHT; row > 0; row--) {
		/* the row stands for what lies above low, up to high */
		double high = (double)top * row / PLOT_HEIGHT;
		double low = (double)top * (row - 1) / PLOT_HEIGHT;
		bool limit = p->budget > 0 && (double)p->budget > low &&
			     (double)p->budget <= high;
		ctx_buf_addf(&cli_out.buf, "%9lld |", (long long)high);
		for (size_t x = 0; x < width; x++)
			ctx_buf_addc(&cli_out.buf, (double)column(p, width, x) > low ? '#'
						   : limit                           ? '-'
							   : ' ');
		ctx_buf_adds(&cli_out.buf, limit ? "- budget\n" : "\n");
	}
	ctx_buf_adds(&cli_out.buf, "          +");
	for (size_t x = 0; x < width; x++)
		ctx_buf_addc(&cli_out.buf, '-');
	ctx_buf_addc(&cli_out.buf, '\n');
}

static int
plot_session(const struct ctx_session *s, struct ctx_err *err)
{
	struct series p = {NULL, 0, 0, cli_common.budget};
	const char *what = "requests";
	int rc = ctx_store_requests(store, s, add_request, &p, err);

	if (rc == 0 && p.n == 0) {
		what = "turns";
		rc = ctx_stats_turns(store, s, add_turn, &p, err);
	}
	if (rc == 0 && p.n == 0)
		cli_warn("session '%s' has nothing to draw", s->session_id);
	if (rc == 0 && p.n > 0) {
		ctx_buf_addf(&cli_out.buf, "tokens of session %s, %zu %s, last %lld",
		    s->session_id, p.n, what, (long long)p.v[p.n - 1]);
		if (p.budget > 0)
			ctx_buf_addf(&cli_out.buf, " of %lld (%lld %%)",
			    (long long)p.budget,
			    (long long)(100 * (double)p.v[p.n - 1] / (double)p.budget));
		ctx_buf_addc(&cli_out.buf, '\n');
		draw(&p);
		rc = cli_flush_some(err);
	}
	free(p.v);
	return rc;
}

/* ---- timings ---- */

static int64_t begun;
static double open_ms;

static void
begin_time(void)
{
	if (opt.timings)
		begun = ctx_time_monotonic_us();
}

static double
end_time(void)
{
	return opt.timings ? (double)(ctx_time_monotonic_us() - begun) / 1000 : 0;
}

static struct {
	int64_t sessions, messages;
	int64_t at; /* of its last message */
	char *id;
} latest;

static int
take_latest(const struct ctx_session *s, struct ctx_err *err)
{
	(void)err;
	if (latest.sessions++ == 0 || s->last_message_at > latest.at) {
		free(latest.id);
		latest.id = ctx_mem_str(s->session_id);
		latest.at = s->last_message_at;
	}
	return 0;
}

/* Read as a window of the session does, from the end. */
static int
read_latest(const char *session_id, struct ctx_err *err)
{
	struct ctx_session s;
	struct ctx_cursor *c = NULL;
	struct ctx_stored m;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0 && s.status == CTX_STATUS_DELETED)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is deleted", s.session_id);
	if (rc == 0)
		rc = ctx_cursor_open(&c, store, &s, 1, CTX_SEQ_MAX, true, err);
	while (rc == 0 && latest.messages < TIMED_MESSAGES &&
	       (rc = ctx_cursor_next(c, &m, err)) == 1) {
		latest.messages++;
		rc = 0;
	}
	ctx_cursor_close(c);
	ctx_session_release(&s);
	return rc;
}

/* Nothing is written, so how long a commit takes is for the --verbose of who does. */
static int
timings(struct ctx_err *err)
{
	struct ctx_session_filter f;
	const char *id = opt.session.n > 0 ? opt.session.v[0] : NULL;
	double list_ms, read_ms;
	int rc;

	ctx_session_filter_init(&f);
	f.user_id = opt.user;
	begin_time();
	rc = cli_each_session(store, &f, take_latest, err);
	list_ms = end_time();
	begin_time();
	if (id == NULL)
		id = latest.id;
	if (rc == 0 && id != NULL)
		rc = read_latest(id, err);
	read_ms = end_time();
	if (rc == 0) {
		begin_line();
		ctx_json_add_double(&cli_out.buf, "open_ms", open_ms, 3);
		ctx_json_add_double(&cli_out.buf, "list_ms", list_ms, 3);
		ctx_json_add_int(&cli_out.buf, "sessions", latest.sessions);
		if (id != NULL) {
			ctx_json_add_double(&cli_out.buf, "read_ms", read_ms, 3);
			ctx_json_add_int(&cli_out.buf, "messages", latest.messages);
			ctx_json_add_str(&cli_out.buf, "session_id", id);
		}
		end_line();
	}
	free(latest.id);
	return rc;
}

/* ---- which sessions ---- */

static int
print_one(const struct ctx_session *s, struct ctx_err *err)
{
	if (opt.plot)
		return plot_session(s, err);
	if (opt.warn >= 0)
		return warn_session(s, err);
	filter.session_no = s->no;
	if (grouping >= 0)
		return ctx_stats_group_by(
		    store, &filter, (enum ctx_stats_by)grouping, print_group, NULL, err);
	return print_totals(s, err);
}

/* ---- counts by another tokenizer ---- */

static struct ctx_tokenizer *tokenizer;
static struct ctx_stats_total *totals;
static size_t n_totals, cap_totals;

static int
recount(const struct ctx_session *s, struct ctx_err *err)
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

/* Of all sessions that count; they come by number. */
static int
recount_all(struct ctx_err *err)
{
	struct ctx_session_filter f;

	ctx_session_filter_init(&f);
	f.user_id = opt.user;
	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	return cli_each_session(store, &f, recount, err);
}

static int
each_named(struct ctx_err *err)
{
	struct ctx_session s;
	int rc = 0;

	ctx_session_init(&s);
	for (size_t i = 0; rc == 0 && i < opt.session.n; i++) {
		rc = cli_session_find(store, opt.session.v[i], &s, err);
		if (rc == 0 && s.status == CTX_STATUS_DELETED)
			rc = ctx_err_set(
			    err, CTX_EANSWER, "session '%s' is deleted", s.session_id);
		n_totals = 0;
		if (rc == 0)
			rc = recount(&s, err);
		if (rc == 0)
			rc = print_one(&s, err);
		ctx_session_release(&s);
	}
	return rc;
}

static int
each_session(struct ctx_err *err)
{
	static struct ctx_session page[PAGE];
	struct ctx_session_filter f;
	int n = PAGE, rc = 0;

	ctx_session_filter_init(&f);
	f.user_id = opt.user;
	for (int i = 0; i < PAGE; i++)
		ctx_session_init(&page[i]);
	while (rc == 0 && n == PAGE) {
		n = ctx_store_session_list(store, &f, page, PAGE, err);
		for (int i = 0; i < n; i++) {
			if (rc == 0)
				rc = print_one(&page[i], err);
			f.after_no = page[i].no;
			ctx_session_release(&page[i]);
		}
		if (n < 0)
			rc = -1;
	}
	return rc;
}

static int
check_options(struct ctx_err *err)
{
	prometheus = strcmp(opt.format, "prometheus") == 0;
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
	if ((opt.by != NULL) + opt.cache + opt.items + opt.plot + (opt.warn >= 0) +
		opt.timings >
	    1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--by, --cache, --items, --plot, --timings and --warn exclude each "
		    "other");
	if (opt.tokenizer != NULL &&
	    (opt.cache || opt.items || opt.plot || opt.warn >= 0 || opt.timings ||
		grouping >= CTX_STATS_DAY))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--tokenizer is for totals, --by session and --by user");
	if (opt.timings && opt.session.n > 1)
		return ctx_err_set(err, CTX_EUSAGE, "--timings reads one session");
	if (opt.items && (opt.user != NULL || prometheus))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--items goes with neither -u nor prometheus");
	if (opt.plot && opt.session.n == 0)
		return ctx_err_set(err, CTX_EUSAGE, "--plot needs a session (-s)");
	if (prometheus && (opt.plot || opt.timings || opt.warn >= 0 || opt.session.n > 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--format prometheus is for the store, --by and --cache");
	return 0;
}

static int
stats(struct ctx_err *err)
{
	int rc;

	filter.user_id = opt.user;
	if (opt.timings)
		return timings(err);
	if (opt.items)
		return items(err);
	if (opt.session.n > 0)
		return each_named(err);
	if (tokenizer != NULL && recount_all(err) < 0)
		return -1;
	if (opt.warn >= 0)
		return each_session(err);
	if (opt.cache)
		rc = ctx_stats_caches(store, print_cache, NULL, err);
	else if (grouping >= 0)
		rc = ctx_stats_group_by(
		    store, &filter, (enum ctx_stats_by)grouping, print_group, NULL, err);
	else
		rc = print_totals(NULL, err);
	print_metrics();
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 || check_options(err) < 0)
		return -1;
	begin_time();
	if (cli_store_open(&store, false, false, err) < 0)
		return -1;
	open_ms = end_time();
	rc = 0;
	if (opt.tokenizer != NULL) {
		cli_common.tokenizer = opt.tokenizer;
		rc = cli_tokenizer_open(&tokenizer, err);
	}
	if (rc == 0)
		rc = stats(err);
	ctx_tokenizer_close(tokenizer);
	free(totals);
	ctx_store_close(store);
	return rc == 0 && warned ? 1 : rc;
}

static const struct cli_command command = {
    .name = "ctx-stats",
    .synopsis = "[-s SID | -u USER] [--by WHAT | --cache | --items | --warn PERCENT | "
		"--plot | --timings] [OPTION ...]",
    .about = "Prints figures about the store, its sessions and its requests.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
