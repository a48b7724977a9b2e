#include "render_report.h"
#include "render_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/plural.h"
#include "json/json.h"
#include "lint/lint.h"
#include "model/model.h"
#include "record/provider.h"
#include "record/request.h"
#include "record/stream.h"
#include "render/headers.h"
#include "render/render.h"
#include "select/account.h"

static struct {
	const char *params, *request, *thinking, *cache, *headers;
	int64_t warn;
} opt = {.warn = 80};

static struct cli_option options[] = {
    {"provider", 'p', "NAME",
	"openai, anthropic, gemini, responses; text, markdown, prompt", CLI_STRING,
	&cli_common.provider, "CTX_PROVIDER"},
    {"params", 0, "FILE", "a JSON object to merge into the body: model, tools, …",
	CLI_STRING, &opt.params, "CTX_PARAMS"},
    {"request", 0, "FILE", "write the request record there, for ctx-append", CLI_STRING,
	&opt.request, NULL},
    {"headers", 0, "FILE",
	"write the HTTP headers that the body needs, for curl -H @FILE", CLI_STRING,
	&opt.headers, NULL},
    {"thinking", 0, "HOW", "keep, strip or auto (default)", CLI_STRING, &opt.thinking,
	NULL},
    {"cache", 0, "HOW", "marks for prompt caching: auto (default), off, 5m or 1h",
	CLI_STRING, &opt.cache, "CTX_CACHE"},
    {"warn", 0, "PERCENT",
	"warn of a request that takes so much of its budget (default 80; 0: never)",
	CLI_INT, &opt.warn, "CTX_WARN"},
    CLI_BUDGET_OPTION,
    CLI_TOKENIZER_OPTION,
    CLI_END,
};

static struct ctx_tokenizer *tokenizer;
static struct ctx_render_options how;
static enum form { BODY, TEXT, MARKDOWN, PROMPT } form;
static const char *const form_names[] = {NULL, "text", "markdown", "prompt"};
static struct ctx_buf params_text;
static bool request_written;
static bool rendered;

struct render {
	struct ctx_render_item *items;
	struct ctx_sent *sent;
	size_t n;
	struct ctx_render_options how;
	enum form form;
	bool replay;
	int64_t tokens;
	struct render_run run;
	struct ctx_request request;
	bool has_request;
	struct ctx_buf body;
	struct ctx_render_report report;
};

static int
load_render_items(struct render *r, const struct ctx_stream *in, struct ctx_err *err)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	int rc = 0;

	r->items = ctx_mem_new((in->n + 1) * sizeof(*r->items));
	r->sent = ctx_mem_new((in->n + 1) * sizeof(*r->sent));
	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		const struct ctx_record *rec = &in->records[i];
		if (rec->kindless) {
			rc = ctx_err_set(err, CTX_EINPUT,
			    "record %lld: neither a kind nor a role",
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
		    .paused = ctx_json_is(
			ctx_json_get(rec->metadata, "stop_reason"), "pause_turn")};
		r->sent[r->n] = (struct ctx_sent){.message = rec->message,
		    .source = rec->source,
		    .slot = rec->slot,
		    .seq = rec->seq};
		rc = ctx_message_parse(&view, rec->message, err);
		if (rc == 0)
			r->sent[r->n].tokens = ctx_tokens_message(tokenizer, &view);
		if (rc == 0 && rec->slot == CTX_SLOT_HISTORY &&
		    ctx_message_starts_turn(&view))
			r->run.turn = rec->seq;
		r->tokens += r->sent[r->n++].tokens;
	}
	ctx_message_release(&view);
	r->has_request = in->request < in->n;
	if (rc == 0 && r->has_request)
		rc = ctx_request_parse(&r->request, in->records[in->request].line, err);
	return rc;
}

/* The form of a provider's name: what is none of the others is a body. */
static enum form
form_of(const char *provider)
{
	for (int f = TEXT; provider != NULL && f <= PROMPT; f++)
		if (strcmp(provider, form_names[f]) == 0)
			return (enum form)f;
	return BODY;
}

/* The lifetime of the marks; NULL: none. By default the requests of a run are marked. */
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

/* A request that was sent before (ctx-show --request) goes out as it did then, whatever the
 * environment says; the command line may say otherwise. */
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
	r->form = r->replay ? form_of(q->provider) : form;
	if (r->form != BODY) {
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
	r->how.in_run = q->run_json != NULL && r->form == BODY;
	r->how.cache = choose_cache(r);
	r->tokens += CTX_TOKENS_REPLY +
		     ctx_render_params_tokens(tokenizer, r->how.params);
	return 0;
}

/* What Anthropic's API cannot do without. Whoever gives parameters means to send the body;
 * without them it may be completed behind us. */
