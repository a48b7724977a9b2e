/* Every chain of strategies over random histories, as a pipe would run it: what is kept
 * renders for each provider to a body that passes the judge, or is refused for a reason
 * that the history itself gives. CTX_TEST_RUNS sets how many histories. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>

#include "lint/lint.h"
#include "render/render.h"
#include "select/select.h"

#include "select_random.h"
#include "test.h"

static struct ctx_tokenizer *tokenizer;

/* A case with the way to prune it. */
struct way {
	enum ctx_strategy strategies[3];
	size_t n;
	bool stub, head_tail, drop_prefix;
	int64_t max_chars, tools_keep, clear_at_least, keep_last, keep_turns;
};

static void
make_way(struct way *w)
{
	memset(w, 0, sizeof(*w));
	w->n = random_below(4);
	for (size_t i = 0; i < w->n; i++)
		w->strategies[i] = (enum ctx_strategy)random_below(CTX_STRATEGY_COUNT);
	w->stub = random_below(2) == 0;
	w->head_tail = random_below(2) == 0;
	w->drop_prefix = random_below(3) == 0;
	w->max_chars = 60 + random_below(300);
	w->tools_keep = random_below(4);
	w->clear_at_least = random_below(60);
	w->keep_last = random_below(3);
	w->keep_turns = random_below(2);
}

static int
pick(struct ctx_history *h, const struct random_case *c, const struct way *w,
    struct ctx_err *err)
{
	struct ctx_policy p;
	struct ctx_message m = CTX_MESSAGE_INIT;

	ctx_policy_init(&p);
	p.budget = p.cut_base = c->budget;
	p.tokenizer = tokenizer;
	memcpy(p.strategies, w->strategies, sizeof(w->strategies));
	p.n_strategies = w->n;
	p.stub = w->stub;
	p.head_tail = w->head_tail;
	p.drop_prefix = w->drop_prefix;
	p.max_chars = w->max_chars;
	p.tools_keep = w->tools_keep;
	p.clear_at_least = w->clear_at_least;
	p.keep_last = w->keep_last;
	p.keep_turns = w->keep_turns;
	for (size_t i = 0; i < c->n; i++) {
		struct ctx_item item = {.message = c->v[i].json,
		    .seq = (int64_t)i + 1,
		    .created_at = CTX_TIME_NONE,
		    .slot = c->v[i].slot,
		    .pinned = c->v[i].pinned,
		    .score = c->v[i].score};
		if (ctx_message_parse(&m, item.message, err) < 0)
			abort();
		item.tokens = ctx_tokens_message(tokenizer, &m);
		if (ctx_history_add(h, &item, err) < 0)
			abort();
	}
	ctx_message_release(&m);
	ctx_history_group(h);
	return ctx_select(h, &p, err);
}

static void
complain(void *arg, const struct ctx_lint_diagnostic *d)
{
	(void)arg;
	printf("# %s\n", d->rule);
}

/* Can what is kept not be sent yet, or ever? The last word is the assistant's, a call
 * waits, or nobody asked anything. */
static bool
not_to_be_sent(const struct ctx_err *err)
{
	return strstr(err->msg, "has no result") != NULL ||
	       strstr(err->msg, "the last message is an assistant message") != NULL ||
	       strstr(err->msg, "user message") != NULL ||
	       strstr(err->msg, "no message") != NULL ||
	       strstr(err->msg, "nothing to") != NULL;
}

/* Must something stay (a pin, the newest groups) that no user message comes before? */
static bool
begins_without_user(const struct ctx_history *h)
{
	for (size_t i = 0; i < h->n && !h->items[i].starts_turn; i++)
		if (h->items[i].keep && h->items[i].slot == CTX_SLOT_HISTORY &&
		    h->items[i].role != CTX_ROLE_SYSTEM &&
		    h->items[i].role != CTX_ROLE_DEVELOPER)
			return true;
	return false;
}

static const char *
sendable(const struct ctx_history *h, int64_t budget)
{
	static const enum ctx_provider rules[] = {
	    CTX_PROVIDER_OPENAI, CTX_PROVIDER_ANTHROPIC, CTX_PROVIDER_GEMINI};
	struct ctx_render_item *items = calloc(h->n + 1, sizeof(*items));
	const char *wrong = NULL;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].keep)
			items[n++] = (struct ctx_render_item){
			    .message = h->items[i].message,
			    .slot = h->items[i].slot,
			    .seq = h->items[i].seq,
			    .created_at = CTX_TIME_NONE};
	for (int p = 0; wrong == NULL && p < 3; p++) {
		struct ctx_render_options o = {
		    .provider = (enum ctx_provider)p, .cut = true};
		struct ctx_lint_options lo = CTX_LINT_OPTIONS_INIT;
		struct ctx_buf body = CTX_BUF_INIT;
		struct ctx_err err = CTX_ERR_INIT;
		lo.rules = rules[p];
		lo.budget = budget + CTX_TOKENS_REPLY;
		lo.tokenizer = tokenizer;
		if (ctx_render_body(&body, items, n, &o, &err) < 0) {
			if (!not_to_be_sent(&err) &&
			    !(begins_without_user(h) &&
				strstr(err.msg,
				    "first message must have the role user") != NULL)) {
				printf("# %s\n", err.msg);
				wrong = "what is kept cannot be rendered";
			}
		} else if (ctx_lint_body(ctx_buf_span(&body), &lo, NULL, NULL, &err) !=
			   0) {
			ctx_lint_body(ctx_buf_span(&body), &lo, complain, NULL, &err);
			printf("# provider %d: %.*s\n", p,
			    (int)(body.n > 1500 ? 1500 : body.n), body.p);
			wrong = "the judge refuses the body";
		}
		ctx_buf_release(&body);
	}
	free(items);
	return wrong;
}

