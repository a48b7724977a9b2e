#include "cli.h"

#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "model/model.h"
#include "render/form.h"
#include "store/purge.h"
#include "window/window.h"

#define DEFAULT_MESSAGES 20
#define CHUNK ((size_t)60 << 10) /* bytes of output that are collected before writing */
#define SYSTEM_MAX ((size_t)16 << 20)

static struct {
	struct cli_list session;
	struct ctx_window_options w;
	const char *system_file, *since, *params;
	int64_t low_water;
	bool missing_ok, rolling;
} opt = {.low_water = 75,
    .w = {.max_messages = -1,
	.max_turns = -1,
	.reserve = -1,
	.until = -1,
	.since = CTX_TIME_NONE}};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"this session (repeatable; default: the sessions that the input records name)",
	CLI_LIST, &opt.session, NULL},
    {"messages", 'n', "N",
	"only the last N messages (default 20 if there is no other limit)", CLI_INT,
	&opt.w.max_messages, "CTX_WINDOW"},
    {"turns", 0, "N", "only the last N turns", CLI_INT, &opt.w.max_turns, "CTX_TURNS"},
    CLI_BUDGET_OPTION,
    {"reserve", 0, "TOKENS",
	"tokens of the budget kept free for the answer and for what ctx-enrich adds (default 1/8)",
	CLI_INT, &opt.w.reserve, "CTX_RESERVE"},
    {"stable", 0, NULL,
	"leave out old messages in large steps, so that requests begin with the same bytes",
	CLI_FLAG, &opt.w.stable, "CTX_STABLE"},
    {"low-water", 0, "PERCENT",
	"percentage of the budget to keep when old messages are cut off (default 55; with --stable: 75)",
	CLI_INT, &opt.low_water, NULL},
    {"since", 0, "TIME", "only messages since this time", CLI_STRING, &opt.since, NULL},
    {"until", 0, "SEQ", "end the window with the message that has the number SEQ",
	CLI_INT, &opt.w.until, NULL},
    {"run", 0, "NAME", "continue only earlier requests that have this --run name",
	CLI_STRING, &opt.w.run, "CTX_RUN"},
    {"rolling", 0, NULL,
	"always choose the newest messages, and never continue an earlier request",
	CLI_FLAG, &opt.rolling, "CTX_ROLLING"},
    {"fresh", 0, NULL,
	"do not continue the previous request, but choose the messages anew", CLI_FLAG,
	&opt.w.fresh, NULL},
    {"no-summary", 0, NULL,
	"print the messages that a summary covers instead of the summary", CLI_FLAG,
	&opt.w.no_summary, "CTX_NO_SUMMARY"},
    {"system", 0, "FILE",
	"begin the window with a system message that contains this text", CLI_STRING,
	&opt.system_file, NULL},
    {"default-system", 0, "TEXT",
	"like --system, but only if the session has no system message", CLI_STRING,
	&opt.w.default_system, NULL},
    {"mode", 0, "NAME", "name of the agent's current mode, stored in the request record",
	CLI_STRING, &opt.w.mode, NULL},
    {"params", 0, "FILE",
	"file of request parameters; the default budget is the context window of its model",
	CLI_STRING, &opt.params, "CTX_PARAMS"},
    {"missing-ok", 0, NULL, "treat a missing session as empty", CLI_FLAG, &opt.missing_ok,
	NULL},
    CLI_PROVIDER_OPTION,
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static struct ctx_tokenizer *tokenizer;
static struct ctx_buf params = CTX_BUF_INIT;

static int
print_session_window(const struct ctx_window *w, struct ctx_err *err)
{
	size_t place = 0;

	do {
		place = ctx_window_print(&cli_out.buf, w, place, CHUNK);
		if (cli_flush(err) < 0)
			return -1;
	} while (place != 0);
	return 0;
}

/* Makes a session that does not exist yet. Checks its ids, since they must be valid when
 * the session is stored. */
