/* Fuzz target for selection. The first byte picks: a history to select from, one to
 * forget from on the way, or a message to shorten; the rest chooses history and policy, or
 * is the message. */
#include "fuzz.h"

#include <string.h>

#include "../unit/select_random.h"
#include "json/json.h"
#include "select/select.h"

static struct ctx_tokenizer *tokenizer;

static void
choose_policy(struct ctx_policy *p, int64_t budget)
{
	static const char *const tools[] = {"f"};

	ctx_policy_init(p);
	p->tokenizer = random_below(4) == 0 ? NULL : tokenizer;
	p->budget = random_below(4) == 0 ? -1 : budget;
	/* without a tokenizer they count as cut all the same */
	p->cut_base = p->tokenizer == NULL || random_below(3) == 0 ? -1 : budget;
	p->max_messages = random_below(3) == 0 ? (int)random_below(40) : -1;
	p->max_turns = random_below(3) == 0 ? (int)random_below(10) : -1;
	p->since = random_below(6) == 0 ? random_below(40) : CTX_TIME_NONE;
	p->stable_step = random_below(4) == 0 ? random_below(200) : 0;
	for (uint32_t n = random_below(4); n > 0; n--)
		p->strategies[p->n_strategies++] = (enum ctx_strategy)random_below(
		    CTX_STRATEGY_COUNT);
	p->protect_roles = random_below(4) == 0 ? random_below(32) : 0;
	p->protect_tools = tools;
	p->n_protect_tools = random_below(4) == 0;
	p->keep_last = random_below(4) == 0 ? random_below(8) : 0;
	p->keep_turns = random_below(4) == 0 ? random_below(5) : 0;
	p->drop_prefix = random_below(4) == 0;
	p->stub = random_below(2);
	p->tools_keep = random_below(5);
	p->clear_at_least = random_below(2) ? random_below(100) : 0;
	p->max_chars = random_below(200);
	p->results_only = random_below(2);
	p->head_tail = random_below(2);
}

static int64_t
count(struct ctx_span message)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t n;

	MUST(ctx_json_check(message, NULL, NULL, &err) == 0);
	MUST(ctx_message_parse(&m, message, &err) == 0);
	n = ctx_tokens_message(tokenizer, &m);
	ctx_message_release(&m);
	return n;
}

static void
load(struct ctx_history *h, const struct entry v[], size_t n)
{
	struct ctx_err err = CTX_ERR_INIT;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct ctx_item item = {.message = v[i].json,
		    .seq = (int64_t)i + 1,
		    .created_at = (int64_t)i,
		    .tokens = count(v[i].json),
		    .token_sum = sum,
		    .slot = v[i].slot,
		    .pinned = v[i].pinned,
		    .score = v[i].score};
		MUST(ctx_history_add(h, &item, &err) == 0);
		sum += item.tokens;
	}
	ctx_history_group(h);
}

/* What a selection that went well promises. */
static void
check(const struct ctx_history *h, const struct ctx_policy *p)
{
	size_t current = ctx_history_current_turn(h);
	int64_t sum = 0;

	MUST(current == h->n || h->items[current].keep);
	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		MUST(it->keep == h->items[it->group].keep);
		MUST(it->keep ? it->malformed == CTX_REASON_NONE
			      : it->reason != CTX_REASON_NONE);
		MUST(it->keep || !it->pinned || it->malformed != CTX_REASON_NONE);
		if (it->keep)
			sum += p->tokenizer != NULL ? count(it->message) : it->tokens;
	}
	if (p->budget >= 0 && sum > p->budget)
		for (size_t i = 0; i < h->n; i++)
			fprintf(stderr, "%zu %d %lld %s %.*s\n", i, h->items[i].keep,
			    (long long)h->items[i].tokens,
			    ctx_reason_name(h->items[i].reason),
			    (int)h->items[i].message.n, h->items[i].message.p);
	MUST(p->budget < 0 || sum <= p->budget);
}

