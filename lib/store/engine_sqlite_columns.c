/* Finds column values that ctx never writes, by kinds of columns. Code that reads rows
 * rejects the same values (store/row.h). */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "record/request.h"
#include "store/check.h"
#include "store/content.h"
#include "store/derived.h"
#include "store/fulltext_text.h"
#include "store/mention.h"
#include "store/owner.h"
#include "store/row.h"

#define FINDINGS_MAX 200

enum kind {
	WHOLE, /* an integer from least to most */
	TEXT,  /* text without NUL, at most most bytes; 0: any length */
	JSON,  /* JSON; an object if words is set */
	WORDS, /* one of the words, which are separated by commas */
	BYTES, /* a BLOB, or text */
	RULE,  /* words is an SQL condition under which the value is wrong */
};

struct column {
	const char *name; /* name of the column, with '?' before it if NULL is allowed */
	enum kind kind;
	int64_t least, most;
	const char *words;
};

/* clang-format off */
#define NO(n) {n, WHOLE, 1, CTX_SESSION_NO_MAX, NULL}
#define ROW(n) {n, WHOLE, 0, INT64_MAX, NULL}
#define SEQ(n) {n, WHOLE, 0, CTX_SEQ_MAX, NULL}
#define COUNT(n) {n, WHOLE, 0, CTX_COUNT_MAX, NULL}
#define TOKENS(n) {n, WHOLE, 0, CTX_RECORD_TOKENS_MAX, NULL}
#define ONE_OF(n, last) {n, WHOLE, 0, last, NULL}
#define TIME(n) {n, WHOLE, -CTX_TIME_MAX, CTX_TIME_MAX, NULL}
#define STRING(n) {n, TEXT, 0, 0, NULL}
#define OBJECT(n) {n, JSON, 0, 0, "object"}
#define ARRAY(n) {n, JSON, 0, 0, "array"}
#define VALUE(n) {n, JSON, 0, 0, NULL}
#define WORD(n, list) {n, WORDS, 0, 0, list}
#define ANY(n) {n, WHOLE, -INT64_MAX, INT64_MAX, NULL}
#define BLOB(n) {n, BYTES, 0, 0, NULL}
#define WRONG_IF(n, condition) {n, RULE, 0, 0, condition}
/* clang-format on */
#define COLUMNS_MAX 32

struct table {
	const char *name, *key; /* key: SQL expression that identifies a row */
	struct column columns[COLUMNS_MAX];
};

