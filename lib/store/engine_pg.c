/* The engine for PostgreSQL: statements. */
#include "store/engine_pg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "store/row.h"

/* ---- SQL text ---- */

static bool
begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Copies a quoted name or string. Returns the position after it. */
static const char *
copy_quoted(struct ctx_buf *out, const char *p)
{
	char quote = *p;

	do
		ctx_buf_addc(out, *p++);
	while (*p != '\0' && *p != quote);
	if (*p != '\0')
		ctx_buf_addc(out, *p++);
	return p;
}

/* Translates SQL: ?7 becomes $7, and a ? without a number is the parameter after the last
 * one. CTX_STMT_BARE, a plus sign directly before a name, is removed. */
static char *
translate_sql(const char *sql, int *n_values)
{
	struct ctx_buf out = CTX_BUF_INIT;
	const char *p = sql;
	int last = 0;

	while (*p != '\0') {
		if (*p == '\'' || *p == '"') {
			p = copy_quoted(&out, p);
		} else if (*p == '?') {
			char *end;
			long no = strtol(p + 1, &end, 10);
			last = end > p + 1 ? (int)no : last + 1;
			*n_values = last > *n_values ? last : *n_values;
			ctx_buf_addf(&out, "$%d", last);
			p = end;
		} else if (*p == '+' && (islower((unsigned char)p[1])) &&
			   (p == sql || p[-1] == ' ')) {
			p++;
		} else {
			ctx_buf_addc(&out, *p++);
		}
	}
	return ctx_buf_detach(&out);
}

/* Rows of one key, such as the aliases of an entity, or of a table that is always small. */
static bool
yields_few(const char *sql)
{
	const char *where = strstr(sql, " WHERE "), *order = strstr(sql, " ORDER BY ");
	int words = 1;

	if (where == NULL)
		return strstr(sql, " FROM tokenizer ") != NULL ||
		       strstr(sql, " FROM counter ") != NULL;
	where += strlen(" WHERE ");
	for (const char *p = where; p < order; p++)
		words += *p == ' ';
	return words == 3 && begins(where + strcspn(where, " "), " = ?");
}

static bool
may_yield_many(const char *sql)
{
	return (begins(sql, "SELECT") || begins(sql, "WITH")) &&
	       strstr(sql, " ORDER BY ") != NULL && strstr(sql, " LIMIT ") == NULL &&
	       !yields_few(sql);
}

/* Returns true for statements that fail only if something is wrong: their results need
 * not be awaited one by one. */
static bool
may_wait(const char *sql)
{
	static const char *const beginnings[] = {"INSERT INTO message (",
	    "INSERT INTO pin ", "UPDATE session SET last_seq ", "INSERT INTO mention ",
	    "INSERT INTO session_entity (", "INSERT INTO recount ",
	    "INSERT INTO fulltext ", "INSERT INTO fulltext_kept ", "INSERT INTO mark ",
	    "INSERT INTO content (", "INSERT INTO event (", "INSERT INTO request ("};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (begins(sql, beginnings[i]))
			return strstr(sql, "RETURNING") == NULL;
	return false;
}

struct ctx_stmt *
ctx_pg_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_pg_stmt *q = ctx_mem_new(sizeof(*q));
	struct ctx_pg *pg = ctx_pg(db);

	q->base.engine = &ctx_engine_pg;
	q->db = db;
	q->selects = begins(sql, "SELECT");
	q->text = translate_sql(sql, &q->n_values);
	q->values = ctx_mem_new((size_t)(q->n_values + 1) * sizeof(*q->values));
	q->locks = strstr(sql, CTX_STMT_LOCKED) != NULL;
	q->streams = !q->locks && may_yield_many(sql);
	q->waits = may_wait(sql);
	q->recovers = begins(sql, "INSERT INTO session ");
	q->next = pg->statements;
	pg->statements = q;
	return &q->base;
}

bool
ctx_pg_stmt_clear(struct ctx_stmt *stmt)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	ctx_pg_stmt_reset(stmt);
	memset(q->values, 0, (size_t)(q->n_values + 1) * sizeof(*q->values));
	return true;
}

void
ctx_pg_stmt_reset(struct ctx_stmt *stmt)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);

	PQclear(q->rows);
	PQclear(q->rest);
	q->rows = q->rest = NULL;
	ctx_pg_close_cursor(q->db, q);
	q->ran = q->done = false;
	q->row = 0;
}

void
ctx_pg_stmt_close(struct ctx_stmt *stmt)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt), **at;

	ctx_pg_stmt_reset(stmt);
	at = &ctx_pg(q->db)->statements;
	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	ctx_buf_release(&q->column);
	free(q->values);
	free(q->text);
	free(q);
}

