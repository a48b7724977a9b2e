#include "render.h"
#include "render_params.h"
#include "render_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "lint/lint.h"
#include "model/model.h"
#include "provider/provider.h"
#include "record/request.h"
#include "record/stream.h"
#include "render/form.h"
#include "render/render.h"
#include "select/account.h"

static struct render_settings opt = {.warn = 80};

static struct cli_option options[] = {
    {"provider", 'p', "NAME", NULL /* main adds the names */, CLI_STRING,
	&cli_common.provider, "CTX_PROVIDER"},
    {"params", 0, "FILE", "JSON object to merge into the request body (model, tools, …)",
	CLI_STRING, &opt.params, "CTX_PARAMS"},
    {"server", 0, "NAME",
	"compatible server to which the body will be sent: " CLI_SERVERS, CLI_STRING,
	&opt.server, "CTX_SERVER"},
    {"request", 0, "FILE", "write the request record to FILE, for ctx-append", CLI_STRING,
	&opt.request, NULL},
    {"headers", 0, "FILE",
	"write the HTTP headers for the body to FILE, for curl -H @FILE", CLI_STRING,
	&opt.headers, NULL},
    {"thinking", 0, "HOW",
	"which thinking to send: keep (all), strip (none) or auto (default)", CLI_STRING,
	&opt.thinking, NULL},
    {"cache", 0, "HOW",
	"how long the provider caches the request: auto (default), off, 5m or 1h",
	CLI_STRING, &opt.cache, "CTX_CACHE"},
    {"fix", 0, NULL, "correct parameters that the model rejects, and print a note",
	CLI_FLAG, &opt.fix, NULL},
    {"batch", 0, NULL,
	"print one line of a batch file for each window; --request FILE gets the request records",
	CLI_FLAG, &opt.batch, NULL},
    {"refused", 0, NULL,
	"also send refused answers, and answers that overflowed the model's window",
	CLI_FLAG, &opt.refused, NULL},
    {"warn", 0, "PERCENT",
	"warn if a request takes at least this percentage of the budget (default 80; 0: never)",
	CLI_INT, &opt.warn, "CTX_WARN"},
    CLI_BUDGET_OPTION,
    CLI_TOKENIZER_OPTION,
    CLI_END,
};

static struct ctx_tokenizer *tokenizer;
static struct ctx_render_options how;
static const struct ctx_render_form *form; /* text format; NULL: a provider body */
static struct ctx_buf params_text;
static const char *input_name; /* of the only file, or NULL */
static bool rendered;

static int
load_render_items(struct render *r, const struct ctx_stream *in, struct ctx_err *err)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	int rc = 0;

	r->items = ctx_mem_new((in->n + 1) * sizeof(*r->items));
	r->sent = ctx_mem_new((in->n + 1) * sizeof(*r->sent));
	r->has_request = in->request < in->n;
	if (r->has_request)
		rc = ctx_request_parse(&r->request, in->records[in->request].line, err);
	if (rc == 0)
		rc = cli_tokenizer_request(tokenizer, how.params, &r->request, err);
	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		const struct ctx_record *rec = &in->records[i];
		if (rec->kindless) {
			rc = ctx_err_set(err, CTX_EINPUT,
			    "record %lld has neither a kind nor a role",
			    (long long)rec->place);
			continue;
		}
		if (rec->kind != CTX_KIND_MESSAGE)
			continue;
		r->items[r->n] = (struct ctx_render_item){.message = rec->message,
		    .slot = rec->slot,
		    .seq = rec->seq,
		    .created_at = rec->created_at,
		    .source = rec->source,
		    .metadata = rec->metadata,
		    .sent = rec->sent};
		r->sent[r->n] = (struct ctx_sent){.message = rec->message,
		    .source = rec->source,
		    .slot = rec->slot,
		    .seq = rec->seq};
		rc = ctx_message_parse(&view, rec->message, err);
		if (rc == 0)
			r->sent[r->n].tokens = form == NULL
						   ? ctx_tokens_sent(
							 tokenizer, &view, how.provider)
						   : ctx_tokens_message(tokenizer, &view);
		if (rc == 0 && rec->slot == CTX_SLOT_HISTORY &&
		    ctx_message_starts_turn(&view))
			r->run.turn = rec->seq;
		r->tokens += r->sent[r->n++].tokens;
	}
	ctx_message_release(&view);
	return rc;
}

/* Returns the lifetime of cache marks, or NULL for no marks. By default only requests of
 * a run are marked. */
