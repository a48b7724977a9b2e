/* ctx-stats --cost: prints the cost of answers, by the prices of their models. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "cli_options.h"
#include "json/json.h"
#include "model/model.h"
#include "stats.h"
#include "stats/figures.h"

struct cost_group {
	char *key;
	struct ctx_cost sum;
};

/* A list of groups, found by key. */
struct cost_groups {
	struct cost_group *v;
	size_t n, cap;
};

struct costs {
	const char *by; /* NULL: only the total */
	struct ctx_buf prices;
	struct cost_groups groups, unpriced; /* unpriced: grouped by model */
	struct ctx_cost all;
	struct ctx_map seen; /* answers counted so far */
	struct seen_answer {
		char hash[CTX_HASH_HEX + 1];
	} * answers;
	size_t n_answers, cap_answers;
};

static struct ctx_cost *
find_cost_group(struct cost_groups *g, struct ctx_span key)
{
	if (key.p == NULL)
		key = ctx_span_of("");
	for (size_t i = g->n; i-- > 0;)
		if (ctx_span_is(key, g->v[i].key))
			return &g->v[i].sum;
	CTX_MEM_GROW(g->v, g->n, g->cap);
	g->v[g->n] = (struct cost_group){.key = ctx_mem_dup(key.p, key.n)};
	return &g->v[g->n++].sum;
}

static void
release_cost_groups(struct cost_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].key);
	free(g->v);
}

struct wanted_answer {
	const struct costs *c;
	const char *hash;
};

static bool
is_wanted_answer(const void *arg, size_t value)
{
	const struct wanted_answer *w = arg;

	return strcmp(w->c->answers[value - 1].hash, w->hash) == 0;
}

/* Returns whether the answer was not counted before. Branches and forks repeat answers
 * with the same id, time and usage. */
static bool
is_first_time(struct costs *c, const struct ctx_stats_usage *u)
{
	char hash[CTX_HASH_HEX + 1];
	struct wanted_answer w = {c, hash};
	struct ctx_buf key = CTX_BUF_INIT;
	size_t *place;

	if (u->record_id.p == NULL)
		return true;
	ctx_buf_addspan(&key, u->record_id);
	ctx_buf_addf(&key, "\n%lld\n", (long long)u->created_at);
	ctx_buf_addspan(&key, u->model);
	ctx_buf_addspan(&key, u->usage);
	ctx_hash_sha256(key.p, key.n, hash);
	ctx_buf_release(&key);
	place = ctx_map_at(
	    &c->seen, ctx_hash_bytes(0, hash, CTX_HASH_HEX), is_wanted_answer, &w);
	if (*place != 0)
		return false;
	CTX_MEM_GROW(c->answers, c->n_answers, c->cap_answers);
	memcpy(c->answers[c->n_answers++].hash, hash, sizeof(hash));
	*place = c->n_answers;
	return true;
}

static struct ctx_span
choose_cost_key(
    const struct costs *c, const struct ctx_stats_usage *u, char day[CTX_TIME_LEN + 1])
{
	if (strcmp(c->by, "session") == 0)
		return u->session_id;
	if (strcmp(c->by, "user") == 0)
		return u->user_id;
	if (strcmp(c->by, "tool") == 0)
		return u->tool;
	if (strcmp(c->by, "model") == 0)
		return u->model;
	ctx_time_format(u->created_at, day);
	return (struct ctx_span){day, strlen("2026-01-31")};
}

static int
add_answer_cost(
    void *arg, const struct ctx_stats_usage *u, struct ctx_err *err CTX_UNUSED)
{
	struct costs *c = arg;
	struct ctx_span prices = ctx_buf_span(&c->prices);
	char day[CTX_TIME_LEN + 1];
	struct ctx_usage usage;

	if (!ctx_usage_read(&usage, u->usage) || usage.input + usage.output == 0 ||
	    !is_first_time(c, u))
		return 0;
	if (!ctx_cost_add(&c->all, u->model, u->created_at, &usage, prices))
		ctx_cost_add(find_cost_group(&c->unpriced, u->model), u->model,
		    u->created_at, &usage, prices);
	if (c->by != NULL)
		ctx_cost_add(find_cost_group(&c->groups, choose_cost_key(c, u, day)),
		    u->model, u->created_at, &usage, prices);
	return 0;
}