static const struct table tables[] = {
    {"session", "no",
	{NO("no"), STRING("session_id"), STRING("tenant_id"),
	    ONE_OF("status", CTX_STATUS_DELETED), STRING("?user_id"),
	    STRING("?caller_id"), STRING("?account_id"), STRING("?agent"),
	    STRING("?title"), STRING("?topic"), TIME("created_at"), TIME("updated_at"),
	    TIME("?last_message_at"), SEQ("last_seq"), SEQ("last_turn"), SEQ("summary"),
	    ONE_OF("has_pins", 1), COUNT("?ttl_ms"), TIME("?expires_at"),
	    COUNT("message_count"), COUNT("tool_call_count"), COUNT("token_count"),
	    COUNT("hidden_count"), OBJECT("?preferences"), OBJECT("?metadata"),
	    STRING("?parent_session_id"), COUNT("?parent_seq"), OBJECT("?archive"),
	    WRONG_IF("summary",
		"summary > 0 AND status = 0 AND archive IS NULL AND NOT EXISTS (SELECT 1 FROM summary y WHERE y.id = (t.no << 32) + t.summary)"),
	    STRING("?hold")}},
    {"message", "id",
	{ROW("id"), SEQ("turn"), ONE_OF("role", CTX_ROLE_TOOL),
	    ONE_OF("type", CTX_TYPE_SUMMARY), TIME("created_at"), TOKENS("token_count"),
	    COUNT("token_sum"), SEQ("tokenizer"), TOKENS("tool_calls"), SEQ("crc"),
	    WRONG_IF("tokenizer",
		"tokenizer > 1 AND NOT EXISTS (SELECT 1 FROM tokenizer k WHERE k.no = t.tokenizer)"),
	    STRING("?record_id"), OBJECT("?metadata")}},
    {"pin", "id", {ROW("id")}},
    {"hidden", "first_id",
	{ROW("first_id"), ROW("last_id"),
	    WRONG_IF("last_id", "last_id >> 32 <> first_id >> 32 OR last_id < first_id"),
	    ROW("event")}},
    {"event", "id",
	{ROW("id"), TIME("created_at"), OBJECT("record"),
	    WRONG_IF("record",
		"CASE WHEN json_valid(record) THEN json_extract(record, '$.event') = 'archive' AND json_type(record, '$.uri') IS NOT 'text' END")}},
    {"summary", "id",
	{ROW("id"), SEQ("previous"),
	    WRONG_IF("previous", "previous >= max(1, id & 4294967295)"), SEQ("first_seq"),
	    WRONG_IF("first_seq", "first_seq = 0"), SEQ("last_seq"),
	    WRONG_IF("last_seq",
		"last_seq < first_seq OR last_seq > (SELECT s.last_seq FROM session s WHERE s.no = t.id >> 32)"),
	    SEQ("generation"), ROW("event"), TIME("created_at"), OBJECT("source"),
	    OBJECT("body"),
	    WRONG_IF("body",
		"CASE WHEN json_valid(body) THEN json_type(body) = 'object' AND json_type(body, '$.role') IS NOT 'text' END")}},
    {"request", "id",
	{ROW("id"), STRING("request_id"), SEQ("for_seq"), SEQ("?response_seq"),
	    TIME("created_at"), OBJECT("record")}},
    {"content", "session_no",
	{NO("session_no"), STRING("sha256"), {"body", TEXT, 0, 0, NULL}}},
    {"share", "session_no", {STRING("user_id"), NO("session_no")}},
    {"preference", "user_id",
	{STRING("tenant_id"), STRING("user_id"), OBJECT("preferences")}},
    {"tokenizer", "no", {SEQ("no"), STRING("name")}},
    {"item", "id",
	{ROW("id"), STRING("tenant_id"), STRING("agent"),
	    WORD("type", "rule,reference,tool,server,prompt,mode"), STRING("server_name"),
	    STRING("name"), WORD("?include", "always,manual,agent"), ONE_OF("enabled", 1),
	    ARRAY("?modes"), STRING("?content"), OBJECT("?schema"), TIME("updated_at")}},
    {"session_item", "id",
	{ROW("id"), WORD("type", "rule,reference,tool,server,prompt,mode"),
	    STRING("server_name"), STRING("name"),
	    WORD("include_mode", "always,manual,agent"), TIME("added_at")}},
    {"entity", "id",
	{ROW("id"), STRING("tenant_id"), STRING("type"), STRING("key"), STRING("name"),
	    VALUE("?external_id"), STRING("?slug"), ROW("?parent_id"), STRING("?action"),
	    WRONG_IF("?external_id",
		"CASE WHEN json_valid(external_id) THEN json_type(external_id) NOT IN ('text', 'integer', 'real') END"),
	    VALUE("?data"), TIME("?data_expires_at"), TIME("updated_at")}},
    {"entity_alias", "entity_id", {ROW("entity_id"), STRING("key"), STRING("alias")}},
    {"entity_relation", "entity_id",
	{ROW("entity_id"), STRING("type"), ROW("target_id")}},
    {"entity_pattern", "pattern",
	{STRING("tenant_id"), STRING("type"), STRING("pattern")}},
    {"session_entity_link", "session_no",
	{NO("session_no"), ROW("entity_id"), STRING("action"), SEQ("seq"), TIME("at")}},
    {"entity_change", "tenant_id",
	{STRING("tenant_id"), SEQ("generation"), SEQ("revision")}},
    {"identity", "id", {{"id", TEXT, 0, CTX_ID_UUID, NULL}, STRING("?origin")}},
    {"archive_file", "session_no",
	{NO("session_no"), STRING("uri"), STRING("?sha256"),
	    ONE_OF("state", CTX_OWNER_GOING)}},
    {"archive_run", "place", {STRING("place")}},
    {.name = NULL},
};

