#include "store/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"

/* Columns that are not part of the session record. */
#define PRIVATE                                                        \
	CTX_STMT_BARE "no, " CTX_STMT_BARE "last_turn, " CTX_STMT_BARE \
		      "summary, " CTX_STMT_BARE "has_pins"
#define N_PRIVATE 4

/* Appends the start of a statement that reads sessions: their columns, and a condition.
 * The condition is that of ctx_store_shown, so that no statement forgets the tenant, or
 * names one session by its number. */
static void
select_sessions(struct ctx_buf *sql, const char *which)
{
	ctx_buf_adds(sql, "SELECT " CTX_STMT_LOCKED PRIVATE);
	for (size_t i = 0; i < ctx_session_field_count; i++) {
		ctx_buf_adds(sql, ", " CTX_STMT_BARE);
		ctx_buf_adds(sql, ctx_session_fields[i].name);
	}
	ctx_buf_addf(sql, " FROM session WHERE %s", which);
}

static bool
is_tenant(const struct ctx_field *f)
{
	return f->offset == offsetof(struct ctx_session, tenant_id);
}

static bool
is_text_field(const struct ctx_field *f)
{
	return f->type == CTX_FIELD_TEXT || f->type == CTX_FIELD_JSON;
}

static void
read_text_field(struct ctx_row *r, int col, const struct ctx_field *f, char **text)
{
	free(*text);
	if (f->type == CTX_FIELD_JSON)
		*text = ctx_span_dup(ctx_row_json(r, col, f->name));
	else
		*text = ctx_row_text(r, col, f->name);
	if (is_tenant(f) && *text != NULL && **text == '\0') {
		free(*text);
		*text = NULL;
	}
}

static int64_t
read_number(struct ctx_row *r, int col, const struct ctx_field *f)
{
	switch (f->type) {
	case CTX_FIELD_STATUS:
		return ctx_row_whole(r, col, f->name, 0, CTX_STATUS_DELETED);
	case CTX_FIELD_COUNT:
		return ctx_row_whole(r, col, f->name, 0,
		    f->offset == offsetof(struct ctx_session, last_seq) ? CTX_SEQ_MAX
									: CTX_COUNT_MAX);
	case CTX_FIELD_INT:
		return ctx_row_maybe(r, col, f->name, 0, CTX_COUNT_MAX);
	default:
		return ctx_row_maybe(r, col, f->name, -CTX_TIME_MAX, CTX_TIME_MAX);
	}
}

static void
read_session_row(struct ctx_store *st, struct ctx_row *r, struct ctx_session *s)
{
	s->no = ctx_row_session(r, 0, "no");
	s->order = ctx_store_session_order(st, s->no);
	s->last_turn = ctx_row_whole(r, 1, "last_turn", 0, CTX_SEQ_MAX);
	s->summary = ctx_row_whole(r, 2, "summary", 0, CTX_SEQ_MAX);
	s->has_pins = ctx_row_whole(r, 3, "has_pins", 0, 1) != 0;
	for (size_t i = 0; i < ctx_session_field_count; i++) {
		const struct ctx_field *f = &ctx_session_fields[i];
		void *at = (char *)s + f->offset;
		int col = (int)i + N_PRIVATE;
		if (is_text_field(f))
			read_text_field(r, col, f, at);
		else
			*(int64_t *)at = read_number(r, col, f);
	}
	if (s->session_id == NULL)
		s->session_id = ctx_row_given(r, N_PRIVATE, ctx_session_fields[0].name);
}

static struct ctx_value
value_of(const struct ctx_session *s, const struct ctx_field *f)
{
	const void *value = (const char *)s + f->offset;
	const char *text;

	if (!is_text_field(f))
		return ctx_int(*(const int64_t *)value);
	text = *(char *const *)value;
	return ctx_str(text == NULL && is_tenant(f) ? "" : text);
}

/* Inserts the session and sets *no to its number or, if no is NULL, changes its row. */
static int
write_session(
    struct ctx_store *st, const struct ctx_session *s, int64_t *no, struct ctx_err *err)
{
	size_t n = ctx_session_field_count;
	struct ctx_value *values = ctx_mem_new((n + 3) * sizeof(*values));
	struct ctx_buf sql = CTX_BUF_INIT;
	int rc;

