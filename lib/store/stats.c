#include "store/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "json/json.h"
#include "store/derived.h"
#include "store/stats_sql.h"

struct ctx_row
ctx_stats_rows(struct ctx_store *st, const struct ctx_stats_filter *f, const char *table,
    const char *select, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_row r;

	ctx_buf_addf(&sql,
	    "WITH s AS ("
	    "SELECT * "
	    "FROM session "
	    "WHERE %s AND status <> 2%s%s) %s",
	    ctx_store_shown(st), f->user_id != NULL ? " AND user_id = ?2" : "",
	    f->session_no != 0 ? " AND no = ?3" : "", select);
	r = ctx_rows(&st->db, table, sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_str(f->user_id), ctx_int(f->session_no)),
	    err);
	ctx_buf_release(&sql);
	return r;
}

int64_t
ctx_stats_tokens(const struct ctx_stats_filter *f, int64_t session_no, int64_t stored)
{
	struct ctx_stats_total *found = NULL;

	if (f->n_totals > 0) /* the totals begin with the number of the session */
		found = bsearch(&session_no, f->totals, f->n_totals, sizeof(*f->totals),
		    ctx_compare_int64);
	return found != NULL ? found->tokens : stored;
}

/* Replaces stored token sums in *tokens by those of the filter. */
static int
replace_totals(struct ctx_store *st, const struct ctx_stats_filter *f, int64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_row r;

	if (f->n_totals == 0)
		return 0;
	r = ctx_stats_rows(st, f, "session", "SELECT no, token_count FROM s", err);
	while (ctx_rows_next(&r)) {
		int64_t stored = ctx_stmt_int64(r.q, 1);
		*tokens += ctx_stats_tokens(f, ctx_stmt_int64(r.q, 0), stored) - stored;
	}
	return ctx_rows_end(&r);
}

int
ctx_stats_read(struct ctx_store *st, const struct ctx_stats_filter *f,
    struct ctx_stats *out, struct ctx_err *err)
{
	static const char select[] =
	    "SELECT count(CASE WHEN status = 0 THEN 1 END) AS active, "
	    "count(CASE WHEN status = 1 THEN 1 END) AS archived, "
	    "count(DISTINCT user_id) AS users, "
	    "coalesce(sum(message_count), 0) AS message_count, "
	    "coalesce(sum(hidden_count), 0) AS hidden_count, "
	    "coalesce(sum(tool_call_count), 0) AS tool_call_count, "
	    "coalesce(sum(token_count), 0) AS token_count, ("
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON r.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295)) AS requests, ("
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON r.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "
	    "WHERE response_seq IS NOT NULL) AS answered "
	    "FROM s";
	int64_t *const fields[] = {&out->active, &out->archived, &out->users,
	    &out->messages, &out->hidden, &out->tool_calls, &out->tokens, &out->requests,
	    &out->answered};
	struct ctx_row r = ctx_stats_rows(st, f, "session", select, err);
	struct ctx_db *derived;

	memset(out, 0, sizeof(*out));
	if (ctx_rows_next(&r))
		for (int i = 0; i < ctx_stmt_columns(r.q); i++)
			*fields[i] = ctx_row_whole(
			    &r, i, ctx_stmt_column_name(r.q, i), INT64_MIN, INT64_MAX);
	if (ctx_rows_end(&r) < 0 || replace_totals(st, f, &out->tokens, err) < 0 ||
	    ctx_db_size(&st->db, &out->bytes, err) < 0)
		return -1;
	if (!ctx_derived_exists(st))
		return 0;
	derived = ctx_store_derived(st, err);
	return derived == NULL ? -1 : ctx_db_size(derived, &out->derived_bytes, err);
}

/* ---- usage ---- */

struct usage_call {
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
	if (r->wrong)
		return -1;
	u->session_id = ctx_stmt_span(r->q, 1);
	u->user_id = ctx_stmt_span(r->q, 2);
	u->tool = ctx_json_text(ctx_json_get(*metadata, "format"), &c->format);
	c->has_sums = ctx_json_type(ctx_json_get(*metadata, "usage")) == CTX_JSON_ARRAY;
	return 0;
}