static int
make_missing(struct ctx_session *s, const char *session_id, struct ctx_err *err)
{
	if (cli_check_tenant(err) < 0 ||
	    (opt.session.n > 0 && cli_check_id(session_id, "session id", err) < 0))
		return -1;
	s->session_id = ctx_mem_str(session_id);
	if (cli_common.tenant != NULL && *cli_common.tenant != '\0')
		s->tenant_id = ctx_mem_str(cli_common.tenant);
	s->created_at = s->updated_at = opt.w.now;
	return ctx_session_check(s, err);
}

static int
find_window_session(struct ctx_session *s, const char *session_id, struct ctx_err *err)
{
	int rc = store == NULL ? 0 : ctx_store_session_find(store, session_id, s, err);

	if (rc == 0 && opt.missing_ok)
		return make_missing(s, session_id, err);
	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "no session '%s'", session_id);
	if (rc == 1 && s->status == CTX_STATUS_DELETED)
		return cli_deleted(session_id, err);
	return rc < 0 ? -1 : 0;
}

/* Loads the window from the store or, if the messages are only in the archive, from the
 * archive, which stays open. */
static int
load_session_window(
    struct ctx_window *w, struct ctx_store **archived, struct ctx_err *err)
{
	if (cli_archived_open(archived, &w->session, err) < 0)
		return -1;
	return ctx_window_load(
	    w, *archived != NULL ? *archived : store, &opt.w, tokenizer, err);
}

static int
make_session_window(
    void *arg CTX_UNUSED, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_store *archived = NULL;
	struct ctx_session now;
	struct ctx_window w = CTX_WINDOW_INIT;
	int rc = find_window_session(&w.session, listed->session_id, err);

	if (rc == 0)
		rc = load_session_window(&w, &archived, err);
	while (rc < 0 && store != NULL && cli_session_moved(store, &w.session, err)) {
		now = w.session;
		ctx_session_init(&w.session);
		ctx_window_release(&w);
		w.session = now;
		rc = load_session_window(&w, &archived, err);
	}
	if (rc == 0)
		rc = print_session_window(&w, err);
	ctx_window_release(&w);
	ctx_store_close(archived);
	return rc;
}

/* Reads the parameters and looks up their model in the model table. *room is the most
 * tokens of a request to it; -1 if unknown. */
static int
read_model(int64_t *room, struct ctx_err *err)
{
	struct ctx_buf models = CTX_BUF_INIT, name = CTX_BUF_INIT;
	struct ctx_span model;
	struct ctx_model m;
	int rc = -1;

	*room = -1;
	if (cli_read_params(opt.params, &params, &opt.w.params, err) < 0 ||
	    cli_models_read("models.ndjson", &models, err) < 0)
		goto done;
	model = ctx_json_text(ctx_json_get(opt.w.params, "model"), &name);
	if (model.p != NULL && ctx_model_find(&m, model, ctx_buf_span(&models)))
		*room = ctx_model_room(&m);
	rc = 0;
done:
	ctx_buf_release(&models);
	ctx_buf_release(&name);
	return rc;
}

/* Returns whether the request will be plain text, for people or for text models. */
static bool
is_for_text(void)
{
	return cli_common.provider != NULL &&
	       ctx_render_form_find(cli_common.provider) != NULL;
}

/* Chooses append-only requests for windows that have a budget and no other limit, except
 * for plain text, whose layout omits older additions. */