static int
check_required(const struct render *r, struct ctx_err *err)
{
	bool model = ctx_json_get(r->how.params, "model").p != NULL;
	bool most = ctx_json_get(r->how.params, "max_tokens").p != NULL;
	const char *missing = !model && !most ? "model and max_tokens"
			      : !model        ? "model"
					      : "max_tokens";

	if (r->how.provider != CTX_PROVIDER_ANTHROPIC || r->replay || (model && most))
		return 0;
	if (opt.params == NULL) {
		cli_note("the body lacks %s, which anthropic requires (--params FILE)",
		    missing);
		return 0;
	}
	return ctx_err_set(err, CTX_EANSWER,
	    "the parameters lack %s, which anthropic requires: put %s into %s", missing,
	    !model && !most ? "them" : "it", opt.params);
}

/* Leaves out the tools that wait for the next cut of the run, and notes them. */
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
		    "%zu tool%s left out until the run is cut: its tools cannot change (ctx-window --fresh cuts it)",
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
	if (leave_waiting_tools(r, err) < 0)
		return -1;
	r->run.n = r->n;
	r->run.cache = opt.cache == NULL || strcmp(opt.cache, "off") != 0;
	return render_run_choose(&r->run, &r->how, &r->request, err);
}

/* Tokens that the body may cost; -1: any number. */
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
		    "the request costs %lld tokens, %lld more than the budget of %lld (ctx-prune%s%s makes it fit)",
		    (long long)tokens, (long long)(tokens - budget), (long long)budget,
		    provider == NULL ? "" : " -p ", provider == NULL ? "" : provider);
	return 0;
}

/* The messages were counted as they are stored. What they became in this provider's shape
 * is what is sent, and what has to fit: an image that changes its shape changes its price. */
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
	int64_t budget;

	budget = budget_of(r);
	if (r->form == PROMPT && check_budget(budget, r->tokens, NULL, err) < 0)
		return -1;
	switch (r->form) {
	case TEXT:
		return ctx_render_text(&r->body, r->items, r->n, err);
	case MARKDOWN:
		return ctx_render_markdown(&r->body, r->items, r->n, err);
	case PROMPT:
		return ctx_render_prompt(&r->body, r->items, r->n, err);
	case BODY:
		break;
	}
	if (check_required(r, err) < 0 ||
	    check_budget(budget, r->tokens, NULL, err) < 0 ||
	    ctx_render_body(&r->body, r->items, r->n, &r->how, err) < 0 ||
	    check_sent(r, budget, err) < 0)
		return -1;
	ctx_buf_addc(&r->body, '\n');
	render_report_tell(&r->report, r->how.provider);
	return 0;
}

/* Without a budget, that of the model: the tokens that a request to it may have. -1 unknown. */
static int
find_render_budget(const struct render *r, int64_t *room, struct ctx_err *err)
{
	struct ctx_buf models = CTX_BUF_INIT, name = CTX_BUF_INIT;
	struct ctx_span model = ctx_json_text(
	    ctx_json_get(r->how.params, "model"), &name);
	struct ctx_model m;
	int rc = model.p == NULL ? 0 : cli_models_read(&models, err);

	*room = -1;
	if (rc >= 0 && model.p != NULL &&
	    ctx_model_find(&m, model, ctx_buf_span(&models)))
		*room = ctx_model_room(&m);
	ctx_buf_release(&models);
	ctx_buf_release(&name);
	return rc < 0 ? -1 : 0;
}

/* While there is time to summarise, not once it is too late. */
static int
warn_fullness(const struct render *r, struct ctx_err *err)
{
	int64_t budget = budget_of(r), room = budget;

	if (opt.warn <= 0 || r->replay)
		return 0;
	if (budget < 0 && find_render_budget(r, &room, err) < 0)
		return -1;
	if (room > 0 && r->tokens >= room / 100 * opt.warn + room % 100 * opt.warn / 100)
		cli_warn("the request takes %lld %% of %s of %lld tokens",
		    (long long)((double)r->tokens * 100 / (double)room),
		    budget >= 0 ? "the budget" : "the model's window", (long long)room);
	return 0;
}

/* The total in the record's tokens: what was counted here, params included. */
static void
set_total(struct ctx_request *q, int64_t total)
{
	struct ctx_buf members = CTX_BUF_INIT, object = CTX_BUF_INIT;
	struct ctx_json_iter it;

	ctx_buf_addf(
	    &object, "{%.*s}", (int)q->tokens.n, q->tokens.n > 0 ? q->tokens.p : "");
	ctx_json_iter_init(&it, ctx_buf_span(&object));
	while (ctx_json_iter_next(&it)) {
		if (ctx_json_is(it.key, "total"))
			continue;
		if (members.n > 0)
			ctx_buf_addc(&members, ',');
		ctx_buf_addspan(&members, it.key);
		ctx_buf_addc(&members, ':');
		ctx_buf_addspan(&members, it.value);
	}
	ctx_json_add_int(&members, "total", total);
	ctx_buf_release(&object);
	ctx_buf_release(&q->tokens);
	q->tokens = members;
}

