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

static struct {
	const char *params;
	bool no_cut;
} opt;

static struct cli_option options[] = {
    CLI_BUDGET_OPTION,
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
	struct ctx_arena arena;      /* messages that were cut */
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

/* Shorten the results that selection wants smaller. */
static void
cut(struct prune *p)
{
	struct ctx_buf b = CTX_BUF_INIT;

	for (size_t i = 0; i < p->history.n; i++) {
		struct ctx_item *it = &p->history.items[i];
		struct ctx_err ignored;
		if (!it->keep || it->cut_to == 0)
			continue;
		ctx_buf_reset(&b);
		ctx_cut_results(&b, it->message, it->cut_to, tokenizer);
		it->message = ctx_arena_copy(&p->arena, ctx_buf_span(&b));
		if (ctx_message_parse(&p->history.scratch, it->message, &ignored) == 0)
			it->tokens = ctx_tokens_message(tokenizer, &p->history.scratch);
	}
	ctx_buf_release(&b);
}

static int
choose(struct prune *p, struct ctx_err *err)
{
	struct ctx_policy policy = CTX_POLICY_INIT;
	int64_t total;

	p->budget = cli_common.budget >= 0 ? cli_common.budget : p->request.budget;
	if (p->budget < 0)
		return ctx_err_set(err, CTX_EUSAGE, "no budget: give -b TOKENS or CTX_BUDGET");
	policy.budget = p->budget - CTX_TOKENS_REPLY - params_tokens;
	if (policy.budget < 0)
		return ctx_err_set(err, CTX_EANSWER, "the parameters alone exceed the budget of %lld",
		    (long long)p->budget);
	policy.cut_base = opt.no_cut ? -1 : p->budget;
	if (ctx_select_recent(&p->history, &policy, err) < 0)
		return -1;
	cut(p);
	total = ctx_account_total(&p->history) + params_tokens;
	if (total > p->budget)
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
		if (it != NULL && it->cut_to > 0)
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
	ctx_arena_release(&p.arena);
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

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc = cli_tokenizer_open(&tokenizer, err);

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
	return cli_main(&command, argc, argv);
}