static const struct table derived_tables[] = {
    {"mark", "session_no",
	{STRING("kind"),
	    /* 0: not for one session */
	    {"session_no", WHOLE, 0, CTX_SESSION_NO_MAX, NULL}, ROW("seq")}},
    {"cache", "key",
	{STRING("kind"), STRING("key"),
	    {"session_no", WHOLE, 0, CTX_SESSION_NO_MAX, NULL}, ANY("expires_at"),
	    BLOB("value")}},
    {"cache_use", "kind", {STRING("kind"), COUNT("hits"), COUNT("misses")}},
    {"fulltext_kept", "id",
	{ROW("id"), SEQ("role"), TIME("created_at"), SEQ("size"), BLOB("text")}},
    {"seen", "no", {ROW("no"), STRING("type"), STRING("name"), STRING("?spelling")}},
    {"mention", "id", {ROW("id"), BLOB("found")}},
    {"session_entity", "session_no",
	{NO("session_no"), ANY("entity"), SEQ("first_seq"), SEQ("last_seq"),
	    TIME("first_at"), TIME("last_at"), COUNT("mentions")}},
    {"counter", "no", {ROW("no"), STRING("tokenizer"), STRING("source")}},
    {"recount", "id", {ROW("counter"), ROW("id"), TOKENS("tokens")}},
    {"recount_total", "session_no",
	{ROW("counter"), NO("session_no"), SEQ("seq"), COUNT("tokens")}},
    {.name = NULL},
};

/* Appends the SQL condition under which the column's value is wrong. */
static void
put_condition(struct ctx_buf *sql, const struct column *c)
{
	const char *name = c->name + (*c->name == '?');

	ctx_buf_addf(
	    sql, *c->name == '?' ? "(%s IS NOT NULL AND (" : "(%s IS NULL OR (", name);
	switch (c->kind) {
	case WHOLE:
		ctx_buf_addf(sql,
		    "typeof(%s) <> 'integer' OR %s NOT BETWEEN %lld AND %lld", name, name,
		    (long long)c->least, (long long)c->most);
		break;
	case TEXT:
		ctx_buf_addf(sql,
		    "typeof(%s) <> 'text' OR instr(CAST(%s AS BLOB), x'00') > 0", name,
		    name);
		if (c->most > 0)
			ctx_buf_addf(sql, " OR length(CAST(%s AS BLOB)) <> %lld", name,
			    (long long)c->most);
		break;
	case JSON:
		ctx_buf_addf(
		    sql, "typeof(%s) <> 'text' OR NOT json_valid(%s)", name, name);
		if (c->words != NULL)
			ctx_buf_addf(sql,
			    " OR CASE WHEN json_valid(%s) THEN json_type(%s) <> '%s' END",
			    name, name, c->words);
		break;
	case WORDS:
		ctx_buf_addf(sql,
		    "typeof(%s) <> 'text' OR instr(',%s,', ',' || %s || ',') = 0", name,
		    c->words, name);
		break;
	case RULE:
		ctx_buf_adds(sql, c->words);
		break;
	case BYTES:
		ctx_buf_addf(sql, "typeof(%s) NOT IN ('blob', 'text')", name);
		break;
	}
	ctx_buf_adds(sql, "))");
}

