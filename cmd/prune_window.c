/* ctx-prune: prunes a window or a list of messages in a pipe. */
#include "prune.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/provider.h"
#include "record/request.h"
#include "record/stream.h"
#include "render/render.h"
#include "select/account.h"
#include "window/hide.h"

#define COMPREHENSIVE_BUDGET 4000 /* budget of this strategy if none is given */

/* The state for one window, or one list of messages. */
struct prune {
	struct ctx_stream *in;
	struct ctx_history history;
	/* for each record, the index of its item; SIZE_MAX if it has none */
	size_t *item_of;
	struct ctx_span *sources;
	struct ctx_request request;
	int64_t budget;
	int provider;    /* enum ctx_provider; -1: unknown */
	int64_t besides; /* tokens of the request besides messages */
	bool cut;        /* the run that the window continued is cut */
};

/* Returns the tokens of a message. The record's count is not used, because an earlier
 * filter may have changed the message, and ctx-render counts again. */
static int64_t
count_pruned_message(struct pruning *pru, struct ctx_span message, int provider)
{
	static struct ctx_message view;

	return ctx_message_parse(&view, message, NULL) < 0
		   ? 0
		   : ctx_tokens_sent(pru->tokenizer, &view, provider);
}

/* Returns the provider of the request. As in ctx-render, the command line comes first,
 * then the window's request record, then the environment. */
static int
provider_of(const struct prune *p)
{
	const char *name = cli_common.provider;

	if (p->request.provider != NULL && !cli_flagged(&cli_common.provider))
		name = p->request.provider;
	return name == NULL ? -1 : ctx_provider_parse(name);
}

/* Returns whether the record is an addition that defines a tool. */
static bool
is_tool(const struct ctx_record *r)
{
	static struct ctx_message view;

	return r->slot != CTX_SLOT_HISTORY && ctx_json_has_type(r->source, "tool") &&
	       ctx_message_parse(&view, r->message, NULL) == 0 &&
	       ctx_message_tool(&view).p != NULL;
}

/* When the run is cut, drops the additions of earlier turns. */
static void
drop_earlier_additions(struct ctx_history *h)
{
	size_t turns = 0;

	for (size_t i = h->n; i-- > 0;) {
		struct ctx_item *it = &h->items[i];
		turns += it->starts_turn;
		if (turns > 1 && it->sent && it->seq < 0 && it->slot == CTX_SLOT_VOLATILE)
			it->malformed = CTX_REASON_BUDGET;
	}
}

/* Loads the messages. With counted, their tokens are counted now, otherwise when
 * needed. */
static int
load_prune_history(
    struct pruning *pru, struct prune *p, bool counted, struct ctx_err *err)
{
	struct ctx_stream *in = p->in;
	int64_t params;
	bool given_tools;

	p->item_of = ctx_mem_new((in->n + 1) * sizeof(*p->item_of));
	p->sources = ctx_mem_new((in->n + 1) * sizeof(*p->sources));
	if (in->request < in->n &&
	    ctx_request_parse(&p->request, in->records[in->request].line, err) < 0)
		return -1;
	p->provider = provider_of(p);
	if (cli_tokenizer_request(pru->tokenizer, pru->params, &p->request, err) < 0)
		return -1;
	if (pru->recognisers == NULL && ctx_asks_names(&pru->opt.policy))
		pru->recognisers = ctx_recognisers_new();
	p->besides = params = ctx_render_params_tokens(pru->tokenizer, pru->params);
	given_tools = ctx_tokens_tools(
			  pru->tokenizer, ctx_json_get(pru->params, "tools")) > 0;
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
		ctx_json_double(ctx_json_get(r->source, "similarity_score"), &item.score);
		item.named = ctx_names_entity(pru->recognisers, r->message) ||
			     ctx_record_tools_used(r->metadata, NULL, 0) > 0;
		if (is_tool(r) && !given_tools)
			p->besides = params +
				     ctx_tokens_tools_prompt(pru->tokenizer, p->provider);
		p->item_of[i] = p->history.n;
		p->sources[p->history.n] = r->source;
		if (ctx_history_add(&p->history, &item, err) < 0)
			return -1;
	}
	ctx_history_group(&p->history);
	if (p->cut)
		drop_earlier_additions(&p->history);
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
		    "no limit given: use -b TOKENS (CTX_BUDGET), --keep-turns or --keep-last");
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
				? "the parameters alone exceed the budget of %lld tokens"
				: "no message fits into the budget of %lld tokens",
			    (long long)p->budget);
	}
	return 0;
}