/* Further columns: the message's time, record id and metadata. */
static int
pass_usage(struct usage_call *c, struct ctx_row *r)
{
	struct ctx_stats_usage u = {.created_at = ctx_stmt_int64(r->q, 4)};
	struct ctx_span metadata, own = ctx_row_json(r, 6, "metadata");

	if (read_usage_session(c, r, &u, &metadata) < 0)
		return -1;
	u.record_id = ctx_stmt_span(r->q, 5);
	u.model = ctx_json_text(ctx_json_get(own, "model"), &c->model);
	u.usage = ctx_json_find(own, "usage");
	if (u.usage.p == NULL)
		u.usage = ctx_json_find(own, "tokens");
	if (c->has_sums ||
	    (ctx_json_type(ctx_json_get(own, "usage")) != CTX_JSON_OBJECT &&
		ctx_json_type(ctx_json_get(own, "tokens")) != CTX_JSON_OBJECT))
		return 0;
	return c->fn(c->arg, &u, r->err);
}

/* Further column: time of the session. */
static int
pass_usage_sums(struct usage_call *c, struct ctx_row *r)
{
	struct ctx_stats_usage u = {.created_at = ctx_stmt_int64(r->q, 4)};
	struct ctx_span metadata, model;
	int rc = 0;

	if (read_usage_session(c, r, &u, &metadata) < 0)
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
		rc = c->fn(c->arg, &u, r->err);
	}
	return rc;
}

int
ctx_stats_usages(struct ctx_store *st, const struct ctx_stats_filter *f,
    ctx_stats_usage_fn *fn, void *arg, struct ctx_err *err)
{
	static const struct {
		int (*pass)(struct usage_call *c, struct ctx_row *r);
		const char *table, *select;
	} parts[] = {
	    {pass_usage, "message",
		"SELECT s.no, s.session_id, s.user_id, s.metadata, "
		"m.created_at, m.record_id, m.metadata "
		"FROM " CTX_STATS_MESSAGES "WHERE m.metadata IS NOT NULL ORDER BY s.no"},
	    {pass_usage_sums, "session",
		"SELECT s.no, s.session_id, s.user_id, s.metadata, s.created_at "
		"FROM s "
		"WHERE s.metadata IS NOT NULL "
		"ORDER BY s.no"},
	};
	struct usage_call c = {.fn = fn, .arg = arg};
	int rc = 0;

	for (size_t i = 0; i < 2 && rc == 0; i++) {
		struct ctx_row r = ctx_stats_rows(
		    st, f, parts[i].table, parts[i].select, err);
		while (ctx_rows_next(&r))
			r.rc = parts[i].pass(&c, &r);
		rc = ctx_rows_end(&r);
	}
	ctx_buf_release(&c.format);
	ctx_buf_release(&c.model);
	ctx_buf_release(&c.own_model);
	return rc;
}

/* ---- caches ---- */

int
ctx_stats_caches(
    struct ctx_store *st, ctx_stats_cache_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r;

	if (!ctx_derived_exists(st))
		return 0;
	if (ctx_derived_check_read(st, err) < 0)
		return -1;
	r = ctx_rows(ctx_store_derived(st, err), "cache",
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
	    NULL, 0, err);
	while (ctx_rows_next(&r)) {
		char *kind = ctx_row_given(&r, 0, "kind");
		struct ctx_stats_cache cache = {kind,
		    ctx_row_whole(&r, 1, "entries", 0, CTX_COUNT_MAX),
		    ctx_row_whole(&r, 2, "bytes", 0, CTX_COUNT_MAX),
		    ctx_row_whole(&r, 3, "hits", 0, CTX_COUNT_MAX),
		    ctx_row_whole(&r, 4, "misses", 0, CTX_COUNT_MAX)};
		if (!r.wrong)
			r.rc = fn(arg, &cache, err);
		free(kind);
	}
	return ctx_rows_end(&r);
}

int
ctx_stats_turns(struct ctx_store *st, const struct ctx_session *s, ctx_stats_turn_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "message",
	    "SELECT id & 4294967295, token_sum + token_count "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 AND turn = (id & 4294967295) "
	    "ORDER BY id",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), err);

	while (ctx_rows_next(&r))
		r.rc = fn(arg, ctx_stmt_int64(r.q, 0), ctx_stmt_int64(r.q, 1), err);
	return ctx_rows_end(&r);
}

int
ctx_stats_last_request(
    struct ctx_store *st, const struct ctx_session *s, char **record, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "request",
	    "SELECT record "
	    "FROM request "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id DESC "
	    "LIMIT 1",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), err);

	*record = ctx_rows_next(&r) ? ctx_stmt_str(r.q, 0) : NULL;
	return ctx_rows_end(&r) < 0 ? -1 : *record != NULL;
}
