#include "store/row.h"
#include "store/rows.h"

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

static int
read_session_row(
    struct ctx_store *st, struct ctx_stmt *q, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_row r = {&st->db, q, "session", err, false};

	s->no = ctx_row_whole(&r, 0, "no", 1, CTX_SESSION_NO_MAX);
	s->order = ctx_store_session_order(st, s->no);
	s->last_turn = ctx_row_whole(&r, 1, "last_turn", 0, CTX_SEQ_MAX);
	s->summary = ctx_row_whole(&r, 2, "summary", 0, CTX_SEQ_MAX);
	s->has_pins = ctx_row_whole(&r, 3, "has_pins", 0, 1) != 0;
	for (size_t i = 0; i < ctx_session_field_count; i++) {
		const struct ctx_field *f = &ctx_session_fields[i];
		void *at = (char *)s + f->offset;
		int col = (int)i + N_PRIVATE;
		if (is_text_field(f))
			read_text_field(&r, col, f, at);
		else
			*(int64_t *)at = read_number(&r, col, f);
	}
	if (s->session_id == NULL)
		s->session_id = ctx_row_given(&r, N_PRIVATE, ctx_session_fields[0].name);
	return ctx_row_end(&r);
}

static void
bind_field(
    struct ctx_stmt *q, int at, const struct ctx_session *s, const struct ctx_field *f)
{
	const void *value = (const char *)s + f->offset;

	if (is_text_field(f)) {
		const char *text = *(char *const *)value;
		ctx_stmt_bind_str(q, at, text == NULL && is_tenant(f) ? "" : text);
	} else {
		ctx_stmt_bind_int(q, at, *(const int64_t *)value);
	}
}

int
ctx_store_session_create(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_stmt *q;
	int rc = -1;

	if (st->tenant != NULL) {
		free(s->tenant_id);
		s->tenant_id = ctx_mem_str(st->tenant);
	}
	ctx_buf_adds(&sql, "INSERT INTO session (last_turn, has_pins");
	for (size_t i = 0; i < ctx_session_field_count; i++)
		ctx_buf_addf(&sql, ", %s", ctx_session_fields[i].name);
	ctx_buf_adds(&sql, ") VALUES (?1, ?2");
	for (size_t i = 0; i < ctx_session_field_count; i++)
		ctx_buf_addf(&sql, ", ?%zu", i + 3);
	ctx_buf_adds(&sql, ") RETURNING no");
	q = ctx_stmt_query(
	    &st->db, sql.p, CTX_VALUES(ctx_int(s->last_turn), ctx_int(s->has_pins)), err);
	ctx_buf_release(&sql);
	for (size_t i = 0; i < ctx_session_field_count; i++)
		bind_field(q, (int)i + 3, s, &ctx_session_fields[i]);
	rc = ctx_stmt_insert(&st->db, q, &s->no, err);
	if (rc < 0 && ctx_db_failure(&st->db) == CTX_DB_DUPLICATE)
		ctx_err_set(
		    err, CTX_EANSWER, "session '%s' already exists", s->session_id);
	ctx_stmt_free(&st->db, q);
	return rc;
}

int
ctx_store_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	enum ctx_stmt_id which = st->tenant != NULL ? CTX_STMT_SESSION_FIND
						    : CTX_STMT_SESSION_FIND_ANY;
	struct ctx_stmt *q;
	int rc;

	if (st->db.kept[which] == NULL) {
		select_sessions(&sql, ctx_store_shown(st));
		ctx_buf_adds(&sql, " AND session_id = ?2 LIMIT 2");
	}
	q = ctx_stmt_kept(&st->db, which, sql.p,
	    CTX_VALUES(ctx_str(st->tenant), ctx_str(session_id)), err);
	ctx_buf_release(&sql);
	rc = ctx_stmt_step(&st->db, q, err);
	if (rc == 1 && read_session_row(st, q, out, err) < 0)
		rc = -1;
	if (rc == 1) {
		if (ctx_stmt_step(&st->db, q, err) == 1)
			rc = ctx_err_set(err, CTX_EANSWER,
			    "several tenants have a session '%s' (--tenant selects one)",
			    session_id);
	}
	ctx_stmt_reset(q);
	return rc;
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
	struct ctx_stmt *q;
	int rc;

	select_sessions(&sql, "no = ?1");
	q = ctx_stmt_query(&st->db, sql.p, CTX_VALUES(ctx_int(no)), err);
	ctx_buf_release(&sql);
	rc = ctx_stmt_step(&st->db, q, err);
	if (rc == 1 && read_session_row(st, q, out, err) < 0)
		rc = -1;
	ctx_stmt_free(&st->db, q);
	return rc;
}