	values[0] = ctx_int(s->last_turn);
	values[1] = ctx_int(s->has_pins);
	values[n + 2] = ctx_int(s->no);
	ctx_buf_adds(&sql, no == NULL ? "UPDATE session SET (last_turn, has_pins"
				      : "INSERT INTO session (last_turn, has_pins");
	for (size_t i = 0; i < n; i++) {
		ctx_buf_addf(&sql, ", %s", ctx_session_fields[i].name);
		values[i + 2] = value_of(s, &ctx_session_fields[i]);
	}
	ctx_buf_adds(&sql, no == NULL ? ") = (?1, ?2" : ") VALUES (?1, ?2");
	for (size_t i = 0; i < n; i++)
		ctx_buf_addf(&sql, ", ?%zu", i + 3);
	if (no == NULL)
		ctx_buf_addf(&sql, ") WHERE no = ?%zu", n + 3);
	else
		ctx_buf_adds(&sql, ") RETURNING no");
	rc = ctx_stmt_add(&st->db, sql.p, values, n + 3, no, err);
	ctx_buf_release(&sql);
	free(values);
	return rc;
}

int
ctx_store_session_create(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	int rc;

	if (st->tenant != NULL) {
		free(s->tenant_id);
		s->tenant_id = ctx_mem_str(st->tenant);
	}
	rc = write_session(st, s, &s->no, err);
	if (rc < 0 && ctx_db_failure(&st->db) == CTX_DB_DUPLICATE)
		ctx_err_set(
		    err, CTX_EANSWER, "session '%s' already exists", s->session_id);
	return rc;
}

int
ctx_store_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_row r;

	select_sessions(&sql, ctx_store_shown(st));
	ctx_buf_adds(&sql, " AND session_id = ?2 LIMIT 2");
	r = ctx_rows(&st->db, "session", sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_str(session_id)), err);
	ctx_buf_release(&sql);
	if (ctx_rows_next(&r)) {
		read_session_row(st, &r, out);
		if (ctx_rows_next(&r))
			r.rc = ctx_err_set(err, CTX_EANSWER,
			    "several tenants have a session '%s' (--tenant selects one)",
			    session_id);
	}
	return ctx_rows_found(&r);
}

int
ctx_store_session_active(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err)
{
	int rc = ctx_store_session_find(st, session_id, out, err);

	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "no session '%s'", session_id);
	if (rc == 1 && out->status != CTX_STATUS_ACTIVE)
		return ctx_err_set(err, CTX_EANSWER, "session '%s' is %s", session_id,
		    ctx_status_name((enum ctx_status)out->status));
	return rc < 0 ? -1 : 0;
}

int
ctx_store_session_of(struct ctx_store *st, const char *tenant, const char *session_id,
    struct ctx_session *out, struct ctx_err *err)
{
	char *shown = st->tenant, *only = ctx_mem_str(tenant);
	int rc;

	st->db.tenant = st->tenant = only;
	rc = ctx_store_session_find(st, session_id, out, err);
	st->db.tenant = st->tenant = shown;
	free(only);
	return rc;
}

int
ctx_store_session_get(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_row r;

	select_sessions(&sql, "no = ?1");
	r = ctx_rows(&st->db, "session", sql.p, CTX_VALUES(ctx_int(no)), err);
	ctx_buf_release(&sql);
	if (ctx_rows_next(&r))
		read_session_row(st, &r, out);
	return ctx_rows_found(&r);
}

int
ctx_store_session_update(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	return write_session(st, s, NULL, err);
}

int
ctx_store_session_set_state(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "UPDATE session "
	    "SET status = ?2, updated_at = ?3, archive = ?4, hold = ?5 "
	    "WHERE no = ?1",
	    CTX_VALUES(ctx_int(s->no), ctx_int(s->status), ctx_int(s->updated_at),
		ctx_str(s->archive_json), ctx_str(s->hold)),
	    err);
}