static const char *
choose_cache(const struct render *r)
{
	const char *how_long = opt.cache == NULL ? "auto" : opt.cache;

	if (r->replay && !cli_flagged(&opt.cache))
		how_long = r->request.cache == NULL ? "off" : r->request.cache;
	if (strcmp(how_long, "auto") == 0)
		return r->how.in_run ? "5m" : NULL;
	return strcmp(how_long, "off") == 0 ? NULL : how_long;
}

/* Sets how to render. A request that was sent before (ctx-show --request) is rendered as
 * it was then, whatever the environment says; options on the command line override
 * that. */
static int
choose_how(struct render *r, struct ctx_err *err)
{
	const struct ctx_request *q = &r->request;
	struct ctx_span json = ctx_span_of(q->thinking);
	int provider = -1;

	r->how = how;
	r->how.report = &r->report;
	r->how.cut = q->dropped.n > 0;
	r->replay = q->body_sha256 != NULL && q->provider != NULL &&
		    !cli_flagged(&cli_common.provider);
	r->form = r->replay ? ctx_render_form_find(q->provider) : form;
	if (r->form != NULL) {
		r->how.params = CTX_SPAN_NONE;
	} else if (r->replay) {
		provider = ctx_provider_parse(q->provider);
		if (provider < 0)
			return ctx_err_set(
			    err, CTX_EINPUT, "unknown provider '%s'", q->provider);
		r->how.provider = (enum ctx_provider)provider;
		if (!cli_flagged(&opt.params))
			r->how.params = ctx_span_of(q->params_json);
		if (!cli_flagged(&opt.thinking))
			r->how.thinking = ctx_span_is(json, "keep") ? CTX_THINKING_KEEP
					  : ctx_span_is(json, "strip")
					      ? CTX_THINKING_STRIP
					      : CTX_THINKING_AUTO;
	} else if (cli_provider(&provider, true, err) < 0) {
		return -1;
	}
	if (opt.fix && r->form == NULL && !r->replay &&
	    render_params_fix(&r->how, &r->fixed, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n && !opt.refused; i++)
		render_run_ending(&r->items[i], r->replay, ctx_span_of(q->omitted_json));
	if (r->form == NULL &&
	    render_params_server(&r->how, opt.server, cli_flagged(&opt.server), r->replay,
		q->server, err) < 0)
		return -1;
	r->how.system_inside = q->system != NULL;
	r->how.untyped = r->replay && q->layout == NULL;
	if (r->form == NULL && !r->replay && render_params_facts(&r->how, err) < 0)
		return -1;
	r->how.now = r->replay ? q->created_at : cli_now();
	r->how.in_run = q->run_json != NULL && r->form == NULL;
	r->how.cache = choose_cache(r);
	r->tokens += CTX_TOKENS_REPLY +
		     ctx_render_params_tokens(tokenizer, r->how.params);
	return 0;
}

/* Leaves out tools that must wait for the next cut of the run, and records them. */
static int
leave_waiting_tools(struct render *r, struct ctx_err *err)
{
	bool *waits = ctx_mem_new(r->n + 1);
	int rc = render_run_tools(&r->run, &r->how, &r->request, waits, err);
	size_t n = 0;

	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		if (waits[i]) {
			ctx_account_leave(&r->request, &r->sent[i], CTX_REASON_NEXT_CUT);
			r->tokens -= r->sent[i].tokens;
			continue;
		}
		r->items[n] = r->items[i];
		r->sent[n++] = r->sent[i];
	}
	if (rc == 0 && n < r->n)
		cli_warn(
		    "%zu tool%s omitted, because an append-only request cannot add tools (ctx-window --fresh allows new tools)",
		    r->n - n, CTX_PLURAL(r->n - n));
	if (rc == 0)
		r->n = n;
	free(waits);
	return rc;
}

static int
choose_render_run(struct render *r, struct ctx_err *err)
{
	r->run.items = r->items;
	r->run.n = r->n;
	r->run.replay = r->replay;
	r->run.headers = opt.headers != NULL;
	if (leave_waiting_tools(r, err) < 0)
		return -1;
	r->run.n = r->n;
	r->run.cache = opt.cache == NULL || strcmp(opt.cache, "off") != 0;
	return render_run_choose(&r->run, &r->how, &r->request, err);
}

/* Returns the most tokens that the body may have; -1: no limit. */
static int64_t
budget_of(const struct render *r)
{
	if (r->replay && !cli_flagged(&cli_common.budget))
		return -1;
	return cli_common.budget >= 0 ? cli_common.budget : r->request.budget;
}