struct column_check {
	struct ctx_store *st; /* the store of request texts */
	struct ctx_db *db;
	const char *table;
	const struct column *columns[COLUMNS_MAX]; /* columns that exist in the table */
	int n_columns;
	ctx_check_fn *fn;
	void *arg;
	int found;
};

static int
report_value(struct column_check *l, const char *session, const char *row,
    const char *name, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_finding f = {"record", session, 0, NULL};
	int rc;

	if (l->found++ >= FINDINGS_MAX)
		return 0;
	ctx_buf_addf(&text, "%stable %s, row %.60s: column %s has a wrong value",
	    l->db->kind->derived ? "derived file of indexes (--rebuild rebuilds it): "
				 : "",
	    l->table, row, name + (*name == '?'));
	f.message = text.p;
	rc = l->fn(l->arg, &f, err);
	ctx_buf_release(&text);
	return rc;
}

static int
report_row(struct column_check *l, struct ctx_stmt *q, struct ctx_err *err)
{
	const char *row = ctx_stmt_text(q, 0);
	const char *session = ctx_stmt_text(q, 1);
	int rc = 0;

	for (int i = 0; rc == 0 && i < l->n_columns; i++)
		if ((int)ctx_stmt_int64(q, i + 2) != 0)
			rc = report_value(l, session, row, l->columns[i]->name, err);
	return rc;
}

/* Appends an SQL expression for the id of the row's session, derived from the row's
 * key. */
static void
put_session_id(struct ctx_buf *sql, const struct table *t, bool derived)
{
	static const char *const others[] = {"content", "preference", "tokenizer", "item",
	    "entity", "entity_", "identity", "archive_run"};
	bool none = derived;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		none = none || strncmp(t->name, others[i], strlen(others[i])) == 0;
	if (none)
		ctx_buf_adds(sql, "NULL");
	else
		ctx_buf_addf(sql,
		    "(SELECT s.session_id FROM session s WHERE s.no = t.%s%s)", t->key,
		    strcmp(t->key, "no") == 0 || strcmp(t->key, "session_no") == 0
			? ""
			: " >> 32");
}

static int
check_table(struct column_check *l, const struct table *t, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT, any = CTX_BUF_INIT;
	struct ctx_row r;
	int rc = 0;

	ctx_buf_addf(&sql, "SELECT quote(%s), ", t->key);
	put_session_id(&sql, t, l->db->kind->derived);
	l->n_columns = 0;
	for (const struct column *c = t->columns; c->name != NULL; c++) {
		if (!ctx_db_has_column(l->db, t->name, c->name + (*c->name == '?')))
			continue;
		l->columns[l->n_columns++] = c;
		ctx_buf_adds(&sql, ", ");
		put_condition(&sql, c);
		ctx_buf_adds(&any, any.n > 0 ? " OR " : "");
		put_condition(&any, c);
	}
	ctx_buf_addf(&sql, " FROM %s t WHERE %s", t->name, any.p);
	if (l->n_columns > 0) {
		r = ctx_rows(l->db, t->name, sql.p, NULL, 0, err);
		while (ctx_rows_next(&r))
			r.rc = report_row(l, r.q, err);
		rc = ctx_rows_end(&r);
	}
	ctx_buf_release(&sql);
	ctx_buf_release(&any);
	return rc;
}

/* Checks the tables in the list. A table that is created on first use may be missing. */
static int
check_tables(struct column_check *l, const struct table *t, struct ctx_err *err)
{
	int rc = 0;

	for (; rc == 0 && t->name != NULL; t++) {
		l->table = t->name;
		if (ctx_db_has_column(l->db, t->name, NULL))
			rc = check_table(l, t, err);
	}
	return rc;
}

/* ---- values that need more than a range ---- */

/* Reports the column for each row of the query that does not fit; fits may be NULL. The
 * first column of the query names the row, the third one of a query of the store names the
 * session. */
