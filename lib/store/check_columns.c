/* Values that rows must not hold, by kinds of columns. What reads rows refuses the same
 * (store/row.h). */
#include <string.h>

#include "base/time.h"
#include "store/check.h"
#include "store/row.h"
#include "store/rows.h"

#define FINDINGS_MAX 200

enum kind {
	WHOLE, /* a number from least to most */
	TEXT,  /* without NUL */
	JSON,
	WORDS, /* one of the words between commas */
};

struct column {
	const char *name; /* begins with '?' where NULL is allowed */
	enum kind kind;
	int64_t least, most;
	const char *words;
};

#define NO(n)                                         \
	{                                             \
		n, WHOLE, 1, CTX_SESSION_NO_MAX, NULL \
	}
#define ROW(n)                               \
	{                                    \
		n, WHOLE, 0, INT64_MAX, NULL \
	}
#define SEQ(n)                                 \
	{                                      \
		n, WHOLE, 0, CTX_SEQ_MAX, NULL \
	}
#define COUNT(n)                                 \
	{                                        \
		n, WHOLE, 0, CTX_COUNT_MAX, NULL \
	}
#define TOKENS(n)                                        \
	{                                                \
		n, WHOLE, 0, CTX_RECORD_TOKENS_MAX, NULL \
	}
#define ONE_OF(n, last)                 \
	{                               \
		n, WHOLE, 0, last, NULL \
	}
#define TIME(n)                                             \
	{                                                   \
		n, WHOLE, -CTX_TIME_MAX, CTX_TIME_MAX, NULL \
	}
#define STRING(n)                   \
	{                           \
		n, TEXT, 0, 0, NULL \
	}
#define OBJECT(n)                   \
	{                           \
		n, JSON, 0, 0, NULL \
	}
#define WORD(n, list)                \
	{                            \
		n, WORDS, 0, 0, list \
	}
#define COLUMNS_MAX 32

static const struct table {
	const char *name, *key; /* key: an expression that tells rows apart */
	struct column columns[COLUMNS_MAX];
} tables[] = {
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
	    STRING("?hold")}},
    {"message", "id",
	{ROW("id"), SEQ("turn"), ONE_OF("role", CTX_ROLE_TOOL),
	    ONE_OF("type", CTX_TYPE_SUMMARY), TIME("created_at"), TOKENS("token_count"),
	    COUNT("token_sum"), SEQ("tokenizer"), TOKENS("tool_calls"), SEQ("crc"),
	    STRING("?record_id"), OBJECT("?metadata")}},
    {"pin", "id", {ROW("id")}},
    {"hidden", "first_id", {ROW("first_id"), ROW("last_id"), ROW("event")}},
    {"event", "id", {ROW("id"), TIME("created_at"), OBJECT("record")}},
    {"summary", "id",
	{ROW("id"), SEQ("previous"), SEQ("first_seq"), SEQ("last_seq"), SEQ("generation"),
	    ROW("event"), TIME("created_at"), OBJECT("source"), OBJECT("body")}},
    {"request", "id",
	{ROW("id"), STRING("request_id"), SEQ("for_seq"), SEQ("?response_seq"),
	    TIME("created_at"), OBJECT("record")}},
    {"content", "sha256", {STRING("sha256"), {"body", TEXT, 0, 0, NULL}}},
    {"content_use", "request", {ROW("request"), STRING("sha256")}},
    {"share", "session_no", {STRING("user_id"), NO("session_no")}},
    {"preference", "user_id",
	{STRING("tenant_id"), STRING("user_id"), OBJECT("preferences")}},
    {"tokenizer", "no", {SEQ("no"), STRING("name")}},
    {"item", "id",
	{ROW("id"), STRING("tenant_id"), STRING("agent"),
	    WORD("type", "rule,reference,tool,server,prompt,mode"), STRING("server_name"),
	    STRING("name"), WORD("?include", "always,manual,agent"), ONE_OF("enabled", 1),
	    OBJECT("?modes"), STRING("?sha256"), OBJECT("?schema"), TIME("updated_at")}},
    {"session_item", "id",
	{ROW("id"), WORD("type", "rule,reference,tool,server,prompt,mode"),
	    STRING("server_name"), STRING("name"),
	    WORD("include_mode", "always,manual,agent"), TIME("added_at")}},
    {"entity", "id",
	{ROW("id"), STRING("tenant_id"), STRING("type"), STRING("key"), STRING("name"),
	    OBJECT("?external_id"), STRING("?slug"), ROW("?parent_id"), STRING("?action"),
	    OBJECT("?data"), TIME("?data_expires_at"), TIME("updated_at")}},
    {"entity_alias", "entity_id", {ROW("entity_id"), STRING("key"), STRING("alias")}},
    {"entity_relation", "entity_id",
	{ROW("entity_id"), STRING("type"), ROW("target_id")}},
    {"entity_pattern", "pattern",
	{STRING("tenant_id"), STRING("type"), STRING("pattern")}},
    {"session_entity_link", "session_no",
	{NO("session_no"), ROW("entity_id"), STRING("action"), SEQ("seq"), TIME("at")}},
    {"entity_change", "tenant_id",
	{STRING("tenant_id"), COUNT("generation"), COUNT("revision")}},
};

