#include "store/stats.h"

#include <stdlib.h>
#include <string.h>

#include "store/derived.h"
#include "store/row.h"
#include "json/json.h"
#include "store/stats_sql.h"

static int
by_no(const void *a, const void *b)
{
	const struct ctx_stats_total *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

int64_t
ctx_stats_tokens(const struct ctx_stats_filter *f, int64_t session_no, int64_t stored)
{
	struct ctx_stats_total key = {session_no, 0}, *found = NULL;

	if (f->n_totals > 0)
		found = bsearch(&key, f->totals, f->n_totals, sizeof(key), by_no);
	return found != NULL ? found->tokens : stored;
}

char *
ctx_stats_sql(
    const struct ctx_store *st, const struct ctx_stats_filter *f, const char *select)
{
	struct ctx_buf sql = CTX_BUF_INIT;

	ctx_buf_addf(&sql,
	    "WITH s AS ("
	    "SELECT * "
	    "FROM session "
	    "WHERE %s AND status <> 2%s%s) %s",
	    ctx_store_shown(st), f->user_id != NULL ? " AND user_id = ?2" : "",
	    f->session_no != 0 ? " AND no = ?3" : "", select);
	return ctx_buf_detach(&sql);
}

/* Replaces stored token sums in *tokens by those of the filter. */
static int
replace_totals(struct ctx_store *st, const struct ctx_stats_filter *f, int64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_stmt *q;
	char *sql;
	int rc;

	if (f->n_totals == 0)
		return 0;
	sql = ctx_stats_sql(st, f, "SELECT no, token_count FROM s");
	q = ctx_stmt_query(&st->db, sql, CTX_STATS_VALUES(st, f), err);
	free(sql);
	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		int64_t stored = ctx_stmt_int64(q, 1);
		*tokens += ctx_stats_tokens(f, ctx_stmt_int64(q, 0), stored) - stored;
	}
	ctx_stmt_free(&st->db, q);
	return rc;
}

int
ctx_stats_read(struct ctx_store *st, const struct ctx_stats_filter *f,
    struct ctx_stats *out, struct ctx_err *err)
{
	static const char select[] =
	    "SELECT count(CASE WHEN status = 0 THEN 1 END), "
	    "count(CASE WHEN status = 1 THEN 1 END), "
	    "count(DISTINCT user_id), coalesce(sum(message_count), 0), "
	    "coalesce(sum(hidden_count), 0), coalesce(sum(tool_call_count), 0), "
	    "coalesce(sum(token_count), 0), ("
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON r.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295)), ("
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON r.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "
	    "WHERE response_seq IS NOT NULL) "
	    "FROM s";
	int64_t *const fields[] = {&out->active, &out->archived, &out->users,
	    &out->messages, &out->hidden, &out->tool_calls, &out->tokens, &out->requests,
	    &out->answered};
	enum { N = sizeof(fields) / sizeof(fields[0]) };
	int64_t columns[N];
	char *sql = ctx_stats_sql(st, f, select);
	struct ctx_db *derived;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = ctx_stmt_ints(&st->db, sql, CTX_STATS_VALUES(st, f), columns, N, err);
	free(sql);
	for (int i = 0; i < N; i++)
		*fields[i] = columns[i];
	if (rc < 0 || replace_totals(st, f, &out->tokens, err) < 0 ||
	    ctx_db_size(&st->db, &out->bytes, err) < 0)
		return -1;
	if (!ctx_derived_exists(st))
		return 0;
	derived = ctx_store_derived(st, err);
	return derived == NULL ? -1 : ctx_db_size(derived, &out->derived_bytes, err);
}

/* ---- usage ---- */

struct usage_call {
	struct ctx_store *st;
	ctx_stats_usage_fn *fn;
	void *arg;
	bool has_sums; /* the metadata of the last session has a list of usages */
	struct ctx_buf format, model, own_model;
};

/* Reads the columns of the session: number, session id, user, metadata. */
static int
read_usage_session(struct usage_call *c, struct ctx_row *r, struct ctx_stats_usage *u,
    struct ctx_span *metadata)
{
	*metadata = ctx_row_json(r, 3, "metadata");
	if (ctx_row_end(r) < 0)
		return -1;
	u->session_id = ctx_stmt_span(r->q, 1);
	u->user_id = ctx_stmt_span(r->q, 2);
	u->tool = ctx_json_text(ctx_json_get(*metadata, "format"), &c->format);
	c->has_sums = ctx_json_type(ctx_json_get(*metadata, "usage")) == CTX_JSON_ARRAY;
	return 0;
}

/* Further columns: the message's time, record id and metadata. */
static int
pass_usage(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct usage_call *c = arg;
	struct ctx_row r = {&c->st->db, q, "message", err, false};
	struct ctx_stats_usage u = {.created_at = ctx_stmt_int64(q, 4)};
	struct ctx_span metadata, own = ctx_row_json(&r, 6, "metadata");

	if (read_usage_session(c, &r, &u, &metadata) < 0)
		return -1;
	u.record_id = ctx_stmt_span(q, 5);
	u.model = ctx_json_text(ctx_json_get(own, "model"), &c->model);
	u.usage = ctx_json_find(own, "usage");
	if (u.usage.p == NULL)
		u.usage = ctx_json_find(own, "tokens");
	if (c->has_sums ||
	    (ctx_json_type(ctx_json_get(own, "usage")) != CTX_JSON_OBJECT &&
		ctx_json_type(ctx_json_get(own, "tokens")) != CTX_JSON_OBJECT))
		return 0;
	return c->fn(c->arg, &u, err) < 0 ? -1 : 0;
}