int
ctx_store_session_count(
    struct ctx_store *st, struct ctx_session *s, int64_t now, struct ctx_err *err)
{
	static const char sql[] =
	    "UPDATE session "
	    "SET last_seq = ?2, last_turn = ?3, message_count = ?4, tool_call_count = ?5, "
	    "token_count = ?6, hidden_count = ?7, updated_at = ?8, last_message_at = ?9, "
	    "expires_at = ?10, has_pins = ?11 "
	    "WHERE no = ?1";
	if (s->updated_at == CTX_TIME_NONE || s->updated_at < now)
		s->updated_at = now;
	/* messages can be older than the session, if it is a copy or they were
	 * imported */
	if (s->ttl_ms != CTX_TIME_NONE && s->last_message_at != CTX_TIME_NONE)
		s->expires_at = (s->last_message_at < s->created_at
					? s->created_at
					: s->last_message_at) +
				s->ttl_ms;
	return ctx_stmt_do(&st->db, sql,
	    CTX_VALUES(ctx_int(s->no), ctx_int(s->last_seq), ctx_int(s->last_turn),
		ctx_int(s->message_count), ctx_int(s->tool_call_count),
		ctx_int(s->token_count), ctx_int(s->hidden_count), ctx_int(s->updated_at),
		ctx_int(s->last_message_at), ctx_int(s->expires_at),
		ctx_int(s->has_pins)),
	    err);
}

int
ctx_store_session_share(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO share (user_id, session_no) "
	    "VALUES (?1, ?2) "
	    "ON CONFLICT DO NOTHING",
	    CTX_VALUES(ctx_str(user_id), ctx_int(s->no)), err);
}

int
ctx_store_session_unshare(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "DELETE FROM share WHERE user_id = ?1 AND session_no = ?2",
	    CTX_VALUES(ctx_str(user_id), ctx_int(s->no)), err);
}

/* Appends only conditions that are set, so that the planner can use an index for each. */
static void
list_sql(
    struct ctx_buf *sql, const struct ctx_store *st, const struct ctx_session_filter *f)
{
	bool any = f->status[0] || f->status[1] || f->status[2];
	bool whole = ctx_db_is_whole(&st->db);
	const struct {
		bool set;
		const char *sql;
	} conditions[] = {
	    {whole, " AND ordinal > ctx_spread(?2)"},
	    {!whole, " AND no > ?2"},
	    {f->no != 0, " AND no = ?13"},
	    {f->user_id != NULL, " "
				 "AND no IN ("
				 "SELECT no "
				 "FROM session "
				 "WHERE user_id = ?3 "
				 "UNION ALL SELECT session_no "
				 "FROM share "
				 "WHERE user_id = ?3)"},
	    {f->caller_id != NULL, " AND caller_id = ?4"},
	    {f->agent != NULL, " AND agent = ?5"},
	    {f->idle_before != CTX_TIME_NONE,
		" AND created_at < ?6 AND coalesce(last_message_at, created_at) < ?6"},
	    {f->created_before != CTX_TIME_NONE, " AND created_at < ?7"},
	    {f->created_after != CTX_TIME_NONE, " AND created_at >= ?8"},
	    {f->expired_at != CTX_TIME_NONE, " AND expires_at <= ?9"},
	    {f->min_tokens >= 0, " AND token_count >= ?10"},
	    {f->deleted_before != CTX_TIME_NONE, " AND status = 2 AND updated_at < ?12"},
	};

	select_sessions(sql, ctx_store_shown(st));
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		ctx_buf_adds(sql, conditions[i].set ? conditions[i].sql : "");
	/* a row with an invalid status is not hidden: reading it reports the error */
	ctx_buf_addf(sql, " AND (status IN (%s%s%s-1) OR status NOT IN (0, 1, 2))",
	    f->status[0] || !any ? "0," : "", f->status[1] ? "1," : "",
	    f->status[2] ? "2," : "");
	ctx_buf_adds(
	    sql, whole ? " ORDER BY ordinal LIMIT ?11" : " ORDER BY no LIMIT ?11");
}

int
ctx_store_session_list(struct ctx_store *st, const struct ctx_session_filter *f,
    struct ctx_session out[], int max, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_row r;
	int n = 0, rc;

	list_sql(&sql, st, f);
	/* parameters of omitted conditions do not exist, and binding them does nothing */
	r = ctx_rows(&st->db, "session", sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_int(f->after_no), ctx_str(f->user_id),
		ctx_str(f->caller_id), ctx_str(f->agent), ctx_int(f->idle_before),
		ctx_int(f->created_before), ctx_int(f->created_after),
		ctx_int(f->expired_at), ctx_int(f->min_tokens), ctx_int(max),
		ctx_int(f->deleted_before), ctx_int(f->no)),
	    err);
	ctx_buf_release(&sql);
	while (n < max && ctx_rows_next(&r))
		read_session_row(st, &r, &out[n++]);
	rc = ctx_rows_end(&r);
	for (int i = 0; rc < 0 && i < n; i++)
		ctx_session_release(&out[i]);
	return rc < 0 ? -1 : n;
}

