/* Selection over random histories: what must hold whatever the history and the budget. A
 * failing case is made smaller while it fails, and printed as NDJSON. */
#include "select/select.h"

#include <stdlib.h>

#include "json/json.h"
#include "select_random.h"
#include "test.h"

#define ROUNDS 4000

static struct ctx_tokenizer *tokenizer;

/* ---- one selection ---- */

static int
pick(struct ctx_history *h, const struct random_case *c, int64_t budget,
    struct ctx_err *err)
{
	struct ctx_policy p;

	ctx_policy_init(&p);
	p.budget = p.cut_base = budget;
	p.tokenizer = tokenizer;
	for (size_t i = 0; i < c->n; i++) {
		struct ctx_item item = {.message = c->v[i].json,
		    .seq = (int64_t)i + 1,
		    .created_at = CTX_TIME_NONE,
		    .slot = c->v[i].slot,
		    .pinned = c->v[i].pinned,
		    .score = c->v[i].score};
		struct ctx_message m = CTX_MESSAGE_INIT;
		if (ctx_message_parse(&m, item.message, err) < 0)
			abort();
		item.tokens = ctx_tokens_message(tokenizer, &m);
		ctx_message_release(&m);
		if (ctx_history_add(h, &item, err) < 0)
			abort();
	}
	ctx_history_group(h);
	return ctx_select(h, &p, err);
}

static int64_t
count(struct ctx_span message)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err;
	int64_t n = -1;

	if (ctx_message_parse(&m, message, &err) == 0)
		n = ctx_tokens_message(tokenizer, &m);
	ctx_message_release(&m);
	return n;
}

/* ---- what must hold: each returns what is wrong, or NULL ---- */

static const char *
within_budget(const struct ctx_history *h, int64_t budget)
{
	int64_t sum = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].keep) {
			struct ctx_span s = h->items[i].message, v;
			struct ctx_err err;
			if (ctx_json_check(s, &v, NULL, &err) < 0 || count(s) < 0)
				return "a cut message is no message any more";
			sum += count(s);
		}
	return sum > budget ? "over the budget" : NULL;
}

static const char *
whole_groups(const struct ctx_history *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		if (it->keep != h->items[it->group].keep)
			return "a group is split";
		if (it->keep && it->malformed != CTX_REASON_NONE)
			return "what can't be sent is kept";
		if (!it->keep && it->reason == CTX_REASON_NONE)
			return "dropped without a reason";
	}
	return NULL;
}

/* Independent of the grouping: each kept result finds one kept call before it, no call is
 * answered twice, and calls without result stand in the last group only. */
static const char *
paired(const struct ctx_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		for (size_t r = 0; h->items[i].keep && r < h->items[i].n_refs; r++) {
			const struct ctx_ref *ref = &h->refs[h->items[i].first_ref + r];
			size_t results = 0, calls = 0, after = 0;
			for (size_t k = 0; k < h->n; k++) {
				if (!h->items[k].keep ||
				    h->items[k].slot != CTX_SLOT_HISTORY)
					continue;
				after += k > i && h->items[k].group != h->items[i].group;
				for (size_t q = 0; q < h->items[k].n_refs; q++) {
					const struct ctx_ref
					    *o = &h->refs[h->items[k].first_ref + q];
					if (!ctx_span_eq(o->id, ref->id))
						continue;
					results += o->result && k > i;
					calls += !o->result && k < i;
				}
			}
			if (ref->result && calls == 0)
				return "a result without its call";
			if (!ref->result && results == 0 && after > 0)
				return "a call without its result";
		}
	return NULL;
}

static const char *
required(const struct ctx_history *h)
{
	size_t current = ctx_history_current_turn(h);
	bool opening = true;

	if (current < h->n && !h->items[current].keep)
		return "the current turn's message is gone";
	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		if (it->pinned && !it->keep && it->malformed == CTX_REASON_NONE)
			return "a pinned message is gone";
		if ((it->slot == CTX_SLOT_PREFIX || it->slot == CTX_SLOT_SUMMARY) &&
		    !it->keep)
			return "prefix or summary is gone";
		if (it->slot != CTX_SLOT_HISTORY)
			continue;
		opening = opening &&
			  (it->role == CTX_ROLE_SYSTEM || it->role == CTX_ROLE_DEVELOPER);
		if (opening && !it->keep)
			return "an opening system message is gone";
	}
	return NULL;
}

static const char *
begins_with_user(const struct ctx_history *h)
{
	size_t turn = 0;

	while (turn < h->n && !h->items[turn].starts_turn)
		turn++;
	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		if (it->slot != CTX_SLOT_HISTORY || it->role == CTX_ROLE_SYSTEM ||
		    it->role == CTX_ROLE_DEVELOPER)
			continue;
		if (it->keep && it->starts_turn)
			return NULL;
		/* what must stay though it begins before the first turn, has none to begin with */
		if (it->keep && it->group > turn)
			return "does not begin with a user message";
	}
	return NULL;
}

