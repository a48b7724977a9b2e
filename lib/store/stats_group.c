/* Statistics by session, user, day, model, tool and tokenizer. */
#include "store/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "record/record.h"
#include "record/usage.h"
#include "store/stats_sql.h"

#define DAY_MS 86400000
/* Limit on the token counts that an answer reports, so that no sum overflows. */
#define CLAIM_MAX INT64_C(2147483647)

struct stats_bucket {
	char *key; /* NULL: the group of sessions without a key */
	size_t key_size;
	int64_t last_no; /* number of the session that was counted last */
	struct ctx_stats_group sum;
};

struct grouping {
	const struct ctx_stats_filter *f;
	ctx_stats_fn *fn;
	void *arg;
	struct ctx_map index;
	struct stats_bucket *v;
	size_t n, cap;
	struct ctx_buf text;
};

struct bucket_key {
	const struct grouping *g;
	struct ctx_span key;
};

static bool
is_bucket_key(const void *arg, size_t value)
{
	const struct bucket_key *k = arg;
	const struct stats_bucket *b = &k->g->v[value - 1];

	if (b->key == NULL || k->key.p == NULL)
		return b->key == NULL && k->key.p == NULL;
	return ctx_span_eq(k->key, (struct ctx_span){b->key, b->key_size});
}

/* Returns the sums for the key, in which each session is counted once. Rows must be
 * ordered by session. */
static struct ctx_stats_group *
take_bucket(struct grouping *g, struct ctx_span key, int64_t session_no)
{
	struct bucket_key k = {g, key};
	size_t *place = ctx_map_at(&g->index,
	    ctx_hash_bytes(0, key.p == NULL ? "" : key.p, key.n), is_bucket_key, &k);
	struct stats_bucket *b;

	if (*place == 0) {
		CTX_MEM_GROW(g->v, g->n, g->cap);
		g->v[g->n++] = (struct stats_bucket){
		    .key = ctx_span_dup(key), .key_size = key.n};
		*place = g->n;
	}
	b = &g->v[*place - 1];
	if (b->last_no != session_no)
		b->sum.sessions++;
	b->last_no = session_no;
	return &b->sum;
}

static int
compare_buckets(const void *a, const void *b)
{
	const struct stats_bucket *x = a, *y = b;
	int order;

	if (x->key == NULL || y->key == NULL)
		return (x->key != NULL) - (y->key != NULL);
	order = memcmp(
	    x->key, y->key, x->key_size < y->key_size ? x->key_size : y->key_size);
	return order != 0 ? order
			  : (x->key_size > y->key_size) - (x->key_size < y->key_size);
}

static int
pass_buckets(struct grouping *g, struct ctx_err *err)
{
	int rc = 0;

	if (g->n > 0)
		qsort(g->v, g->n, sizeof(*g->v), compare_buckets);
	for (size_t i = 0; rc == 0 && i < g->n; i++) {
		struct stats_bucket *b = &g->v[i];
		b->sum.key = (struct ctx_span){b->key, b->key_size};
		rc = g->fn(g->arg, &b->sum, err);
	}
	return rc;
}

static void
release_buckets(struct grouping *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].key);
	free(g->v);
	ctx_map_release(&g->index);
	ctx_buf_release(&g->text);
}

/* ---- groupings ---- */

/* Columns: user, number, messages, tool calls, tokens. */
static int
count_user_row(struct grouping *g, struct ctx_row *r)
{
	int64_t no = ctx_stmt_int64(r->q, 1);
	struct ctx_stats_group *sum = take_bucket(g, ctx_stmt_span(r->q, 0), no);

	sum->messages += ctx_stmt_int64(r->q, 2);
	sum->tool_calls += ctx_stmt_int64(r->q, 3);
	sum->tokens += ctx_stats_tokens(g->f, no, ctx_stmt_int64(r->q, 4));
	sum->input_tokens = sum->output_tokens = -1;
	return 0;
}

static int64_t
bound_claim(int64_t v)
{
	return v > CLAIM_MAX ? CLAIM_MAX : v > 0 ? v : 0;
}

/* Columns: session number; metadata, tool calls and tokens of a message. */
static int
count_model_row(struct grouping *g, struct ctx_row *r)
{
	struct ctx_span metadata = ctx_row_json(r, 1, "metadata");
	struct ctx_span model = ctx_json_get(metadata, "model");
	struct ctx_stats_group *sum;
	struct ctx_usage u;

	if (ctx_json_type(model) != CTX_JSON_STRING)
		return 0;
	sum = take_bucket(g, ctx_json_text(model, &g->text), ctx_stmt_int64(r->q, 0));
	sum->messages++;
	sum->tool_calls += ctx_stmt_int64(r->q, 2);
	sum->tokens += ctx_stmt_int64(r->q, 3);
	if (ctx_usage_read(&u, ctx_json_get(metadata, "usage"))) {
		sum->input_tokens += bound_claim(u.input);
		sum->output_tokens += bound_claim(u.output);
	}
	return 0;
}

static void
count_tool(struct grouping *g, struct ctx_span name, int64_t session_no)
{
	struct ctx_stats_group *sum;

	if (ctx_json_type(name) != CTX_JSON_STRING)
		return;
	sum = take_bucket(g, ctx_json_text(name, &g->text), session_no);
	sum->tool_calls++;
	sum->messages = sum->tokens = sum->input_tokens = sum->output_tokens = -1;
}

/* Counts the tool calls of a message in any shape: tool_calls, or blocks of its
 * content. */