static int
check_budget(int64_t budget, int64_t tokens, const char *provider, struct ctx_err *err)
{
	if (budget >= 0 && tokens > budget)
		return ctx_err_set(err, CTX_EANSWER,
		    "the request has %lld tokens, %lld more than the budget of %lld (ctx-prune%s%s%s%s makes it fit)",
		    (long long)tokens, (long long)(tokens - budget), (long long)budget,
		    provider == NULL ? "" : " -p ", provider == NULL ? "" : provider,
		    provider == NULL || opt.params == NULL ? "" : " --params ",
		    provider == NULL || opt.params == NULL ? "" : opt.params);
	return 0;
}

/* Counts the tokens of the body. The messages were counted in their stored format; in
 * this provider's format an image, for example, can have another price, and the body is
 * what must fit. */
static int
check_sent(const struct render *r, int64_t budget, struct ctx_err *err)
{
	int64_t tokens;

	if (budget < 0)
		return 0;
	tokens = ctx_lint_body_tokens(ctx_buf_span(&r->body), tokenizer, err);
	return tokens < 0 ? -1
			  : check_budget(
				budget, tokens, ctx_provider_name(r->how.provider), err);
}

static int
render_body(struct render *r, struct ctx_err *err)
{
	int64_t budget = budget_of(r);

	for (size_t i = 0; i < r->n && r->form != NULL; i++) {
		struct ctx_buf *told = &r->told;
		if (r->items[i].slot != CTX_SLOT_SUMMARY || told->n > 0)
			continue;
		ctx_render_tell_compaction(r->items[i].message, told);
		if (told->n > 0)
			r->items[i].message = ctx_buf_span(told);
	}
	if (r->form != NULL && r->form->budget &&
	    check_budget(budget, r->tokens, NULL, err) < 0)
		return -1;
	if (r->form != NULL)
		return r->form->print(&r->body, r->items, r->n, err);
	if ((!r->replay && render_params_check(&r->how, opt.params, err) < 0) ||
	    check_budget(budget, r->tokens, ctx_provider_name(r->how.provider), err) < 0)
		return -1;
	if (ctx_render_body(&r->body, r->items, r->n, &r->how, err) < 0) {
		/* an error of the parameters, or of a message */
		const char *file = err->code == CTX_EUSAGE ? opt.params : input_name;

		return file == NULL || r->replay ? -1 : ctx_err_prefix(err, "%s", file);
	}
	if (check_sent(r, budget, err) < 0)
		return -1;
	ctx_buf_addc(&r->body, '\n');
	render_report_tell(&r->report, r->how.provider);
	return 0;
}

/* Sets *room to the most tokens of a request to the model, which applies if there is no
 * budget; -1 if unknown. */
static int
find_render_budget(const struct render *r, int64_t *room, struct ctx_err *err)
{
	struct ctx_buf models = CTX_BUF_INIT;
	struct ctx_model m;
	int rc = render_params_model(&r->how, &models, &m, err);

	*room = rc == 1 ? ctx_model_room(&m) : -1;
	ctx_buf_release(&models);
	return rc < 0 ? -1 : 0;
}

/* Warns if the request is nearly full, while there is still time to summarize. */
static int
warn_fullness(const struct render *r, struct ctx_err *err)
{
	int64_t budget = budget_of(r), room = budget;

	if (opt.warn <= 0 || r->replay)
		return 0;
	if (budget < 0 && find_render_budget(r, &room, err) < 0)
		return -1;
	if (room > 0 && r->tokens >= room / 100 * opt.warn + room % 100 * opt.warn / 100)
		cli_warn("the request uses %lld %% of %s of %lld tokens",
		    (long long)((double)r->tokens * 100 / (double)room),
		    budget >= 0 ? "the budget" : "the model's window", (long long)room);
	return 0;
}

static int
render_stream(void *arg CTX_UNUSED, struct ctx_stream *in, struct ctx_err *err)
{
	struct render r = {
	    .run = {.turn = -1}, .tokenizer = tokenizer, .request = CTX_REQUEST_INIT};
	int rc;

	/* bare messages are a request of their own; otherwise the records belong to no
	 * window */
	if (rendered && form == NULL && !in->window)
		return ctx_err_set(err, CTX_EINPUT,
		    "records follow the request record, which must be the last record of the window");
	rendered = true;
	rc = load_render_items(&r, in, err);
	if (rc == 0)
		rc = choose_how(&r, err);
	if (rc == 0 && r.how.in_run)
		rc = choose_render_run(&r, err);
	else if (rc == 0 && r.form == NULL && r.has_request && !r.replay)
		rc = render_run_strip(&r.how, err);
	if (rc == 0)
		rc = render_body(&r, err);
	if (rc == 0)
		rc = warn_fullness(&r, err);
	if (rc == 0 && opt.headers != NULL)
		rc = cli_write_headers(opt.headers, ctx_span_trim(ctx_buf_span(&r.body)),
		    r.how.provider, err);
	if (rc == 0 && opt.request != NULL)
		rc = render_record_write(&r, &opt, err);
	if (rc == 0 && opt.batch)
		rc = render_batch_wrap(&r, err);
	if (rc == 0) {
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&r.body));
		rc = cli_flush(err);
	}
	free(r.run.cache_key);
	free(r.items);
	free(r.sent);
	ctx_request_release(&r.request);
	ctx_buf_release(&r.body);
	ctx_buf_release(&r.fixed);
	ctx_buf_release(&r.told);
	render_report_release(&r.report);
	return rc;
}