static const char *
same(const struct ctx_history *a, const struct ctx_history *b)
{
	size_t k = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (!a->items[i].keep)
			continue;
		while (k < b->n && !b->items[k].keep)
			k++;
		if (k == b->n || !ctx_span_eq(a->items[i].message, b->items[k].message))
			return "pruning twice differs from pruning once";
		k++;
	}
	return NULL;
}

static const char *
pruned_again(
    const struct ctx_history *h, const struct random_case *c, const struct way *w)
{
	struct random_case kept = {.budget = c->budget};
	struct ctx_history again = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	const char *wrong;

	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].keep)
			kept.v[kept.n++] = (struct entry){h->items[i].message,
			    h->items[i].slot, h->items[i].pinned, h->items[i].score};
	wrong = pick(&again, &kept, w, &err) < 0 ? "what was kept is refused"
						 : same(h, &again);
	ctx_history_release(&again);
	return wrong;
}

static const char *
check_case(const struct random_case *c, const struct way *w)
{
	struct ctx_history h = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	const char *wrong = NULL;
	int64_t sum = 0;

	if (pick(&h, c, w, &err) < 0) {
		wrong = err.code != CTX_EANSWER ? "an error of another kind" : NULL;
	} else {
		for (size_t i = 0; i < h.n; i++)
			sum += h.items[i].keep ? h.items[i].tokens : 0;
		for (size_t i = 0; i < h.n; i++)
			if (h.items[i].pinned && !h.items[i].keep &&
			    h.items[i].malformed == CTX_REASON_NONE)
				wrong = "a pinned message is gone";
		if (sum > c->budget)
			wrong = "over the budget";
		if (wrong == NULL)
			wrong = sendable(&h, c->budget);
		if (wrong == NULL)
			wrong = pruned_again(&h, c, w);
	}
	ctx_history_release(&h);
	return wrong;
}

static void
report(struct random_case *c, const struct way *w, const char *wrong)
{
	for (bool smaller = true; smaller;) {
		smaller = false;
		for (size_t i = 0; i < c->n && !smaller; i++) {
			struct random_case less = *c;
			memmove(&less.v[i], &less.v[i + 1],
			    (c->n - i - 1) * sizeof(less.v[0]));
			less.n--;
			if (check_case(&less, w) != NULL) {
				*c = less;
				smaller = true;
			}
		}
	}
	printf("# %s; budget %lld, strategies", wrong, (long long)c->budget);
	for (size_t i = 0; i < w->n; i++)
		printf(" %s", ctx_strategy_name(w->strategies[i]));
	printf("%s, keep last %lld, turns %lld\n", w->stub ? " (stub)" : "",
	    (long long)w->keep_last, (long long)w->keep_turns);
	for (size_t i = 0; i < c->n; i++)
		printf(
		    "# "
		    "{\"kind\":\"message\",\"pinned\":%s,\"slot\":%d,\"message\":%.*s}\n",
		    c->v[i].pinned ? "true" : "false", (int)c->v[i].slot,
		    (int)(c->v[i].json.n > 300 ? 300 : c->v[i].json.n), c->v[i].json.p);
	printf("# once more: %s\n", check_case(c, w));
	test_bad = 1;
}

static void
chains_of_strategies(void)
{
	const char *env = getenv("CTX_TEST_RUNS");
	long runs = env != NULL ? atol(env) : 4000;
	struct random_case c;
	struct way w;

	for (long i = 0; i < runs && !test_bad; i++) {
		const char *wrong;
		random_faults = i % 2 == 0;
		make_case(&c, i % 3 != 0);
		for (size_t k = 0; k < c.n; k++) /* additions make and answer no calls */
			if (memmem(c.v[k].json.p, c.v[k].json.n, "tool_", 5) != NULL)
				c.v[k].slot = CTX_SLOT_HISTORY;
		make_way(&w);
		wrong = check_case(&c, &w);
		if (wrong != NULL)
			report(&c, &w, wrong);
		ctx_arena_reset(&arena);
	}
}

int
main(void)
{
	struct ctx_err err;

	if (ctx_tokenizer_open(&tokenizer, "approx", NULL, &err) < 0)
		return 1;
	RUN(chains_of_strategies);
	ctx_tokenizer_close(tokenizer);
	ctx_arena_release(&arena);
	return TEST_END();
}