/* ---- running ---- */

static void
count_changes(struct ctx_pg *pg, const PGresult *r)
{
	pg->changes = strtoll(PQcmdTuples((PGresult *)r), NULL, 10);
	pg->total_changes += pg->changes;
}

static PGresult *
run_statement_text(struct ctx_db *db, struct ctx_pg_stmt *q, const char *behind)
{
	struct ctx_buf text = CTX_BUF_INIT;
	PGresult *r;

	ctx_buf_addf(&text, "%s%s", q->text, behind);
	r = q->recovers ? ctx_pg_run_apart(db, text.p, q->values, q->n_values)
			: ctx_pg_run(db, text.p, q->values, q->n_values);
	ctx_buf_release(&text);
	return r;
}

bool
ctx_pg_takes_text(struct ctx_span s)
{
	return ctx_utf8_valid(s.p, s.n) == s.n && memchr(s.p, 0, s.n) == NULL;
}

/* The server rejects invalid UTF-8 and NUL. A query for such a text must find nothing:
 * its bytes are replaced by characters of private use. */
static void
replace_bad_text(struct ctx_buf *out, struct ctx_span s)
{
	ctx_buf_reset(out);
	for (size_t i = 0; i < s.n; i++) {
		unsigned c = (unsigned char)s.p[i];
		ctx_buf_addf(out, "\xf4\x8f%c%c", (char)(0xb8 | c >> 6),
		    (char)(0x80 | (c & 0x3f)));
	}
}

static void
replace_bad_texts(struct ctx_pg_stmt *q)
{
	bool replaced = false;

	for (int i = 0; i < q->n_values; i++) {
		struct ctx_pg_value *v = &q->values[i];
		if (v->type != CTX_PG_TEXT || v->null || v->bytes.n == 0 ||
		    ctx_pg_takes_text(v->bytes))
			continue;
		if (!replaced)
			replace_bad_text(&q->column, v->bytes);
		replaced = true;
		v->bytes = ctx_buf_span(&q->column);
	}
}

static int
start_statement(struct ctx_db *db, struct ctx_pg_stmt *q)
{
	q->ran = true;
	q->row = -1;
	if (q->selects)
		replace_bad_texts(q);
	q->rows = q->streams ? ctx_pg_open_cursor(db, q)
			     : run_statement_text(db, q,
				   q->locks && db->writing ? " FOR NO KEY UPDATE" : "");
	if (q->rows == NULL)
		return -1;
	if (!q->streams && !q->selects)
		count_changes(ctx_pg(db), q->rows);
	return 0;
}

/* Fetches more rows. Returns 1 if there are any, 0 if not, -1 on error. */
static int
refill(struct ctx_db *db, struct ctx_pg_stmt *q)
{
	PGresult *more = q->rest;

	q->rest = NULL;
	if (more == NULL && q->cursor != 0) {
		int asked = q->fetch;
		if (PQntuples(q->rows) < asked) {
			ctx_pg_close_cursor(db, q);
			return 0;
		}
		more = ctx_pg_fetch(db, q);
		if (more == NULL)
			return -1;
	}
	if (more == NULL)
		return 0;
	PQclear(q->rows);
	q->rows = more;
	q->row = 0;
	return PQntuples(more) > 0;
}

int
ctx_pg_stmt_step(struct ctx_db *db, struct ctx_stmt *stmt, struct ctx_err *err)
{
	struct ctx_pg_stmt *q = ctx_pg_stmt(stmt);
	int rc = 1;

	if (q->waits && db->writing && !db->asks_each)
		return ctx_pg_run_later(db, q->text, q->values, q->n_values) == 0
			   ? 0
			   : ctx_pg_stmt_fail(db, err, "cannot write");
	if (q->done) /* start again from the first row, as SQLite does */
		ctx_pg_stmt_reset(stmt);
	if (!q->ran && start_statement(db, q) < 0) {
		q->ran = false;
		return ctx_pg_stmt_fail(
		    db, err, db->writing ? "cannot write" : "cannot read");
	}
	if (++q->row >= PQntuples(q->rows))
		rc = refill(db, q);
	if (rc < 0)
		return ctx_pg_stmt_fail(db, err, "cannot read");
	if (rc == 0) {
		q->done = true;
		ctx_pg_close_cursor(db, q);
	}
	return rc;
}

/* Statements in one text have no parameters, and are run one by one. */
int
ctx_pg_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	return ctx_pg_do_all(db, sql) < 0 ? ctx_pg_stmt_fail(db, err, "cannot open") : 0;
}

