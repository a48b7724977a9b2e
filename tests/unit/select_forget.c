/* A stream that forgets as it goes keeps what a selection from the whole history keeps:
 * over random histories, policies, and moments of forgetting. */
#include "select/select.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "random.h"
#include "test.h"

#define MAX 60
#define ROUNDS 6000

struct random_case {
	struct ctx_item v[MAX];
	size_t n;
	struct ctx_policy policy;
};

static struct ctx_arena arena = CTX_ARENA_INIT;
static struct ctx_tokenizer *tokenizer;
static long forgotten, selected;

/* ---- random messages ---- */

static void
put_text(struct ctx_buf *b)
{
	uint32_t n = random_below(20) == 0 ? 300 : random_below(15);

	ctx_buf_addc(b, '"');
	while (n-- > 0)
		ctx_buf_adds(b, random_below(3) == 0 ? "one " : "word\\n");
	ctx_buf_addc(b, '"');
}

static void
put_calls(struct ctx_buf *b, uint32_t ids)
{
	ctx_buf_adds(b, "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[");
	for (uint32_t n = 1 + random_below(2); n > 0; n--)
		ctx_buf_addf(b,
		    "{\"id\":\"c%u\",\"type\":\"function\",\"function\":{\"name\":\"f%"
		    "u\","
		    "\"arguments\":\"{}\"}}%s",
		    random_below(ids), random_below(2), n > 1 ? "," : "");
	ctx_buf_adds(b, "]}");
}

static void
put_results(struct ctx_buf *b, uint32_t ids)
{
	if (random_below(2) == 0) {
		ctx_buf_addf(b,
		    "{\"role\":\"tool\",\"tool_call_id\":\"c%u\",\"content\":",
		    random_below(ids));
		put_text(b);
		ctx_buf_addc(b, '}');
		return;
	}
	ctx_buf_adds(b, "{\"role\":\"user\",\"content\":[");
	for (uint32_t n = 1 + random_below(2); n > 0; n--) {
		ctx_buf_addf(b,
		    "{\"type\":\"tool_result\",\"tool_use_id\":\"c%u\",\"content\":",
		    random_below(ids));
		put_text(b);
		ctx_buf_adds(b, n > 1 ? "}," : "}");
	}
	ctx_buf_adds(b, "]}");
}

static void
put_message(struct ctx_buf *b, uint32_t ids)
{
	static const char *const roles[] = {
	    "user", "user", "user", "assistant", "assistant", "system"};
	uint32_t kind = random_below(10);

	if (kind < 3) {
		put_calls(b, ids);
	} else if (kind < 6) {
		put_results(b, ids);
	} else {
		ctx_buf_addf(b, "{\"role\":\"%s\",\"content\":", roles[random_below(6)]);
		put_text(b);
		ctx_buf_addc(b, '}');
	}
}

static void
make_policy(struct ctx_policy *p)
{
	static const char *const tools[] = {"f1"};
	static const enum ctx_strategy strategies[] = {CTX_STRATEGY_RECENT,
	    CTX_STRATEGY_FILTER, CTX_STRATEGY_TOOLS, CTX_STRATEGY_TRUNCATE};

	ctx_policy_init(p);
	p->tokenizer = tokenizer;
	if (random_below(4) != 0) {
		p->budget = random_below(random_below(3) == 0 ? 1500 : 250);
		p->cut_base = random_below(4) == 0 ? -1 : p->budget;
	} else {
		p->max_messages = 0;
	}
	for (uint32_t n = random_below(3); n > 0; n--)
		p->strategies[p->n_strategies++] = strategies[random_below(4)];
	p->only_over = random_below(2) == 0;
	p->stub = random_below(4) == 0;
	p->tools_keep = random_below(4);
	p->max_chars = 30 + random_below(60);
	p->results_only = random_below(3) == 0;
	if (random_below(3) == 0)
		p->keep_last = random_below(6);
	if (random_below(3) == 0)
		p->keep_turns = random_below(4);
	if (random_below(8) == 0)
		p->protect_roles = 1u << random_below(5);
	if (random_below(8) == 0) {
		p->protect_tools = tools;
		p->n_protect_tools = 1;
	}
}