static void
print_cost(const struct costs *c, const char *key, const struct ctx_cost *sum)
{
	struct ctx_buf *b = &cli_out.buf;
	const char *member = c->by == NULL                   ? NULL
			     : strcmp(c->by, "session") == 0 ? "session_id"
			     : strcmp(c->by, "user") == 0    ? "user_id"
							     : c->by;

	ctx_json_print(b, "{'kind':'stats'");
	if (key != NULL && key[0] == '\0')
		ctx_json_add_raw(b, member, ctx_span_of("null"));
	else if (key != NULL)
		ctx_json_add_str(b, member, key);
	ctx_json_print(b,
	    "'answers':%d,'input_tokens':%d,'cache_read_tokens':%d,'cache_write_tokens':%d,'output_tokens':%d",
	    sum->answers, sum->usage.uncached, sum->usage.read, sum->usage.written,
	    sum->usage.output);
	ctx_json_add_double(b, "cost", sum->dollars, 6);
	ctx_json_print(b, "'unpriced':%d}\n", sum->unpriced);
}

static void
warn_unpriced(const struct costs *c)
{
	for (size_t i = 0; i < c->unpriced.n; i++) {
		const struct cost_group *g = &c->unpriced.v[i];
		if (g->key[0] == '\0')
			cli_warn("%lld answer%s without a model name",
			    (long long)g->sum.answers, CTX_PLURAL(g->sum.answers));
		else
			cli_warn("the price of model '%s' is unknown (%lld answer%s)",
			    g->key, (long long)g->sum.answers,
			    CTX_PLURAL(g->sum.answers));
	}
}

static int
compare_cost_groups(const void *a, const void *b)
{
	return strcmp(
	    ((const struct cost_group *)a)->key, ((const struct cost_group *)b)->key);
}

static void
print_costs(struct costs *c)
{
	if (c->groups.n > 0)
		qsort(
		    c->groups.v, c->groups.n, sizeof(*c->groups.v), compare_cost_groups);
	for (size_t i = 0; i < c->groups.n; i++)
		print_cost(c, c->groups.v[i].key, &c->groups.v[i].sum);
	if (c->by == NULL)
		print_cost(c, NULL, &c->all);
	warn_unpriced(c);
}

static int
add_sessions_cost(struct costs *c, struct ctx_store *store, struct ctx_stats_filter *f,
    const struct cli_list *sessions, struct ctx_err *err)
{
	struct ctx_session s;
	int rc = 0;

	if (sessions->n == 0)
		return ctx_stats_usages(store, f, add_answer_cost, c, err);
	for (size_t i = 0; rc == 0 && i < sessions->n; i++) {
		ctx_session_init(&s);
		rc = cli_session_find(store, sessions->v[i], &s, err);
		f->session_no = s.no;
		if (rc == 0)
			rc = ctx_stats_usages(store, f, add_answer_cost, c, err);
		ctx_session_release(&s);
	}
	return rc;
}

int
stats_check_cost(bool cost, const char *by, bool other, const char *max, double *most,
    struct ctx_err *err)
{
	struct ctx_span v = CTX_SPAN_NONE;

	if (!cost)
		return ctx_err_set(err, CTX_EUSAGE, "--max-cost needs --cost");
	if (by != NULL && strcmp(by, "tokenizer") == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--cost can only be grouped by session, day, model, tool or user");
	if (other)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--cost cannot be used with --tokenizer or --format prometheus");
	if (max == NULL)
		return 0;
	if (*max < '0' || *max > '9' ||
	    ctx_json_check(ctx_span_of(max), &v, NULL, NULL) < 0 ||
	    !ctx_json_double(v, most))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--max-cost: '%s' is not a number of dollars", max);
	return 0;
}

int
stats_cost(struct ctx_store *store, struct ctx_stats_filter *filter,
    const struct cli_list *sessions, const char *by, double most, struct ctx_err *err)
{
	struct costs c = {.by = by};
	int rc = cli_models_read("prices.ndjson", &c.prices, err);

	if (rc == 0)
		rc = add_sessions_cost(&c, store, filter, sessions, err);
	if (rc == 0)
		print_costs(&c);
	if (rc == 0 && most >= 0 && c.all.dollars > most) {
		cli_warn("the cost is %.2f dollars, more than --max-cost %.2f",
		    c.all.dollars, most);
		rc = 1;
	}
	if (rc >= 0 && most >= 0 && c.all.unpriced > 0) {
		cli_warn("the cost does not include %lld answer%s with an unknown price",
		    (long long)c.all.unpriced, CTX_PLURAL(c.all.unpriced));
		rc = 1;
	}
	release_cost_groups(&c.groups);
	release_cost_groups(&c.unpriced);
	ctx_map_release(&c.seen);
	free(c.answers);
	ctx_buf_release(&c.prices);
	return rc;
}