/* ---- information about a connection ---- */

static bool
is_told(const struct ctx_db *db, const char *text, const char *a, const char *b)
{
	struct ctx_pg_value v[] = {{.type = CTX_PG_TEXT, .bytes = ctx_span_of(a)},
	    {.type = CTX_PG_TEXT, .bytes = ctx_span_of(b)}};
	PGresult *r = ctx_pg_run((struct ctx_db *)db, text, v, b == NULL ? 1 : 2);
	bool is = r != NULL && PQntuples(r) > 0;

	PQclear(r);
	return is;
}

bool
ctx_pg_has_table(const struct ctx_db *db, const char *table)
{
	return is_told(db, "SELECT 1 WHERE to_regclass($1) IS NOT NULL", table, NULL);
}

bool
ctx_pg_has_column(const struct ctx_db *db, const char *table, const char *column)
{
	return is_told(db,
	    "SELECT 1 "
	    "FROM pg_attribute "
	    "WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped",
	    table, column);
}

int64_t
ctx_pg_changes(const struct ctx_db *db)
{
	return ctx_pg(db)->changes;
}

int64_t
ctx_pg_total_changes(const struct ctx_db *db)
{
	return ctx_pg(db)->total_changes;
}

int
ctx_pg_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err)
{
	return ctx_stmt_number(
	    db, "SELECT 'ctx_store'::regclass::oid::bigint", number, err);
}

void
ctx_pg_wait(struct ctx_db *db, int64_t ms)
{
	db->busy_ms = ms;
}

int
ctx_pg_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err)
{
	return ctx_stmt_number(db,
	    "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint "
	    "FROM pg_class "
	    "WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'",
	    bytes, err);
}

/* Takes an advisory lock in a transaction on a connection of its own: a connection pooler
 * keeps the lock as long as the transaction is open. */
int
ctx_pg_task(struct ctx_db *db, const char *task, bool wait, struct ctx_err *err)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct ctx_store_options o = {.path = db->address, .busy_ms = db->busy_ms};
	struct ctx_db_kind kind = {.what = "store", .derived = true};
	struct ctx_pg_value v = {.type = CTX_PG_TEXT, .bytes = ctx_span_of(task)};
	PGresult *r;
	int rc;

	if (pg->task != NULL)
		return 1;
	pg->task = ctx_mem_new(sizeof(*pg->task));
	if (ctx_db_open(pg->task, &kind, &o, err) < 0 || ctx_db_begin(pg->task, err) < 0)
		return -1;
	r = ctx_pg_run_once(pg->task,
	    wait ? "SELECT true, pg_advisory_xact_lock(hashtext('ctx task ' || $1 || "
		   "current_schema()))"
		 : "SELECT pg_try_advisory_xact_lock(hashtext('ctx task ' || $1 || "
		   "current_schema()))",
	    &v, 1);
	rc = r == NULL ? 0 : PQgetvalue(r, 0, 0)[0] != 0;
	if (r == NULL && strcmp(ctx_pg(pg->task)->state, "55P03") != 0)
		rc = ctx_pg_stmt_fail(pg->task, err, "cannot lock");
	PQclear(r);
	return rc;
}

/* ---- all texts ---- */

/* Runs a query for one column, and passes on the column's values. */
static int
scan_column(struct ctx_db *db, const char *sql, ctx_store_bytes_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "row", sql, NULL, 0, err);

	ctx_pg_stmt(r.q)->streams = true;
	while (ctx_rows_next(&r))
		fn(arg, ctx_stmt_bytes(r.q, 0), true);
	return ctx_rows_end(&r);
}

/* Lists a query for each column of texts or bytes, and runs it. */
int
ctx_pg_scan(struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "row",
	    "SELECT format('SELECT %I FROM %I WHERE %I IS NOT NULL', attname, relname, "
	    "attname) "
	    "FROM pg_class c "
	    "JOIN pg_attribute a ON a.attrelid = c.oid "
	    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' "
	    "AND a.attnum > 0 AND NOT a.attisdropped "
	    "AND a.atttypid IN ('text'::regtype, 'bytea'::regtype)",
	    NULL, 0, err);

	while (ctx_rows_next(&r))
		r.rc = scan_column(db, ctx_stmt_text(r.q, 0), fn, arg, err);
	return ctx_rows_end(&r);
}

/* ---- the table of functions ---- */

#define PG_MEMBER(function, name) .name = ctx_pg_##name,
const struct ctx_engine ctx_engine_pg = {
    CTX_ENGINE_FUNCTIONS(PG_MEMBER).scan = ctx_pg_scan,
    .task = ctx_pg_task,
};
