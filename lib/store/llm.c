#include "store/llm.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

#include "store/stmt.h"

static const char has_table[] =
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";

static const char old_answers[] =
    "SELECT json_object('conversation', json_object('id', coalesce(r.conversation_id, "
    "r.id),"
    " 'name', c.name, 'model', coalesce(c.model, r.model)), 'time', r.datetime_utc,"
    " 'response', json_object('id', r.id, 'model', r.model, 'prompt', r.prompt,"
    " 'system', r.system, 'response', r.response, 'time', r.datetime_utc%s))"
    " FROM responses r LEFT JOIN conversations c ON c.id = r.conversation_id%s"
    " ORDER BY coalesce(r.conversation_id, r.id), r.datetime_utc, r.rowid";
static const char old_tools[] =
    ", 'tool_calls', (SELECT json_group_array(json_object('name', t.name, 'arguments',"
    " t.arguments, 'tool_call_id', t.tool_call_id)) FROM tool_calls t"
    " WHERE t.response_id = r.id)"
    ", 'tool_results', (SELECT json_group_array(json_object('name', t.name, 'output',"
    " t.output, 'tool_call_id', t.tool_call_id, 'exception', %s)) FROM tool_results t"
    " WHERE t.response_id = r.id)";
/* of the prompt and of the system prompt */
static const char old_fragments[] =
    ", '%s', (SELECT json_group_array(content) FROM (SELECT f.content FROM %s p"
    " JOIN fragments f ON f.id = p.fragment_id WHERE p.response_id = r.id"
    " ORDER BY p.\"order\"))";
static const char old_attachments[] =
    ", 'attachments', (SELECT count(*) FROM prompt_attachments a"
    " WHERE a.response_id = r.id)";
static const char old_result_attachments[] =
    ", 'result_attachments', (SELECT count(*) FROM tool_results_attachments a"
    " JOIN tool_results t ON t.id = a.tool_result_id WHERE t.response_id = r.id)";
static const char not_new[] =
    " WHERE coalesce(r.conversation_id, r.id) NOT IN (SELECT id FROM threads)";

/* The chain from a thread's newest message to its first, read from the first on. */
static const char new_messages[] =
    "WITH RECURSIVE chain(thread, hash, depth) AS ("
    " SELECT id, tip_message_hash, 0 FROM threads WHERE tip_message_hash IS NOT NULL"
    " UNION ALL SELECT chain.thread, m.parent_hash, chain.depth + 1 FROM chain"
    " JOIN messages m ON m.hash = chain.hash"
    " WHERE m.parent_hash IS NOT NULL AND chain.depth < 1000000)"
    " SELECT json_object('conversation', json_object('id', t.id, 'name', t.name%s),"
    " 'time', %s, 'message', json_object('hash', m.hash, 'role', m.role, 'parts',"
    " (SELECT json_group_array(json(part)) FROM (SELECT json_object('type', p.type,"
    " 'name', p.tool_name, 'payload', json(CASE WHEN json_valid(p.payload) THEN "
    "p.payload END),"
    " 'text', coalesce(p.text, (SELECT group_concat(coalesce("
    " (SELECT f.content FROM fragments f WHERE f.id = s.value ->> 'fragment'),"
    " s.value ->> 'literal'), '') FROM json_each(p.payload, '$.text_ref') s))) AS part"
    " FROM parts p WHERE p.message_hash = m.hash ORDER BY p.position))))"
    " FROM chain JOIN messages m ON m.hash = chain.hash JOIN threads t ON t.id = "
    "chain.thread"
    " ORDER BY t.rowid, chain.depth DESC";

static int
fail(sqlite3 *h, const char *path, enum ctx_code code, struct ctx_err *err)
{
	return ctx_err_set(err, code, "cannot read '%s': %s", path, sqlite3_errmsg(h));
}

static bool
has(sqlite3 *h, const char *table)
{
	sqlite3_stmt *q = NULL;
	bool found = false;

	if (sqlite3_prepare_v2(h, has_table, -1, &q, NULL) == SQLITE_OK) {
		sqlite3_bind_text(q, 1, table, -1, SQLITE_STATIC);
		found = sqlite3_step(q) == SQLITE_ROW;
	}
	sqlite3_finalize(q);
	return found;
}

static bool
has_column(sqlite3 *h, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(
		   h, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static int
rows(sqlite3 *h, const char *path, const char *sql, ctx_llm_fn *fn, void *arg,
    struct ctx_err *err)
{
	sqlite3_stmt *q = NULL;
	int rc = 0, step = SQLITE_ROW;

	if (sqlite3_prepare_v2(h, sql, -1, &q, NULL) != SQLITE_OK)
		return fail(h, path, CTX_EINPUT, err);
	while (rc == 0 && (step = sqlite3_step(q)) == SQLITE_ROW)
		rc = fn(arg, ctx_stmt_span(q, 0), err);
	if (rc == 0 && step != SQLITE_DONE)
		rc = fail(h, path, CTX_EIO, err);
	sqlite3_finalize(q);
	return rc;
}

/* What later versions of the older generation added. */
static void
add_members(struct ctx_buf *b, sqlite3 *h)
{
	bool results = has(h, "tool_results");

	if (has(h, "tool_calls") && results)
		ctx_buf_addf(b, old_tools,
		    has_column(h, "tool_results", "exception") ? "t.exception" : "NULL");
	if (has(h, "fragments") && has(h, "prompt_fragments"))
		ctx_buf_addf(b, old_fragments, "fragments", "prompt_fragments");
	if (has(h, "fragments") && has(h, "system_fragments"))
		ctx_buf_addf(b, old_fragments, "system_fragments", "system_fragments");
	if (has(h, "prompt_attachments"))
		ctx_buf_adds(b, old_attachments);
	if (results && has(h, "tool_results_attachments"))
		ctx_buf_adds(b, old_result_attachments);
}

static int
read_old(sqlite3 *h, const char *path, bool newer, ctx_llm_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT, members = CTX_BUF_INIT;
	int rc;

	add_members(&members, h);
	ctx_buf_addf(
	    &sql, old_answers, members.n > 0 ? members.p : "", newer ? not_new : "");
	rc = rows(h, path, sql.p, fn, arg, err);
	ctx_buf_release(&sql);
	ctx_buf_release(&members);
	return rc;
}

static int
read_new(sqlite3 *h, const char *path, ctx_llm_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&sql, new_messages,
	    has_column(h, "threads", "forked_from") ? ", 'forked_from', t.forked_from"
						    : "",
	    has_column(h, "threads", "datetime_utc") ? "t.datetime_utc" : "NULL");
	rc = rows(h, path, sql.p, fn, arg, err);
	ctx_buf_release(&sql);
	return rc;
}

int
ctx_llm_read(const char *path, ctx_llm_fn *fn, void *arg, struct ctx_err *err)
{
	sqlite3 *h = NULL;
	bool older, newer;
	int rc = 0;

	if (sqlite3_open_v2(path, &h, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
		fail(h, path, CTX_EIO, err);
		sqlite3_close(h);
		return -1;
	}
	older = has(h, "responses") && has(h, "conversations");
	newer = has(h, "threads") && has(h, "messages") && has(h, "parts");
	if (!older && !newer)
		rc = ctx_err_set(err, CTX_EINPUT, "'%s' is no database of llm", path);
	if (older)
		rc = read_old(h, path, newer, fn, arg, err);
	if (rc == 0 && newer)
		rc = read_new(h, path, fn, arg, err);
	sqlite3_close(h);
	return rc;
}