static int
choose_window_run(struct ctx_err *err)
{
	bool limited = opt.w.max_messages >= 0 || opt.w.max_turns >= 0 ||
		       opt.since != NULL || opt.w.stable || opt.rolling || is_for_text();

	if (limited && cli_flagged(&opt.w.run))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--run cannot be used with --rolling, --stable, -n, --turns, --since or the providers text, markdown and prompt");
	if (opt.w.fresh && (limited || opt.w.budget < 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--fresh can only be used with append-only requests");
	if (cli_flagged(&opt.w.stable) && cli_flagged(&opt.rolling))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--stable and --rolling cannot be used together");
	if (cli_check_needs(&opt.w.run, opt.w.budget >= 0, "a budget (-b)", err) < 0 ||
	    cli_check_needs(&opt.low_water,
		opt.w.budget >= 0 && (!limited || opt.w.stable),
		"--stable, or a budget and no other limit", err) < 0)
		return -1;
	if (limited || opt.w.budget < 0)
		opt.w.run = NULL;
	else if (opt.w.run == NULL)
		opt.w.run = "";
	if (opt.w.run != NULL && !cli_flagged(&opt.low_water))
		opt.low_water = CTX_RUN_LOW_WATER;
	opt.w.low_water = (double)opt.low_water / 100;
	return 0;
}

static int
check_options(struct ctx_err *err)
{
	int64_t room = -1;
	int provider;

	if (!is_for_text() && cli_provider(&provider, false, err) < 0)
		return -1;
	if (opt.params != NULL && read_model(&room, err) < 0)
		return -1;
	opt.w.budget = cli_common.budget;
	opt.w.provider = cli_common.provider;
	opt.w.now = cli_now();
	if (opt.low_water < 1 || opt.low_water > 99)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--low-water must be a percentage from 1 to 99");
	if (choose_window_run(err) < 0)
		return -1;
	if (opt.w.stable && opt.w.budget < 0)
		return ctx_err_set(err, CTX_EUSAGE, "--stable needs a budget");
	if (opt.since != NULL && cli_parse_when(opt.since, &opt.w.since, err) < 0)
		return ctx_err_prefix(err, "--since");
	if (opt.w.max_messages < 0 && opt.w.max_turns < 0 && opt.w.budget < 0 &&
	    opt.since == NULL) {
		opt.w.budget = room;
		if (opt.w.budget < 0)
			opt.w.max_messages = DEFAULT_MESSAGES;
	}
	if (cli_check_needs(&opt.w.reserve, opt.w.budget >= 0, "a budget (-b)", err) < 0)
		return -1;
	if (opt.w.reserve < 0)
		opt.w.reserve = opt.w.budget < 0 ? 0 : opt.w.budget / 8;
	if (opt.w.budget >= 0 && opt.w.reserve > opt.w.budget)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--reserve is larger than the budget");
	return 0;
}

static int
read_system(struct ctx_buf *text, struct ctx_err *err)
{
	if (opt.system_file == NULL)
		return 0;
	if (ctx_io_read_file(opt.system_file, text, SYSTEM_MAX, err) < 0)
		return -1;
	if (ctx_utf8_valid(text->p, text->n) != text->n ||
	    memchr(text->p, 0, text->n) != NULL)
		return ctx_err_set(
		    err, CTX_EINPUT, "%s: not valid UTF-8", opt.system_file);
	while (text->n > 0 && text->p[text->n - 1] == '\n')
		text->p[--text->n] = '\0';
	opt.w.system = text->p;
	return 0;
}

/* Tokens are those of the model that the parameters name or, without one, of each session's
 * last request. */
static int
choose_window_counts(struct ctx_err *err)
{
	struct ctx_span model = ctx_json_get(opt.w.params, "model");

	if (!ctx_json_is_text(model)) {
		opt.w.count_for = cli_tokenizer_model;
		return 0;
	}
	return cli_tokenizer_model(tokenizer, model, err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_buf system = CTX_BUF_INIT;
	int rc = -1;

	if (cli_no_operands(argc, argv, err) < 0 || check_options(err) < 0 ||
	    read_system(&system, err) < 0 || cli_tokenizer_open(&tokenizer, err) < 0 ||
	    choose_window_counts(err) < 0)
		goto done;
	cli_sessions_default(&opt.session);
	if (opt.session.n == 0)
		cli_input_wait();
	rc = cli_store_open(&store,
	    (opt.session.n == 1 ? CLI_SNAPSHOT : 0) |
		(opt.missing_ok ? CLI_EXACT | CLI_IF_ANY : 0),
	    err);
	if (rc < 0)
		goto done;
	opt.w.items = store;
	rc = cli_sessions(store, &opt.session, make_session_window, NULL, err);
done:
	/* the store was only read, so exiting without closing it is safe and faster */
	ctx_tokenizer_close(tokenizer);
	ctx_buf_release(&system);
	ctx_buf_release(&params);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-window",
    .synopsis = "[-s SID] [-n N] [--turns N] [-b TOKENS] [OPTION ...]",
    .about =
	"Prints the recent window of a session: a session record, the messages, and a request record at the end.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