/* Few ids: they are used again, and out of order. */
static void
make_case(struct random_case *c)
{
	uint32_t ids = 2 + random_below(random_below(2) == 0 ? 5 : 40);
	uint32_t pins = random_below(2) == 0 ? 0 : 20;

	ctx_arena_reset(&arena);
	c->n = random_below(MAX + 1);
	for (size_t i = 0; i < c->n; i++) {
		struct ctx_buf b = CTX_BUF_INIT;
		put_message(&b, ids);
		c->v[i] = (struct ctx_item){
		    .message = ctx_arena_copy(&arena, ctx_buf_span(&b)),
		    .seq = -1,
		    .created_at = CTX_TIME_NONE,
		    .place = (int64_t)i + 1,
		    .pinned = pins > 0 && random_below(pins) == 0,
		    .tokens = -1};
		ctx_buf_release(&b);
	}
	make_policy(&c->policy);
}

/* ---- both ways ---- */

static void
load(struct ctx_history *h, const struct random_case *c, const size_t list[], size_t n,
    bool count)
{
	struct ctx_err err;

	ctx_history_reset(h);
	for (size_t i = 0; i < n; i++) {
		struct ctx_item item = c->v[list[i]];
		if (count) {
			if (ctx_message_parse(&h->scratch, item.message, &err) < 0)
				abort();
			item.tokens = ctx_tokens_message(tokenizer, &h->scratch);
		}
		if (ctx_history_add(h, &item, &err) < 0)
			abort();
	}
	ctx_history_group(h);
}

/* What a selection from the listed messages prints. */
static void
select_from(
    struct ctx_buf *out, const struct random_case *c, const size_t list[], size_t n)
{
	struct ctx_history h = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	load(&h, c, list, n, true);
	if (ctx_select(&h, &c->policy, &err) < 0)
		ctx_buf_adds(out, err.msg);
	else
		for (size_t i = 0; i < h.n; i++)
			if (h.items[i].keep) {
				ctx_buf_addf(out, "%zu ", list[i]);
				ctx_buf_addspan(out, h.items[i].message);
				ctx_buf_addc(out, '\n');
				selected++;
			}
	ctx_history_release(&h);
}

static size_t
forget(struct random_case *c, size_t list[], size_t n)
{
	struct ctx_history h = CTX_HISTORY_INIT;
	bool gone[MAX + 1];
	size_t left = 0;

	load(&h, c, list, n, false);
	c->policy.over |= ctx_select_forget(&h, &c->policy, gone);
	for (size_t i = 0; i < n; i++)
		if (!gone[i])
			list[left++] = list[i];
	forgotten += (long)(n - left);
	ctx_history_release(&h);
	return left;
}

static void
forgetting(void)
{
	struct random_case c;

	for (int round = 0; round < ROUNDS && !test_bad; round++) {
		struct ctx_buf whole = CTX_BUF_INIT, stream = CTX_BUF_INIT;
		size_t list[MAX + 1], n = 0, every;
		make_case(&c);
		every = 1 + random_below(8);
		for (size_t i = 0; i < c.n; i++)
			list[i] = i;
		select_from(&whole, &c, list, c.n);
		for (size_t i = 0; i < c.n; i++) {
			list[n++] = i;
			if (random_below((uint32_t)every) == 0)
				n = forget(&c, list, n);
		}
		select_from(&stream, &c, list, n);
		CHECK_STR(ctx_buf_span(&stream).p, ctx_buf_span(&whole).p);
		if (test_bad)
			printf("# budget %lld, cut %lld, strategies %zu (%d, %d), last "
			       "%lld, turns %lld\n",
			    (long long)c.policy.budget, (long long)c.policy.cut_base,
			    c.policy.n_strategies, (int)c.policy.strategies[0],
			    (int)c.policy.strategies[1], (long long)c.policy.keep_last,
			    (long long)c.policy.keep_turns);
		for (size_t i = 0; test_bad && i < c.n; i++)
			printf("# %zu%s %s\n", i, c.v[i].pinned ? " pinned" : "",
			    c.v[i].message.p);
		ctx_buf_release(&whole);
		ctx_buf_release(&stream);
	}
	CHECK(forgotten > ROUNDS / 10 && selected > ROUNDS / 10);
}

int
main(void)
{
	struct ctx_err err;

	if (ctx_tokenizer_open(&tokenizer, "chars4", NULL, &err) < 0)
		return 1;
	RUN(forgetting);
	ctx_tokenizer_close(tokenizer);
	ctx_arena_release(&arena);
	return TEST_END();
}