int
ctx_store_session_update(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_stmt *q;
	int rc;

	ctx_buf_adds(&sql, "UPDATE session SET last_turn = ?2, has_pins = ?3");
	for (size_t i = 0; i < ctx_session_field_count; i++) {
		ctx_buf_adds(&sql, ", ");
		ctx_buf_adds(&sql, ctx_session_fields[i].name);
		ctx_buf_adds(&sql, " = ?");
		ctx_buf_addi(&sql, (int64_t)i + 4);
	}
	ctx_buf_adds(&sql, " WHERE no = ?1");
	q = ctx_stmt_query(&st->db, sql.p,
	    CTX_VALUES(ctx_int(s->no), ctx_int(s->last_turn), ctx_int(s->has_pins)), err);
	ctx_buf_release(&sql);
	for (size_t i = 0; i < ctx_session_field_count; i++)
		bind_field(q, (int)i + 4, s, &ctx_session_fields[i]);
	rc = ctx_stmt_run(&st->db, q, err);
	ctx_stmt_free(&st->db, q);
	return rc;
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
	struct ctx_stmt *q;

	if (s->updated_at == CTX_TIME_NONE || s->updated_at < now)
		s->updated_at = now;
	/* messages can be older than the session, if it is a copy or they were
	 * imported */
	if (s->ttl_ms != CTX_TIME_NONE && s->last_message_at != CTX_TIME_NONE)
		s->expires_at = (s->last_message_at < s->created_at
					? s->created_at
					: s->last_message_at) +
				s->ttl_ms;
	q = ctx_stmt_kept(&st->db, CTX_STMT_SESSION_COUNT, sql,
	    CTX_VALUES(ctx_int(s->no), ctx_int(s->last_seq), ctx_int(s->last_turn),
		ctx_int(s->message_count), ctx_int(s->tool_call_count),
		ctx_int(s->token_count), ctx_int(s->hidden_count), ctx_int(s->updated_at),
		ctx_int(s->last_message_at), ctx_int(s->expires_at),
		ctx_int(s->has_pins)),
	    err);
	return ctx_stmt_run(&st->db, q, err);
}

int
ctx_store_session_share(struct ctx_store *st, const struct ctx_session *s,
    const char *user_id, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO share (user_id, session_no) "
	    "VALUES (?1, ?2) "
	    "ON CONFLICT "
	    "DO NOTHING",
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

	select_sessions(sql, ctx_store_shown(st));
	ctx_buf_adds(sql,
	    ctx_db_is_whole(&st->db) ? " AND ordinal > ctx_spread(?2)" : " AND no > ?2");
	if (f->no != 0)
		ctx_buf_adds(sql, " AND no = ?13");
	if (f->user_id != NULL)
		ctx_buf_adds(sql, " "
				  "AND no IN ("
				  "SELECT no "
				  "FROM session "
				  "WHERE user_id = ?3 "
				  "UNION ALL SELECT session_no "
				  "FROM share "
				  "WHERE user_id = ?3)");
	if (f->caller_id != NULL)
		ctx_buf_adds(sql, " AND caller_id = ?4");
	if (f->agent != NULL)
		ctx_buf_adds(sql, " AND agent = ?5");
	if (f->idle_before != CTX_TIME_NONE)
		ctx_buf_adds(sql,
		    " AND created_at < ?6 AND coalesce(last_message_at, created_at) < ?6");
	if (f->created_before != CTX_TIME_NONE)
		ctx_buf_adds(sql, " AND created_at < ?7");
	if (f->created_after != CTX_TIME_NONE)
		ctx_buf_adds(sql, " AND created_at >= ?8");
	if (f->expired_at != CTX_TIME_NONE)
		ctx_buf_adds(sql, " AND expires_at <= ?9");
	if (f->min_tokens >= 0)
		ctx_buf_adds(sql, " AND token_count >= ?10");
	if (f->deleted_before != CTX_TIME_NONE)
		ctx_buf_adds(sql, " AND status = 2 AND updated_at < ?12");
	/* a row with an invalid status is not hidden: reading it reports the error */
	ctx_buf_addf(sql, " AND (status IN (%s%s%s-1) OR status NOT IN (0, 1, 2))",
	    f->status[0] || !any ? "0," : "", f->status[1] ? "1," : "",
	    f->status[2] ? "2," : "");
	ctx_buf_adds(sql, ctx_db_is_whole(&st->db) ? " ORDER BY ordinal LIMIT ?11"
						   : " ORDER BY no LIMIT ?11");
}

int
ctx_store_session_list(struct ctx_store *st, const struct ctx_session_filter *f,
    struct ctx_session out[], int max, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct ctx_stmt *q;
	int n = 0, rc;

	list_sql(&sql, st, f);
	q = ctx_stmt_new(&st->db, sql.p, err);
	ctx_buf_release(&sql);
	/* parameters of omitted conditions do not exist, and binding them does nothing */
	ctx_stmt_bind_str(q, 1, st->tenant);
	ctx_stmt_bind_int(q, 2, f->after_no);
	ctx_stmt_bind_str(q, 3, f->user_id);
	ctx_stmt_bind_str(q, 4, f->caller_id);
	ctx_stmt_bind_str(q, 5, f->agent);
	ctx_stmt_bind_int(q, 6, f->idle_before);
	ctx_stmt_bind_int(q, 7, f->created_before);
	ctx_stmt_bind_int(q, 8, f->created_after);
	ctx_stmt_bind_int(q, 9, f->expired_at);
	ctx_stmt_bind_int(q, 10, f->min_tokens);
	ctx_stmt_bind_int(q, 11, max);
	ctx_stmt_bind_int(q, 12, f->deleted_before);
	ctx_stmt_bind_int(q, 13, f->no);
	while (n < max && (rc = ctx_stmt_step(&st->db, q, err)) == 1)
		if (read_session_row(st, q, &out[n++], err) < 0) {
			rc = -1;
			break;
		}
	ctx_stmt_free(&st->db, q);
	for (int i = 0; rc < 0 && i < n; i++)
		ctx_session_release(&out[i]);
	return rc < 0 ? -1 : n;
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
	struct ctx_stmt *q = ctx_stmt_query(&st->db,
	    "SELECT preferences FROM preference WHERE tenant_id = ?1 AND user_id = ?2",
	    CTX_VALUES(ctx_str(st->tenant == NULL ? "" : st->tenant), ctx_str(user_id)),
	    err);
	int rc;

	*json = NULL;
	rc = ctx_stmt_step(&st->db, q, err);
	if (rc == 1)
		*json = ctx_stmt_str(q, 0);
	ctx_stmt_free(&st->db, q);
	return rc;
}