static void
count_called_tools(struct grouping *g, struct ctx_span body, int64_t session_no)
{
	struct ctx_span calls = ctx_json_get(body, "tool_calls"), name;

	if (ctx_json_type(calls) != CTX_JSON_ARRAY)
		calls = ctx_json_get(body, "content");
	if (ctx_json_type(calls) != CTX_JSON_ARRAY)
		return;
	CTX_JSON_EACH(it, calls) {
		name = ctx_json_get(ctx_json_get(it.value, "function"), "name");
		if (name.p == NULL)
			name = ctx_json_get(ctx_json_get(it.value, "custom"), "name");
		if (name.p == NULL)
			name = ctx_json_get(it.value, "name");
		count_tool(g, name, session_no);
	}
}

#define NAMES 64

/* Columns: session number, number of tool calls, and the body if there are any, else the
 * metadata, in which an imported answer names the tools it used. */
static int
count_tool_row(struct grouping *g, struct ctx_row *r)
{
	struct ctx_span names[NAMES], json = ctx_row_json(r, 2, "body");
	int64_t no = ctx_stmt_int64(r->q, 0);
	size_t n;

	if (ctx_stmt_int64(r->q, 1) > 0) {
		count_called_tools(g, json, no);
		return 0;
	}
	n = ctx_record_tools_used(json, names, NAMES);
	for (size_t i = 0; i < n && i < NAMES; i++)
		count_tool(g, names[i], no);
	return 0;
}

/* Columns: session id, number, messages, tool calls, tokens. */
static int
pass_session(struct grouping *c, struct ctx_row *r)
{
	struct ctx_stats_group g = {ctx_stmt_span(r->q, 0), -1, ctx_stmt_int64(r->q, 2),
	    ctx_stmt_int64(r->q, 3),
	    ctx_stats_tokens(c->f, ctx_stmt_int64(r->q, 1), ctx_stmt_int64(r->q, 4)), -1,
	    -1};

	return c->fn(c->arg, &g, r->err);
}

/* Columns: key, sessions, messages, tool calls, tokens; the key of a day is its number. */
static int
pass_group(struct grouping *c, struct ctx_row *r)
{
	struct ctx_stats_group g = {ctx_stmt_span(r->q, 0), ctx_stmt_int64(r->q, 1),
	    ctx_stmt_int64(r->q, 2), ctx_stmt_int64(r->q, 3), ctx_stmt_int64(r->q, 4), -1,
	    -1};
	char day[CTX_TIME_LEN + 1];

	if (ctx_stmt_type(r->q, 0) == CTX_COLUMN_INTEGER) {
		ctx_time_format(ctx_stmt_int64(r->q, 0) * DAY_MS, day);
		g.key = (struct ctx_span){day, strcspn(day, "T")};
	}
	return c->fn(c->arg, &g, r->err);
}

int
ctx_stats_group_by(struct ctx_store *st, const struct ctx_stats_filter *f,
    enum ctx_stats_by by, ctx_stats_fn *fn, void *arg, struct ctx_err *err)
{
	static const struct {
		/* passes the row, or adds it to a group */
		int (*take)(struct grouping *g, struct ctx_row *r);
		const char *select;
	} groupings[] = {
	    [CTX_STATS_SESSION] = {pass_session,
		"SELECT session_id, no, message_count, tool_call_count, token_count "
		"FROM s "
		"ORDER BY no"},
	    [CTX_STATS_USER] = {count_user_row,
		"SELECT user_id, no, message_count, tool_call_count, token_count FROM s"},
	    [CTX_STATS_DAY] = {pass_group,
		"SELECT CASE WHEN m.created_at < 0 THEN (m.created_at - 86399999) / 86400000 "
		"ELSE m.created_at / 86400000 END AS d, count(DISTINCT s.no), "
		"count(*), sum(m.tool_calls), sum(m.token_count) "
		"FROM " CTX_STATS_MESSAGES "GROUP BY d ORDER BY d"},
	    [CTX_STATS_MODEL] = {count_model_row,
		"SELECT s.no, m.metadata, m.tool_calls, m.token_count "
		"FROM " CTX_STATS_MESSAGES "WHERE m.metadata IS NOT NULL ORDER BY s.no"},
	    [CTX_STATS_TOOL] = {count_tool_row,
		"SELECT s.no, m.tool_calls, "
		"CASE WHEN m.tool_calls > 0 THEN m.body ELSE m.metadata END "
		"FROM " CTX_STATS_MESSAGES
		"WHERE m.tool_calls > 0 OR m.metadata IS NOT NULL "
		"ORDER BY s.no"},
	    [CTX_STATS_TOKENIZER] = {pass_group,
		"SELECT CASE m.tokenizer WHEN 0 THEN 'approx' WHEN 1 THEN 'chars4' ELSE ("
		"SELECT name "
		"FROM tokenizer t "
		"WHERE t.no = m.tokenizer) END AS k, count(DISTINCT s.no), count(*), "
		"sum(m.tool_calls), sum(m.token_count) "
		"FROM " CTX_STATS_MESSAGES "GROUP BY k ORDER BY k"},
	};
	struct grouping g = {.f = f, .fn = fn, .arg = arg};
	struct ctx_row r = ctx_stats_rows(st, f, "message", groupings[by].select, err);
	int rc;

	while (ctx_rows_next(&r))
		r.rc = groupings[by].take(&g, &r);
	rc = ctx_rows_end(&r);
	if (rc == 0)
		rc = pass_buckets(&g, err);
	release_buckets(&g);
	return rc;
}