static void
select_from(const struct random_case *c, const struct ctx_policy *p)
{
	struct ctx_history h = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	load(&h, c->v, c->n);
	if (ctx_select(&h, p, &err) == 0)
		check(&h, p);
	else
		MUST(err.code == CTX_EANSWER && err.msg[0] != '\0');
	ctx_history_release(&h);
}

/* What is printed in the end. */
static void
print(struct ctx_buf *out, const struct entry v[], size_t n, const struct ctx_policy *p)
{
	struct ctx_history h = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	load(&h, v, n);
	if (ctx_select(&h, p, &err) == 0)
		for (size_t i = 0; i < h.n; i++)
			if (h.items[i].keep) {
				ctx_buf_addspan(out, h.items[i].message);
				ctx_buf_addc(out, '\n');
			}
	ctx_history_release(&h);
}

/* As a stream does it: now and then what will not be kept is forgotten. */
static void
forget_from(const struct random_case *c, const struct ctx_policy *p)
{
	struct ctx_buf whole = CTX_BUF_INIT, stream = CTX_BUF_INIT;
	struct entry v[MAX];
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct ctx_history h = CTX_HISTORY_INIT;
		bool gone[MAX];
		size_t left = 0;
		v[n++] = c->v[i];
		if (i % 3 != 0)
			continue;
		load(&h, v, n);
		if (ctx_select_forget(&h, p, gone))
			for (size_t k = 0; k < n; k++) {
				v[left] = v[k];
				left += !gone[k];
			}
		n = left > 0 ? left : n;
		ctx_history_release(&h);
	}
	print(&whole, c->v, c->n, p);
	print(&stream, v, n, p);
	MUST(ctx_span_eq(ctx_buf_span(&whole), ctx_buf_span(&stream)));
	ctx_buf_release(&whole);
	ctx_buf_release(&stream);
}

/* The same message still: of the same groups and turns. */
static void
check_shortened(struct ctx_span before, struct ctx_buf *after)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf a = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	MUST(ctx_json_check(ctx_buf_span(after), NULL, NULL, &err) == 0);
	MUST(ctx_message_parse(&m, before, &err) == 0);
	ctx_message_skeleton(&m, &a);
	MUST(ctx_message_parse(&m, ctx_buf_span(after), &err) == 0);
	ctx_message_skeleton(&m, &b);
	MUST(ctx_span_eq(ctx_buf_span(&a), ctx_buf_span(&b)));
	ctx_message_release(&m);
	ctx_buf_release(&a);
	ctx_buf_release(&b);
	ctx_buf_reset(after);
}

static void
shorten(uint8_t how, struct ctx_span text)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span json;

	if (ctx_json_check(text, &json, NULL, &err) == 0 &&
	    ctx_message_parse(&m, json, &err) == 0) {
		ctx_cut_results(&out, json, how & 15, tokenizer);
		check_shortened(json, &out);
		ctx_truncate_texts(&out, json, how & 31, false, how & 64);
		check_shortened(json, &out);
		ctx_clear_results(&out, json);
		check_shortened(json, &out);
	}
	ctx_message_release(&m);
	ctx_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct random_case c;
	struct ctx_policy p;
	struct ctx_err err = CTX_ERR_INIT;

	if (tokenizer == NULL)
		MUST(ctx_tokenizer_open(&tokenizer, "approx", NULL, &err) == 0);
	if (n < 2)
		return 0;
	if (data[0] % 4 == 3) {
		shorten(data[1], (struct ctx_span){(const char *)data + 2, n - 2});
		return 0;
	}
	fuzz_choose_by(data + 1, n - 1);
	random_faults = data[0] & 4;
	make_case(&c, data[0] & 8);
	choose_policy(&p, c.budget);
	if (data[0] % 4 == 2) {
		p.since = CTX_TIME_NONE;
		forget_from(&c, &p);
	} else {
		select_from(&c, &p);
	}
	return 0;
}