/* The condition that a value is wrong. */
static void
put_condition(struct ctx_buf *sql, const struct column *c)
{
	const char *name = c->name + (*c->name == '?');

	ctx_buf_addf(sql, "(%s IS%s NULL AND (", name, *c->name == '?' ? " NOT" : "");
	if (*c->name != '?')
		ctx_buf_addf(sql, "1) OR %s IS NOT NULL AND (", name);
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
		break;
	case JSON:
		ctx_buf_addf(
		    sql, "typeof(%s) <> 'text' OR NOT json_valid(%s)", name, name);
		break;
	case WORDS:
		ctx_buf_addf(sql,
		    "typeof(%s) <> 'text' OR instr(',%s,', ',' || %s || ',') = 0", name,
		    c->words, name);
		break;
	}
	ctx_buf_adds(sql, "))");
}

struct looking {
	const struct table *table;
	ctx_check_fn *fn;
	void *arg;
	int found;
};

static int
tell_row(void *arg, sqlite3_stmt *q, struct ctx_err *err)
{
	struct looking *l = arg;
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = 0;
	const char *session = (const char *)sqlite3_column_text(q, 1);

	for (int i = 2; rc == 0 && i < sqlite3_column_count(q); i++) {
		const char *name = l->table->columns[i - 2].name;
		struct ctx_finding f = {"record", session, 0, NULL};
		if (sqlite3_column_int(q, i) == 0 || l->found++ >= FINDINGS_MAX)
			continue;
		ctx_buf_reset(&text);
		ctx_buf_addf(&text, "table %s, row %.60s: a wrong value of %s",
		    l->table->name, (const char *)sqlite3_column_text(q, 0),
		    name + (*name == '?'));
		f.message = text.p;
		rc = l->fn(l->arg, &f, err);
	}
	ctx_buf_release(&text);
	return rc;
}

/* Add the id of the session that a row belongs to, from its key. */
static void
put_session_id(struct ctx_buf *sql, const struct table *t)
{
	static const char *const others[] = {
	    "content", "preference", "tokenizer", "item", "entity", "entity_"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(t->name, others[i], strlen(others[i])) == 0) {
			ctx_buf_adds(sql, "NULL");
			return;
		}
	ctx_buf_addf(sql, "(SELECT s.session_id FROM session s WHERE s.no = t.%s%s)",
	    t->key,
	    strcmp(t->key, "no") == 0 || strcmp(t->key, "session_no") == 0 ? ""
									   : " >> 32");
}

static int
check_table(struct ctx_db *db, struct looking *l, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT, any = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&sql, "SELECT quote(%s), ", l->table->key);
	put_session_id(&sql, l->table);
	for (const struct column *c = l->table->columns; c->name != NULL; c++) {
		ctx_buf_adds(&sql, ", ");
		put_condition(&sql, c);
		ctx_buf_adds(&any, any.n > 0 ? " OR " : "");
		put_condition(&any, c);
	}
	ctx_buf_addf(&sql, " FROM %s t WHERE %s", l->table->name, any.p);
	rc = ctx_stmt_rows(db, sql.p, NULL, 0, tell_row, l, err);
	ctx_buf_release(&sql);
	ctx_buf_release(&any);
	return rc;
}

int
ctx_check_columns(struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err)
{
	struct looking l = {NULL, fn, arg, 0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(tables) / sizeof(tables[0]); i++) {
		l.table = &tables[i];
		/* the table of links is made on first use */
		if (sqlite3_table_column_metadata(st->db.h, NULL, l.table->name, NULL,
			NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
			continue;
		rc = check_table(&st->db, &l, err);
	}
	return rc;
}