static int
fail_form(const char *name, struct ctx_err *err)
{
	struct ctx_buf more = CTX_BUF_INIT;

	ctx_buf_adds(&more, "; or ");
	ctx_render_form_names(&more, " or ");
	cli_unknown_provider(name, more.p, err);
	ctx_buf_release(&more);
	return -1;
}

static int
check_options(struct ctx_err *err)
{
	static const char *const modes[] = {"auto", "keep", "strip"};
	const struct ctx_server *server = ctx_server_find(opt.server);
	const char *p;

	if (opt.server != NULL && server == NULL)
		return render_params_unknown(opt.server, err);
	/* a server offers the API of one provider, so --provider may be omitted */
	if (server != NULL && !cli_flagged(&cli_common.provider))
		cli_common.provider = ctx_provider_name(server->provider);
	p = cli_common.provider;
	int provider = 0;

	form = ctx_render_form_find(p);
	/* the request itself may name the provider */
	if (form == NULL && p != NULL && (provider = ctx_provider_parse(p)) < 0)
		return fail_form(p, err);
	if (opt.batch && (form != NULL || opt.request == NULL || opt.headers != NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--batch needs a provider and --request FILE, and cannot be used with --headers");
	if (form != NULL && opt.headers != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--headers needs a provider to which a request body is sent (-p)");
	if (form != NULL && cli_check_form(form->name,
				form->budget ? "provider request budget warn tokenizer"
					     : "provider request tokenizer",
				err) < 0)
		return -1;
	if (opt.cache != NULL && strcmp(opt.cache, "auto") != 0 &&
	    strcmp(opt.cache, "off") != 0 && strcmp(opt.cache, "5m") != 0 &&
	    strcmp(opt.cache, "1h") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--cache: '%s' is not auto, off, 5m or 1h", opt.cache);
	how.provider = (enum ctx_provider)provider;
	for (int i = 0; i < 3; i++)
		if (opt.thinking == NULL || strcmp(opt.thinking, modes[i]) == 0) {
			how.thinking = (enum ctx_thinking)i;
			return 0;
		}
	return ctx_err_set(
	    err, CTX_EUSAGE, "--thinking: '%s' is not keep, strip or auto", opt.thinking);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc = check_options(err);

	input_name = argc == 1 && strcmp(argv[0], "-") != 0 ? argv[0] : NULL;
	if (rc == 0)
		rc = cli_tokenizer_open(&tokenizer, err);
	if (rc == 0)
		rc = cli_read_params(
		    form == NULL ? opt.params : NULL, &params_text, &how.params, err);
	if (rc == 0)
		rc = cli_windows(NULL, argc, argv, render_stream, NULL, err);
	if (rc == 0)
		rc = render_batch_finish(&opt, err);
	/* the writer of the window has failed, so nothing may be sent */
	if (rc == 0 && (form == NULL || opt.request != NULL) && !rendered)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "the input contains no message and no window");
	ctx_buf_release(&opt.records);
	ctx_buf_release(&params_text);
	ctx_tokenizer_close(tokenizer);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-render",
    .synopsis =
	"[-p PROVIDER] [-b TOKENS] [--params FILE] [--request FILE] [OPTION ...] [FILE ...]",
    .about =
	"Converts a window or bare messages to a request body that the provider accepts.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	struct ctx_buf names = CTX_BUF_INIT;
	int status;

	ctx_buf_adds(&names, CLI_PROVIDERS "; ");
	ctx_render_form_names(&names, ", ");
	for (struct cli_option *o = options; o->name != NULL; o++)
		if (o->value == &cli_common.provider)
			o->help = names.p;
	status = cli_main(&command, argc, argv);
	ctx_buf_release(&names);
	return status;
}