/* Selects the messages to keep. low: down to the low-water mark, for a run that is
 * cut. */
static int
choose_pruned_items(struct pruning *pru, struct prune *p, bool low, struct ctx_err *err)
{
	struct ctx_policy policy;
	int64_t total;

	if (make_policy(pru, p, &policy, err) < 0)
		return -1;
	if (low)
		policy.budget -= p->budget - p->budget * CTX_RUN_LOW_WATER / 100;
	if (ctx_select(&p->history, &policy, err) < 0)
		return -1;
	total = ctx_account_total(&p->history) + p->besides;
	if (p->budget >= 0 && total > p->budget)
		return ctx_err_set(err, CTX_EANSWER,
		    "the messages that must be kept are %lld tokens over the budget of %lld tokens",
		    (long long)(total - p->budget), (long long)p->budget);
	return 0;
}

static void
release_prune(struct prune *p)
{
	free(p->item_of);
	free(p->sources);
	p->item_of = NULL;
	p->sources = NULL;
	ctx_history_release(&p->history);
	ctx_request_release(&p->request);
}

/* Selects again, with messages that were sent before treated like all others. */
static int
cut_pruned_run(struct pruning *pru, struct prune *p, bool low, struct ctx_err *err)
{
	release_prune(p);
	*err = (struct ctx_err)CTX_ERR_INIT;
	if (load_prune_history(pru, p, true, err) < 0 ||
	    choose_pruned_items(pru, p, low, err) < 0)
		return -1;
	ctx_request_cut(&p->request, "full");
	return 0;
}

/* Fits the window to the budget. New additions are dropped first; if that is not enough,
 * the run is cut. */
static int
fit_prune_window(struct pruning *pru, struct prune *p, struct ctx_err *err)
{
	int rc = choose_pruned_items(pru, p, false, err);

	if (rc == 0 || err->code != CTX_EANSWER || p->budget < 0 ||
	    !ctx_request_continues(&p->request))
		return rc;
	p->cut = true;
	ctx_stream_cut(p->in);
	return cut_pruned_run(pru, p, true, err) == 0
		   ? 0
		   : cut_pruned_run(pru, p, false, err);
}

int
trim_prune_stream(void *arg, struct ctx_stream *in, struct ctx_err *err)
{
	struct pruning *pru = arg;
	struct prune p = {.in = in, .request = CTX_REQUEST_INIT};
	struct ctx_policy policy;
	bool *gone = NULL;
	int rc;

	if (pru->opt.report != NULL)
		return 0;
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
	release_prune(&p);
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
			cli_tokenizer_note(pru->tokenizer, &p->request);
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

/* Appends a record for each item that was not simply kept. before: tokens of the original
 * message. */
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
	ctx_json_print(b, "{'kind':'decision','session_id':%j,'position':%d",
	    r->session_id, (int64_t)position + 1);
	if (r->seq > 0)
		ctx_json_add_int(b, "seq", r->seq);
	ctx_json_print(b,
	    "'id':%j,'source':%j,'decision':%s,'reason':%s,'tokens_before':%d,'tokens_after':%d}\n",
	    r->id, r->source, it->keep ? "changed" : "dropped",
	    ctx_reason_name(it->reason), before, it->keep ? it->tokens : 0);
}

int
prune_window(void *arg, struct ctx_stream *in, struct ctx_err *err)
{
	struct pruning *pru = arg;
	struct prune p = {.in = in, .request = CTX_REQUEST_INIT};
	int rc = load_prune_history(pru, &p, true, err);

	if (rc == 0)
		rc = fit_prune_window(pru, &p, err);
	if (rc == 0) {
		print_pruned_window(pru, &p);
		for (size_t i = 0; pru->opt.report != NULL && i < in->n; i++)
			if (p.item_of[i] != SIZE_MAX)
				add_to_report(pru, &p, &p.history.items[p.item_of[i]],
				    &in->records[i], i);
		rc = cli_flush(err);
	}
	pru->over_budget = false;
	release_prune(&p);
	return rc;
}
