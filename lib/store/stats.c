#include "store/stats.h"

#include <stdlib.h>
#include <string.h>

#include "store/derived.h"
#include "store/row.h"
#include "store/rows.h"

#define MESSAGES \
	"s JOIN message m ON m.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "

static int
by_no(const void *a, const void *b)
{
	const struct ctx_stats_total *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

/* counted(no, token_count) of a session: by the filter, or as stored. */
static int64_t
count_session_tokens(void *arg, int64_t no, int64_t token_count)
{
	const struct ctx_stats_filter *f = arg;
	struct ctx_stats_total key = {no, 0}, *found = NULL;

	if (f->n_totals > 0)
		found = bsearch(&key, f->totals, f->n_totals, sizeof(key), by_no);
	return found != NULL ? found->tokens : token_count;
}

/* The filter is used by the next statement. */
static void
count_by(struct ctx_store *st, const struct ctx_stats_filter *f)
{
	void *arg;

	memcpy(&arg, &f, sizeof(arg)); /* count_session_tokens() changes nothing of it */
	ctx_db_function(&st->db, "counted", count_session_tokens, arg);
}

#define VALUES(st, f) \
	CTX_VALUES(ctx_str((st)->tenant), ctx_str((f)->user_id), ctx_int((f)->session_no))

/* A statement on s, the sessions that count: ?1 tenant, ?2 user, ?3 session. */
static char *
make_stats_sql(
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

static int
file_bytes(struct ctx_db *db, int64_t *bytes, struct ctx_err *err)
{
	return ctx_stmt_ints(db,
		   "SELECT page_count * page_size "
		   "FROM pragma_page_count(), pragma_page_size()",
		   NULL, 0, bytes, 1, err) < 0
		   ? -1
		   : 0;
}

int
ctx_stats_read(struct ctx_store *st, const struct ctx_stats_filter *f,
    struct ctx_stats *out, struct ctx_err *err)
{
	static const char select[] =
	    "SELECT coalesce(sum(status = 0), 0), coalesce(sum(status = 1), 0), "
	    "count(DISTINCT user_id), coalesce(sum(message_count), 0), "
	    "coalesce(sum(hidden_count), 0), coalesce(sum(tool_call_count), 0), "
	    "coalesce(sum(counted(no, token_count)), 0), ("
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON s.no = r.id >> 32), ("
	    "SELECT count(*) "
	    "FROM request r "
	    "JOIN s ON s.no = r.id >> 32 "
	    "WHERE response_seq IS NOT NULL) "
	    "FROM s";
	int64_t *const fields[] = {&out->active, &out->archived, &out->users,
	    &out->messages, &out->hidden, &out->tool_calls, &out->tokens, &out->requests,
	    &out->answered};
	enum { N = sizeof(fields) / sizeof(fields[0]) };
	int64_t columns[N];
	char *sql = make_stats_sql(st, f, select);
	int rc;

	memset(out, 0, sizeof(*out));
	count_by(st, f);
	rc = ctx_stmt_ints(&st->db, sql, VALUES(st, f), columns, N, err);
	free(sql);
	if (rc < 0 || file_bytes(&st->db, &out->bytes, err) < 0)
		return -1;
	for (int i = 0; i < N; i++)
		*fields[i] = columns[i];
	return ctx_derived_exists(st)
		   ? file_bytes(ctx_store_derived(st, err), &out->derived_bytes, err)
		   : 0;
}

struct group_call {
	ctx_stats_fn *fn;
	void *arg;
};

static int
pass_group(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct group_call *c = arg;
	struct ctx_stats_group g = {ctx_stmt_span(q, 0), ctx_stmt_int64(q, 1),
	    ctx_stmt_int64(q, 2), ctx_stmt_int64(q, 3), ctx_stmt_int64(q, 4),
	    ctx_stmt_int64(q, 5), ctx_stmt_int64(q, 6)};

	return c->fn(c->arg, &g, err) < 0 ? -1 : 0;
}

int
ctx_stats_group_by(struct ctx_store *st, const struct ctx_stats_filter *f,
    enum ctx_stats_by by, ctx_stats_fn *fn, void *arg, struct ctx_err *err)
{
	/* key, sessions, messages, tool calls, tokens, input, output; what an answer claims
	 * is bounded, or its sum could overflow, which fails the whole query */
	static const char *const select[] = {
	    [CTX_STATS_SESSION] =
		"SELECT session_id, -1, message_count, tool_call_count, counted(no, "
		"token_count), -1, -1 "
		"FROM s "
		"ORDER BY no",
	    [CTX_STATS_USER] =
		"SELECT user_id, count(*), sum(message_count), sum(tool_call_count), "
		"sum(counted(no, token_count)), -1, -1 "
		"FROM s "
		"GROUP BY user_id "
		"ORDER BY user_id",
	    [CTX_STATS_DAY] =
		"SELECT date(m.created_at / 1000, 'unixepoch') AS d, count(DISTINCT s.no), "
		"count(*), sum(m.tool_calls), sum(m.token_count), -1, -1 "
		"FROM " MESSAGES "GROUP BY d ORDER BY d",
	    [CTX_STATS_MODEL] =
		"SELECT json_extract(m.metadata, '$.model') AS k, count(DISTINCT s.no), "
		"count(*), sum(m.tool_calls), sum(m.token_count), sum(max(0, min(2147483647, "
		"CAST(coalesce(json_extract(m.metadata, '$.usage.prompt_tokens'), "
		"coalesce(json_extract(m.metadata, '$.usage.input_tokens'), "
		"json_extract(m.metadata, '$.usage.promptTokenCount'), "
		"0) + coalesce(json_extract(m.metadata, '$.usage.cache_read_input_tokens'), "
		"0) + coalesce(json_extract(m.metadata, "
		"'$.usage.cache_creation_input_tokens'), 0)) AS INTEGER)))), sum(max(0, "
		"min(2147483647, CAST(coalesce(json_extract(m.metadata, "
		"'$.usage.completion_tokens'), json_extract(m.metadata, "
		"'$.usage.output_tokens'), json_extract(m.metadata, "
		"'$.usage.candidatesTokenCount'), 0) AS INTEGER)))) "
		"FROM " MESSAGES
		"WHERE m.metadata IS NOT NULL AND json_type(m.metadata, '$.model') = 'text' "
		"GROUP BY k "
		"ORDER BY k",
	    /* called, or named in the metadata of an imported answer (ctx_record_tools_used) */
	    [CTX_STATS_TOOL] =
		"SELECT k, count(DISTINCT no), -1, count(*), -1, -1, -1 "
		"FROM ("
		"SELECT coalesce(json_extract(c.value, '$.function.name'), "
		"json_extract(c.value, '$.custom.name'), json_extract(c.value, "
		"'$.name')) AS k, s.no AS no "
		"FROM " MESSAGES "JOIN json_each(m.body, CASE WHEN json_type(m.body, "
		"'$.tool_calls') = 'array' THEN '$.tool_calls' ELSE '$.content' END) c "
		"WHERE m.tool_calls > 0 AND c.type = 'object' "
		"UNION ALL "
		"SELECT CASE u.type WHEN 'text' THEN u.value WHEN 'object' THEN coalesce("
		"json_extract(u.value, '$.name'), json_extract(u.value, '$.tool'), "
		"json_extract(u.value, '$.tool_name')) END, s.no "
		"FROM " MESSAGES
		"JOIN json_each('[\"tools_used\",\"mcp_tools_used\"]') l "
		"JOIN json_each(m.metadata, '$.' || l.value) u "
		"WHERE m.tool_calls = 0) "
		"WHERE k IS NOT NULL "
		"GROUP BY k "
		"ORDER BY k",
	    [CTX_STATS_TOKENIZER] =
		"SELECT CASE m.tokenizer WHEN 0 THEN 'approx' WHEN 1 THEN 'chars4' ELSE ("
		"SELECT name "
		"FROM tokenizer t "
		"WHERE t.no = m.tokenizer) END AS k, count(DISTINCT s.no), count(*), "
		"sum(m.tool_calls), sum(m.token_count), -1, -1 "
		"FROM " MESSAGES "GROUP BY k ORDER BY k",
	};
	struct group_call c = {fn, arg};
	char *sql = make_stats_sql(st, f, select[by]);
	int rc;

	count_by(st, f);
	rc = ctx_stmt_rows(&st->db, sql, VALUES(st, f), pass_group, &c, err);
	free(sql);
	return rc;
}

struct usage_call {
	ctx_stats_usage_fn *fn;
	void *arg;
};

static int
pass_usage(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct usage_call *c = arg;
	struct ctx_stats_usage u = {ctx_stmt_span(q, 0), ctx_stmt_span(q, 1),
	    ctx_stmt_span(q, 2), ctx_stmt_int64(q, 3), ctx_stmt_span(q, 4),
	    ctx_stmt_span(q, 5), ctx_stmt_span(q, 6)};

	return c->fn(c->arg, &u, err) < 0 ? -1 : 0;
}

#define HAS_SUM "s.metadata IS NOT NULL AND json_type(s.metadata, '$.usage') IS 'array'"

int
ctx_stats_usages(struct ctx_store *st, const struct ctx_stats_filter *f,
    ctx_stats_usage_fn *fn, void *arg, struct ctx_err *err)
{
	static const char messages[] =
	    "SELECT s.session_id, s.user_id, json_extract(s.metadata, '$.format'), "
	    "m.created_at, m.record_id, json_extract(m.metadata, '$.model'), "
	    "coalesce(json_extract(m.metadata, '$.usage'), "
	    "json_extract(m.metadata, '$.tokens')) "
	    "FROM " MESSAGES "WHERE m.metadata IS NOT NULL AND NOT (" HAS_SUM ") AND ("
	    "json_type(m.metadata, '$.usage') IS 'object' OR "
	    "json_type(m.metadata, '$.tokens') IS 'object')";
	static const char sums[] =
	    "SELECT s.session_id, s.user_id, json_extract(s.metadata, '$.format'), "
	    "s.created_at, NULL, coalesce(json_extract(u.value, '$.model'), "
	    "json_extract(s.metadata, '$.model')), u.value "
	    "FROM s "
	    "JOIN json_each(s.metadata, '$.usage') u "
	    "WHERE u.type = 'object' AND " HAS_SUM;
	struct usage_call c = {fn, arg};

	const char *const parts[] = {messages, sums};
	int rc = 0;

	for (size_t i = 0; i < 2 && rc == 0; i++) {
		char *sql = make_stats_sql(st, f, parts[i]);
		rc = ctx_stmt_rows(&st->db, sql, VALUES(st, f), pass_usage, &c, err);
		free(sql);
	}
	return rc < 0 ? -1 : 0;
}

struct cache_call {
	struct ctx_db *db;
	ctx_stats_cache_fn *fn;
	void *arg;
};

static int
pass_cache(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct cache_call *c = arg;
	struct ctx_row r = {c->db, q, "cache", err, false};
	char *kind = ctx_row_given(&r, 0, "kind");
	struct ctx_stats_cache cache = {kind,
	    ctx_row_whole(&r, 1, "entries", 0, CTX_COUNT_MAX),
	    ctx_row_whole(&r, 2, "bytes", 0, CTX_COUNT_MAX),
	    ctx_row_whole(&r, 3, "hits", 0, CTX_COUNT_MAX),
	    ctx_row_whole(&r, 4, "misses", 0, CTX_COUNT_MAX)};
	int rc = ctx_row_end(&r);

	if (rc == 0)
		rc = c->fn(c->arg, &cache, err);
	free(kind);
	return rc < 0 ? -1 : 0;
}

int
ctx_stats_caches(
    struct ctx_store *st, ctx_stats_cache_fn *fn, void *arg, struct ctx_err *err)
{
	struct cache_call c = {NULL, fn, arg};

	if (!ctx_derived_exists(st))
		return 0;
	c.db = ctx_store_derived(st, err);
	return ctx_stmt_rows(c.db,
	    "SELECT kind, sum(entries), sum(bytes), sum(hits), sum(misses) "
	    "FROM ("
	    "SELECT kind, count(*) AS entries, sum(length(CAST(value AS BLOB))) AS bytes, "
	    "0 AS hits, 0 AS misses "
	    "FROM cache "
	    "GROUP BY kind "
	    "UNION ALL SELECT kind, 0, 0, hits, misses "
	    "FROM cache_use) "
	    "GROUP BY kind "
	    "ORDER BY kind",
	    NULL, 0, pass_cache, &c, err);
}

struct turn_call {
	ctx_stats_turn_fn *fn;
	void *arg;
};

static int
pass_turn(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct turn_call *c = arg;

	return c->fn(c->arg, ctx_stmt_int64(q, 0), ctx_stmt_int64(q, 1), err) < 0 ? -1
										  : 0;
}

int
ctx_stats_turns(struct ctx_store *st, const struct ctx_session *s, ctx_stats_turn_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct turn_call c = {fn, arg};

	return ctx_stmt_rows(&st->db,
	    "SELECT id & 4294967295, token_sum + token_count "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 AND turn = (id & 4294967295) "
	    "ORDER BY id",
	    CTX_VALUES(
		ctx_int(ctx_row_id(s->no, 1)), ctx_int(ctx_row_id(s->no, CTX_SEQ_MAX))),
	    pass_turn, &c, err);
}

static int
copy_stats_record(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	char **record = arg;

	(void)err;
	*record = ctx_stmt_str(q, 0);
	return 1;
}

int
ctx_stats_last_request(
    struct ctx_store *st, const struct ctx_session *s, char **record, struct ctx_err *err)
{
	*record = NULL;
	if (ctx_stmt_rows(&st->db,
		"SELECT record "
		"FROM request "
		"WHERE id BETWEEN ?1 AND ?2 "
		"ORDER BY id DESC "
		"LIMIT 1",
		CTX_VALUES(CTX_SESSION_ROWS(s)), copy_stats_record, record, err) < 0)
		return -1;
	return *record != NULL;
}