int
ctx_store_each_session(struct ctx_store *st, struct ctx_session_filter *f,
    ctx_store_session_fn *fn, void *arg, struct ctx_err *err)
{
	enum { PAGE = 64 };
	struct ctx_session page[PAGE];
	int n = PAGE, rc = 0;

	for (int i = 0; i < PAGE; i++)
		ctx_session_init(&page[i]);
	while (rc == 0 && n == PAGE) {
		n = ctx_store_session_list(st, f, page, PAGE, err);
		for (int i = 0; i < n; i++) {
			f->after_no = page[i].no;
			if (rc == 0)
				rc = fn(arg, &page[i], err);
			ctx_session_release(&page[i]);
		}
	}
	return n < 0 ? -1 : rc;
}

int
ctx_store_session_numbered(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;

	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	f.no = no;
	return ctx_store_session_list(st, &f, out, 1, err);
}

int
ctx_store_preferences_set(
    struct ctx_store *st, const char *user_id, const char *json, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO preference (tenant_id, user_id, preferences) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT (user_id, tenant_id) "
	    "DO UPDATE SET preferences = excluded.preferences",
	    CTX_VALUES(ctx_str(st->tenant == NULL ? "" : st->tenant), ctx_str(user_id),
		ctx_str(json)),
	    err);
}

int
ctx_store_preferences_find(
    struct ctx_store *st, const char *user_id, char **json, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "preference",
	    "SELECT preferences FROM preference WHERE tenant_id = ?1 AND user_id = ?2",
	    CTX_VALUES(ctx_str(st->tenant == NULL ? "" : st->tenant), ctx_str(user_id)),
	    err);

	*json = NULL;
	if (ctx_rows_next(&r))
		*json = ctx_stmt_str(r.q, 0);
	return ctx_rows_found(&r);
}

/* Starts to read the ids of sessions of the tenant to which the store is restricted; more
 * is appended to the conditions, with the parameters ?2 (part) and ?3 (max). */
static struct ctx_row
list_shown(struct ctx_store *st, const char *more, const char *part, int max,
    struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_row r;

	ctx_buf_addf(&sql, "SELECT DISTINCT session_id FROM session WHERE %s %s",
	    ctx_store_shown(st), more);
	r = ctx_rows(&st->db, "session", sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_str(part), ctx_int(max)), err);
	ctx_buf_release(&sql);
	return r;
}

int
ctx_store_session_part(
    struct ctx_store *st, const char *part, char *ids[], int max, struct ctx_err *err)
{
	struct ctx_row r = list_shown(st,
	    "AND length(?2) >= 4 "
	    "AND (substr(session_id, 1, length(?2)) = ?2 "
	    "OR substr(session_id, length(session_id) - length(?2) + 1) = ?2) "
	    "ORDER BY session_id "
	    "LIMIT ?3",
	    part, max, err);
	int n = 0;

	while (n < max && ctx_rows_next(&r)) {
		ids[n] = ctx_stmt_str(r.q, 0);
		n += ids[n] != NULL;
	}
	return ctx_rows_end(&r) < 0 ? -1 : n;
}

int
ctx_store_session_ids(struct ctx_store *st, void (*fn)(void *arg, const char *session_id),
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = list_shown(st, "", NULL, 0, err);

	while (ctx_rows_next(&r)) {
		char *id = ctx_stmt_str(r.q, 0);
		if (id != NULL)
			fn(arg, id);
		free(id);
	}
	return ctx_rows_end(&r);
}

int
ctx_store_session_last(struct ctx_store *st, int64_t *order, struct ctx_err *err)
{
	return ctx_stmt_number(&st->db,
	    ctx_db_is_whole(&st->db) ? "SELECT coalesce(max(ordinal), 0) FROM session"
				     : "SELECT coalesce(max(no), 0) FROM session",
	    order, err);
}