/* Further column: time of the session. */
static int
pass_usage_sums(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct usage_call *c = arg;
	struct ctx_row r = {&c->st->db, q, "session", err, false};
	struct ctx_stats_usage u = {.created_at = ctx_stmt_int64(q, 4)};
	struct ctx_span metadata, model;
	int rc = 0;

	if (read_usage_session(c, &r, &u, &metadata) < 0)
		return -1;
	if (!c->has_sums)
		return 0;
	model = ctx_json_text(ctx_json_get(metadata, "model"), &c->model);
	CTX_JSON_EACH_WHILE(rc == 0, it, ctx_json_get(metadata, "usage")) {
		if (ctx_json_type(it.value) != CTX_JSON_OBJECT)
			continue;
		u.usage = it.value;
		u.model = ctx_json_text(ctx_json_get(it.value, "model"), &c->own_model);
		if (u.model.p == NULL)
			u.model = model;
		rc = c->fn(c->arg, &u, err) < 0 ? -1 : 0;
	}
	return rc;
}

int
ctx_stats_usages(struct ctx_store *st, const struct ctx_stats_filter *f,
    ctx_stats_usage_fn *fn, void *arg, struct ctx_err *err)
{
	static const struct {
		ctx_row_fn *fn;
		const char *select;
	} parts[] = {
	    {pass_usage,
		"SELECT s.no, s.session_id, s.user_id, s.metadata, "
		"m.created_at, m.record_id, m.metadata "
		"FROM " CTX_STATS_MESSAGES "WHERE m.metadata IS NOT NULL ORDER BY s.no"},
	    {pass_usage_sums,
		"SELECT s.no, s.session_id, s.user_id, s.metadata, s.created_at "
		"FROM s "
		"WHERE s.metadata IS NOT NULL "
		"ORDER BY s.no"},
	};
	struct usage_call c = {.st = st, .fn = fn, .arg = arg};
	int rc = 0;

	for (size_t i = 0; i < 2 && rc == 0; i++) {
		char *sql = ctx_stats_sql(st, f, parts[i].select);
		rc = ctx_stmt_rows(
		    &st->db, sql, CTX_STATS_VALUES(st, f), parts[i].fn, &c, err);
		free(sql);
	}
	ctx_buf_release(&c.format);
	ctx_buf_release(&c.model);
	ctx_buf_release(&c.own_model);
	return rc < 0 ? -1 : 0;
}

/* ---- caches ---- */

static int
pass_cache(struct ctx_db *db, struct ctx_stmt *q, ctx_stats_cache_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_row r = {db, q, "cache", err, false};
	char *kind = ctx_row_given(&r, 0, "kind");
	struct ctx_stats_cache cache = {kind,
	    ctx_row_whole(&r, 1, "entries", 0, CTX_COUNT_MAX),
	    ctx_row_whole(&r, 2, "bytes", 0, CTX_COUNT_MAX),
	    ctx_row_whole(&r, 3, "hits", 0, CTX_COUNT_MAX),
	    ctx_row_whole(&r, 4, "misses", 0, CTX_COUNT_MAX)};
	int rc = ctx_row_end(&r);

	if (rc == 0)
		rc = fn(arg, &cache, err);
	free(kind);
	return rc < 0 ? -1 : 0;
}

int
ctx_stats_caches(
    struct ctx_store *st, ctx_stats_cache_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_db *db;
	struct ctx_stmt *q;
	int rc;

	if (!ctx_derived_exists(st))
		return 0;
	if (ctx_derived_check_read(st, err) < 0)
		return -1;
	db = ctx_store_derived(st, err);
	q = ctx_stmt_new(db,
	    "SELECT kind, sum(entries), sum(bytes), sum(hits), sum(misses) "
	    "FROM ("
	    "SELECT kind, count(*) AS entries, sum(length(value)) AS bytes, "
	    "0 AS hits, 0 AS misses "
	    "FROM cache "
	    "GROUP BY kind "
	    "UNION ALL SELECT kind, 0, 0, hits, misses "
	    "FROM cache_use) counts "
	    "GROUP BY kind "
	    "ORDER BY kind",
	    err);
	while ((rc = ctx_stmt_step(db, q, err)) == 1)
		if ((rc = pass_cache(db, q, fn, arg, err)) < 0)
			break;
	ctx_stmt_free(db, q);
	return rc;
}

int
ctx_stats_turns(struct ctx_store *st, const struct ctx_session *s, ctx_stats_turn_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_range(st,
	    "SELECT id & 4294967295, token_sum + token_count "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 AND turn = (id & 4294967295) "
	    "ORDER BY id",
	    s, 1, CTX_SEQ_MAX, err);
	int rc;

	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1)
		if (fn(arg, ctx_stmt_int64(q, 0), ctx_stmt_int64(q, 1), err) < 0) {
			rc = -1;
			break;
		}
	ctx_stmt_free(&st->db, q);
	return rc;
}

int
ctx_stats_last_request(
    struct ctx_store *st, const struct ctx_session *s, char **record, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_range(st,
	    "SELECT record "
	    "FROM request "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id DESC "
	    "LIMIT 1",
	    s, 0, CTX_SEQ_MAX, err);
	int rc = ctx_stmt_step(&st->db, q, err);

	*record = rc == 1 ? ctx_stmt_str(q, 0) : NULL;
	ctx_stmt_free(&st->db, q);
	return rc < 0 ? -1 : *record != NULL;
}