/* What a replay needs: provider, params and thinking. */
static void
note_how(struct ctx_request *q, enum form f, const struct ctx_render_options *h)
{
	struct ctx_buf params = CTX_BUF_INIT;

	if (h->params.p != NULL) /* on one line */
		ctx_json_minify(h->params, &params);
	free(q->provider);
	free(q->params_json);
	free(q->thinking);
	free(q->cache);
	q->provider = ctx_mem_str(
	    f == BODY ? ctx_provider_name(h->provider) : form_names[f]);
	q->params_json = h->params.p != NULL ? ctx_span_dup(ctx_buf_span(&params)) : NULL;
	q->thinking = h->thinking == CTX_THINKING_KEEP    ? ctx_mem_str("keep")
		      : h->thinking == CTX_THINKING_STRIP ? ctx_mem_str("strip")
							  : NULL;
	q->cache = h->provider == CTX_PROVIDER_ANTHROPIC ? ctx_mem_str(h->cache) : NULL;
	ctx_buf_release(&params);
}

static int
write_headers(const struct render *r, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	ctx_headers_put(&b, (struct ctx_span){r->body.p, r->body.n - 1}, r->how.provider);
	rc = ctx_io_replace_file(opt.headers, b.p, b.n, err);
	ctx_buf_release(&b);
	return rc;
}

static int
write_request(struct render *r, struct ctx_err *err)
{
	struct ctx_request *q = &r->request;
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	if (!r->has_request)
		return ctx_err_set(err, CTX_EINPUT,
		    "--request: the input has no request record (ctx-window makes one)");
	if (request_written)
		return ctx_err_set(
		    err, CTX_EINPUT, "--request: the input holds several windows");
	request_written = true;
	note_how(q, r->form, &r->how);
	render_report_note(&r->report, q);
	if (r->how.in_run)
		render_run_note(&r->run, &r->how, q);
	ctx_account_sent(q, r->sent, r->n);
	free(q->tokenizer);
	q->tokenizer = ctx_mem_str(ctx_tokenizer_name(tokenizer));
	free(q->body_sha256);
	q->body_sha256 = ctx_mem_new(CTX_HASH_HEX + 1);
	ctx_hash_sha256(r->body.p, r->body.n == 0 ? 0 : r->body.n - 1, q->body_sha256);
	if (cli_common.budget >= 0)
		q->budget = cli_common.budget;
	set_total(q, r->tokens);
	ctx_request_print(&b, q);
	rc = ctx_io_replace_file(opt.request, b.p, b.n, err);
	ctx_buf_release(&b);
	return rc;
}

static int
render_stream(void *arg, struct ctx_stream *in, struct ctx_err *err)
{
	struct render r = {.run = {.turn = -1}};
	int rc;

	(void)arg;
	/* bare messages are one request by themselves, or records that belong to no window */
	if (rendered && form == BODY && !in->window)
		return ctx_err_set(err, CTX_EINPUT,
		    "records behind the request record that ends the window");
	rendered = true;
	ctx_request_init(&r.request);
	rc = load_render_items(&r, in, err);
	if (rc == 0)
		rc = choose_how(&r, err);
	if (rc == 0 && r.how.in_run)
		rc = choose_render_run(&r, err);
	if (rc == 0)
		rc = render_body(&r, err);
	if (rc == 0)
		rc = warn_fullness(&r, err);
	if (rc == 0 && opt.headers != NULL)
		rc = write_headers(&r, err);
	if (rc == 0 && opt.request != NULL)
		rc = write_request(&r, err);
	if (rc == 0) {
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&r.body));
		rc = cli_flush(err);
	}
	free(r.run.cache_key);
	free(r.items);
	free(r.sent);
	ctx_request_release(&r.request);
	ctx_buf_release(&r.body);
	render_report_release(&r.report);
	return rc;
}

static int
check_options(struct ctx_err *err)
{
	static const char *const modes[] = {"auto", "keep", "strip"};
	const char *p = cli_common.provider;
	int provider = 0;

	form = form_of(p);
	/* it may turn out that the request itself names the provider */
	if (form == BODY && p != NULL && (provider = ctx_provider_parse(p)) < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown provider '%s' (openai, anthropic, gemini or responses; or text, markdown or prompt)",
		    p);
	if (form != BODY && opt.headers != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--headers goes with a provider's body");
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

	if (rc == 0)
		rc = cli_tokenizer_open(&tokenizer, err);
	if (rc == 0)
		rc = cli_read_params(
		    form == BODY ? opt.params : NULL, &params_text, &how.params, err);
	if (rc == 0)
		rc = cli_windows(argc, argv, render_stream, NULL, err);
	/* the writer of the window has failed: nothing must be sent */
	if (rc == 0 && (form == BODY || opt.request != NULL) && !rendered)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "no message and no window in the input");
	ctx_buf_release(&params_text);
	ctx_tokenizer_close(tokenizer);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-render",
    .synopsis =
	"[-p PROVIDER] [-b TOKENS] [--params FILE] [--request FILE] [OPTION ...] [FILE ...]",
    .about =
	"Turns a window, or bare messages, into one request body that the provider accepts.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