static int
check_values(struct column_check *l, const char *table, const char *sql,
    bool (*fits)(const struct column_check *l, struct ctx_stmt *q), const char *column,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(l->db, table, sql, NULL, 0, err);

	l->table = table;
	while (ctx_rows_next(&r))
		if (fits == NULL || !fits(l, r.q))
			r.rc = report_value(l,
			    l->st != NULL ? ctx_stmt_text(r.q, 2) : NULL,
			    ctx_stmt_text(r.q, 0), column, err);
	return ctx_rows_end(&r);
}

static bool
is_kept_text(const struct column_check *l, struct ctx_stmt *q)
{
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_kept kept;
	int rc = ctx_kept_read(l->db, q, &kept, &text, &why);

	ctx_buf_release(&text);
	return rc == 0;
}

static bool
is_mention(const struct column_check *l CTX_UNUSED, struct ctx_stmt *q)
{
	struct ctx_mention_at *list;
	size_t n;
	struct ctx_span found = ctx_stmt_bytes(q, 1);
	bool good = ctx_mention_unpack(found.p, found.n, &list, &n);

	free(list);
	return good;
}

static int
check_derived(struct column_check *l, struct ctx_err *err)
{
	static const char far_marks[] =
	    "SELECT session_no FROM mark WHERE kind <> '" CTX_MARK_NAMES "' "
	    "AND typeof(seq) = 'integer' AND seq > 4294967295";

	return check_tables(l, derived_tables, err) < 0 ||
		       check_values(l, "mark", far_marks, NULL, "seq", err) < 0 ||
		       check_values(l, "fulltext_kept", CTX_KEPT_SELECT, is_kept_text,
			   "role, size or text", err) < 0 ||
		       check_values(l, "mention", "SELECT id, found FROM mention",
			   is_mention, "found", err) < 0
		   ? -1
		   : 0;
}

/* Checks a request record with its texts and the messages it shares with others filled
 * in, as records are stored without them. */
static bool
is_request(const struct column_check *l, struct ctx_stmt *q)
{
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_request request = CTX_REQUEST_INIT;
	struct ctx_span record = ctx_stmt_span(q, 1);
	struct ctx_buf whole = CTX_BUF_INIT;
	int rc = ctx_request_parse(&request, record, &why);

	if (rc < 0 && (rc = ctx_content_unpack(l->st, ctx_stmt_int64(q, 0) >> 32, record,
			   &whole, &why)) == 0) {
		ctx_request_release(&request);
		rc = ctx_request_parse(&request, ctx_buf_span(&whole), &why);
	}
	ctx_request_release(&request);
	ctx_buf_release(&whole);
	return rc == 0;
}

/* Damage of the file as a whole is found by ctx_check_integrity. */
int
ctx_check_derived_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err)
{
	struct column_check l = {.fn = fn, .arg = arg};
	struct ctx_err damage = CTX_ERR_INIT;
	int rc = 0;

	if (ctx_db_is_whole(&st->db) || !ctx_derived_exists(st))
		return 0;
	l.db = ctx_store_derived(st, &damage);
	if (l.db == NULL || check_derived(&l, &damage) < 0)
		rc = damage.code == CTX_ESTORE ? 0 : -1;
	if (rc < 0)
		*err = damage;
	return rc;
}

int
ctx_check_columns(struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err)
{
	static const char requests[] =
	    "SELECT id, record, "
	    "(SELECT s.session_id FROM session s WHERE s.no = request.id >> 32) "
	    "FROM request "
	    "WHERE typeof(record) = 'text' "
	    "AND CASE WHEN json_valid(record) THEN json_type(record) = 'object' END";
	struct column_check l = {.st = st, .db = &st->db, .fn = fn, .arg = arg};

	if (ctx_db_is_whole(&st->db))
		return 0; /* the server enforces types and NOT NULL */
	return check_tables(&l, tables, err) < 0
		   ? -1
		   : check_values(&l, "request", requests, is_request, "record", err);
}