static const char *
kept_again(const struct ctx_history *h, int64_t budget)
{
	struct ctx_history again = CTX_HISTORY_INIT;
	struct random_case c = {.budget = budget};
	const char *wrong = NULL;
	struct ctx_err err = CTX_ERR_INIT;

	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].keep)
			c.v[c.n++] = (struct entry){h->items[i].message, h->items[i].slot,
			    h->items[i].pinned, h->items[i].score};
	if (pick(&again, &c, budget, &err) < 0)
		wrong = "what was kept is refused";
	for (size_t i = 0; wrong == NULL && i < again.n; i++)
		if (!again.items[i].keep)
			wrong = "kept once, dropped the second time";
		else if (!ctx_span_eq(again.items[i].message, c.v[i].json))
			wrong = "cut a second time";
	ctx_history_release(&again);
	return wrong;
}

static const char *
same_again(const struct ctx_history *h, const struct random_case *c)
{
	struct ctx_history again = CTX_HISTORY_INIT;
	const char *wrong = NULL;
	struct ctx_err err = CTX_ERR_INIT;

	if (pick(&again, c, c->budget, &err) < 0)
		wrong = "refused the second time";
	for (size_t i = 0; wrong == NULL && i < h->n; i++)
		if (h->items[i].keep != again.items[i].keep ||
		    !ctx_span_eq(h->items[i].message, again.items[i].message) ||
		    h->items[i].reason != again.items[i].reason)
			wrong = "not deterministic";
	ctx_history_release(&again);
	return wrong;
}

static const char *
check_selection(const struct random_case *c)
{
	struct ctx_history h = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	const char *wrong = NULL;

	if (pick(&h, c, c->budget, &err) < 0) {
		wrong = err.code != CTX_EANSWER ? "an error of another kind" : NULL;
	} else if ((wrong = within_budget(&h, c->budget)) == NULL &&
		   (wrong = whole_groups(&h)) == NULL && (wrong = paired(&h)) == NULL &&
		   (wrong = required(&h)) == NULL &&
		   (wrong = begins_with_user(&h)) == NULL &&
		   (wrong = same_again(&h, c)) == NULL) {
		wrong = kept_again(&h, c->budget);
	}
	ctx_history_release(&h);
	return wrong;
}

/* A budget somewhat larger keeps all that the smaller one kept. */
static const char *
check_growth(const struct random_case *c)
{
	struct ctx_history small = CTX_HISTORY_INIT, large = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	const char *wrong = NULL;
	int64_t more = c->budget + 1 + c->budget / 7;

	if (pick(&small, c, c->budget, &err) == 0) {
		if (pick(&large, c, more, &err) < 0)
			wrong = "a larger budget is refused";
		for (size_t i = 0; wrong == NULL && i < small.n; i++)
			if (small.items[i].keep && !large.items[i].keep)
				wrong = "a larger budget keeps less";
			else if (small.items[i].keep &&
				 large.items[i].tokens < small.items[i].tokens)
				wrong = "a larger budget cuts more";
	}
	ctx_history_release(&small);
	ctx_history_release(&large);
	return wrong;
}

/* ---- smaller while it fails ---- */

typedef const char *check_fn(const struct random_case *c);

static void
shrink(struct random_case *c, check_fn *check)
{
	bool smaller = true;

	while (smaller) {
		smaller = false;
		for (size_t i = 0; i < c->n; i++) {
			struct random_case less = *c;
			memmove(&less.v[i], &less.v[i + 1],
			    (c->n - i - 1) * sizeof(less.v[0]));
			less.n--;
			if (check(&less) != NULL) {
				*c = less;
				smaller = true;
				break;
			}
		}
	}
}

static void
report(struct random_case *c, check_fn *check, const char *wrong)
{
	static const char *const slots[] = {"", "prefix", "summary", "volatile"};

	shrink(c, check);
	wrong = check(c) != NULL ? check(c) : wrong;
	printf("# %s, with a budget of %lld:\n", wrong, (long long)c->budget);
	for (size_t i = 0; i < c->n; i++) {
		printf("# {\"kind\":\"message\",\"token_count\":%lld,",
		    (long long)count(c->v[i].json));
		if (c->v[i].slot != CTX_SLOT_HISTORY)
			printf("\"slot\":\"%s\",", slots[c->v[i].slot]);
		if (c->v[i].pinned)
			printf("\"pinned\":true,");
		printf("\"message\":%.*s}\n",
		    (int)(c->v[i].json.n > 300 ? 300 : c->v[i].json.n), c->v[i].json.p);
	}
	test_bad = 1;
}

static void
run_cases(bool additions, check_fn *check)
{
	struct random_case c;

	for (int i = 0; i < ROUNDS && !test_bad; i++) {
		const char *wrong;
		make_case(&c, additions);
		wrong = check(&c);
		if (wrong != NULL)
			report(&c, check, wrong);
	}
}

static void
histories(void)
{
	run_cases(false, check_selection);
}

static void
histories_with_additions(void)
{
	run_cases(true, check_selection);
}

/* Without additions: a larger budget may take a larger one in the place of history. */
static void
larger_budgets(void)
{
	run_cases(false, check_growth);
}

int
main(void)
{
	struct ctx_err err;

	if (ctx_tokenizer_open(&tokenizer, "approx", NULL, &err) < 0)
		return 1;
	RUN(histories);
	RUN(histories_with_additions);
	RUN(larger_budgets);
	ctx_tokenizer_close(tokenizer);
	ctx_arena_release(&arena);
	return TEST_END();
}
