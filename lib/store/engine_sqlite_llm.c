#include "store/llm.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/engine_sqlite.h"
#include "store/row.h"

/* An empty id counts as absent. An answer without an id is named after its row. */
#define ANSWER_ID "coalesce(nullif(r.id, ''), 'row-' || r.rowid)"
#define ANSWER_SESSION "coalesce(nullif(r.conversation_id, ''), " ANSWER_ID ")"

static const char old_answers[] =
    "SELECT json_object('conversation', json_object('id', " ANSWER_SESSION
    ", 'name', c.name, 'model', coalesce(c.model, r.model)), 'time', r.datetime_utc, "
    "'response', json_object('id', " ANSWER_ID ", "
    "'model', r.model, 'prompt', r.prompt, 'system', r.system, 'response', "
    "r.response, 'time', r.datetime_utc%s)) "
    "FROM responses r "
    "LEFT JOIN conversations c ON c.id = r.conversation_id "
    "WHERE r.rowid = ?1";
static const char old_tools[] =
    ", 'tool_calls', (SELECT json_group_array(json_object('name', t.name, "
    "'arguments', t.arguments, 'tool_call_id', t.tool_call_id)) FROM tool_calls t "
    "WHERE t.response_id = r.id), 'tool_results', (SELECT "
    "json_group_array(json_object('name', t.name, 'output', t.output, "
    "'tool_call_id', t.tool_call_id, 'exception', %s)) FROM tool_results t WHERE "
    "t.response_id = r.id)";
/* fragments of the prompt, and of the system prompt */
static const char old_fragments[] =
    ", '%s', (SELECT json_group_array(content) FROM (SELECT f.content FROM %s p "
    "JOIN fragments f ON f.id = p.fragment_id WHERE p.response_id = r.id ORDER BY "
    "p.\"order\"))";
static const char old_attachments[] =
    ", 'attachments', (SELECT count(*) FROM prompt_attachments a WHERE a.response_id = r.id)";
static const char old_result_attachments[] =
    ", 'result_attachments', (SELECT count(*) FROM tool_results_attachments a JOIN "
    "tool_results t ON t.id = a.tool_result_id WHERE t.response_id = r.id)";

/* Rows are listed by number, so that each is read or rejected by itself. ?1 and ?2 are
 * the rows whose keys cannot be read. */
static const char list_answers[] =
    "SELECT r.rowid "
    "FROM responses r "
    "WHERE r.rowid NOT IN (SELECT value FROM json_each(?1)) "
    "ORDER BY " ANSWER_SESSION ", r.datetime_utc, r.rowid";
static const char list_answers_not_new[] =
    "SELECT r.rowid "
    "FROM responses r "
    "WHERE r.rowid NOT IN (SELECT value FROM json_each(?1)) "
    "AND " ANSWER_SESSION " NOT IN ("
    "SELECT id "
    "FROM threads "
    "WHERE rowid NOT IN (SELECT value FROM json_each(?2)) AND id IS NOT NULL) "
    "ORDER BY " ANSWER_SESSION ", r.datetime_utc, r.rowid";
static const char list_threads[] = "SELECT rowid "
				   "FROM threads "
				   "WHERE rowid NOT IN (SELECT value FROM json_each(?1)) "
				   "ORDER BY rowid";

/* Queries that follow the chain from a thread's newest message to its first. */
static const char find_tip[] = "SELECT m.rowid "
			       "FROM threads t "
			       "JOIN messages m ON m.hash = t.tip_message_hash "
			       "WHERE t.rowid = ?1";
static const char find_parent[] = "SELECT p.rowid "
				  "FROM messages m "
				  "JOIN messages p ON p.hash = m.parent_hash "
				  "WHERE m.rowid = ?1";
static const char new_message[] =
    "SELECT json_object('conversation', json_object('id', t.id, 'name', t.name%s), "
    "'time', %s, 'message', json_object('hash', m.hash, 'role', m.role, 'parts', ("
    "SELECT json_group_array(json(part)) "
    "FROM ("
    "SELECT json_object('type', p.type, 'name', p.tool_name, 'payload', "
    "json(CASE WHEN json_valid(p.payload) THEN p.payload END), 'text', "
    "coalesce(p.text, (SELECT group_concat(coalesce( (SELECT f.content FROM "
    "fragments f WHERE f.id = s.value ->> 'fragment'), s.value ->> 'literal'), "
    "'') FROM json_each(CASE WHEN json_valid(p.payload) THEN p.payload END, "
    "'$.text_ref') s))) AS part "
    "FROM parts p "
    "WHERE p.message_hash = m.hash "
    "ORDER BY p.position)))) "
    "FROM threads t "
    "JOIN messages m "
    "WHERE t.rowid = ?1 AND m.rowid = ?2";

static void
add_row_no(struct ctx_numbers *r, int64_t no)
{
	CTX_MEM_GROW(r->v, r->n, r->cap);
	r->v[r->n++] = no;
}

/* Reports a row that cannot be read. Returns 0 to continue with other rows, -1 to
 * stop. */
static int
tell_bad(const struct ctx_llm_sink *to, struct ctx_err *err, const char *what, int64_t no)
{
	if (err->code != CTX_EINPUT)
		return -1;
	ctx_err_prefix(err, "%s %lld", what, (long long)no);
	return to->bad(to->arg, err);
}

/* Lists the row numbers that a query returns; one and two are texts to bind, or NULL. */
static int
list_rows(struct ctx_foreign *f, struct ctx_numbers *out, const char *sql,
    const char *one, const char *two, struct ctx_err *err)
{
	struct ctx_stmt *q = NULL;
	int rc = ctx_foreign_prepare(f, &q, sql, err);

	if (rc == 0)
		ctx_stmt_bind(q, CTX_VALUES(ctx_str(one), ctx_str(two)));
	while (rc == 0 && (rc = ctx_foreign_step(f, q, err)) > 0) {
		add_row_no(out, ctx_stmt_int64(q, 0));
		rc = 0;
	}
	ctx_stmt_close(q);
	return rc;
}

/* Appends a JSON array of the rows whose keys cannot be read to bad. */
static int
find_bad_keys(struct ctx_foreign *f, struct ctx_buf *bad, const char *all,
    const char *keys, const char *what, const struct ctx_llm_sink *to,
    struct ctx_err *err)
{
	struct ctx_numbers r = {NULL, 0, 0};
	struct ctx_stmt *q = NULL;
	int rc = list_rows(f, &r, all, NULL, NULL, err);

	ctx_buf_addc(bad, '[');
	if (rc == 0)
		rc = ctx_foreign_prepare(f, &q, keys, err);
	for (size_t i = 0; rc == 0 && i < r.n; i++) {
		sqlite3_bind_int64(ctx_sqlite_stmt(q), 1, r.v[i]);
		if (ctx_foreign_step(f, q, err) < 0) {
			ctx_buf_addf(bad, "%s%lld", bad->p[bad->n - 1] == '[' ? "" : ",",
			    (long long)r.v[i]);
			rc = tell_bad(to, err, what, r.v[i]);
		}
		ctx_stmt_reset(q);
	}
	ctx_buf_addc(bad, ']');
	ctx_stmt_close(q);
	free(r.v);
	return rc;
}

/* Passes the row that the query returns to the caller. */
static int
read_llm_row(struct ctx_foreign *f, struct ctx_stmt *q, const char *what, int64_t no,
    const struct ctx_llm_sink *to, struct ctx_err *err)
{
	int rc = ctx_foreign_step(f, q, err);

	if (rc > 0)
		rc = to->row(to->arg, ctx_stmt_span(q, 0), err);
	else if (rc < 0)
		rc = tell_bad(to, err, what, no);
	ctx_stmt_reset(q);
	return rc;
}

/* Appends SQL for the members that later versions of the older tables added. */
static void
append_llm_members(struct ctx_buf *b, struct ctx_foreign *f)
{
	bool results = ctx_foreign_has(f, "tool_results");

	if (ctx_foreign_has(f, "tool_calls") && results)
		ctx_buf_addf(b, old_tools,
		    ctx_foreign_has(f, "tool_results.exception") ? "t.exception"
								 : "NULL");
	if (ctx_foreign_has(f, "fragments") && ctx_foreign_has(f, "prompt_fragments"))
		ctx_buf_addf(b, old_fragments, "fragments", "prompt_fragments");
	if (ctx_foreign_has(f, "fragments") && ctx_foreign_has(f, "system_fragments"))
		ctx_buf_addf(b, old_fragments, "system_fragments", "system_fragments");
	if (ctx_foreign_has(f, "prompt_attachments"))
		ctx_buf_adds(b, old_attachments);
	if (results && ctx_foreign_has(f, "tool_results_attachments"))
		ctx_buf_adds(b, old_result_attachments);
}

/* Reads the older tables. threads: JSON array of threads that cannot be read; NULL if
 * there are no newer tables. */
static int
read_old(struct ctx_foreign *f, const char *threads, const struct ctx_llm_sink *to,
    struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT, members = CTX_BUF_INIT, bad = CTX_BUF_INIT;
	struct ctx_numbers r = {NULL, 0, 0};
	struct ctx_stmt *q = NULL;
	int rc;

	append_llm_members(&members, f);
	ctx_buf_addf(&sql, old_answers, members.n > 0 ? members.p : "");
	rc = find_bad_keys(f, &bad, "SELECT rowid FROM responses",
	    "SELECT conversation_id, id, datetime_utc FROM responses WHERE rowid = ?1",
	    "response", to, err);
	if (rc == 0)
		rc = list_rows(f, &r,
		    threads == NULL ? list_answers : list_answers_not_new, bad.p, threads,
		    err);
	if (rc == 0)
		rc = ctx_foreign_prepare(f, &q, sql.p, err);
	for (size_t i = 0; rc == 0 && i < r.n; i++) {
		sqlite3_bind_int64(ctx_sqlite_stmt(q), 1, r.v[i]);
		rc = read_llm_row(f, q, "response", r.v[i], to, err);
	}
	ctx_stmt_close(q);
	free(r.v);
	ctx_buf_release(&sql);
	ctx_buf_release(&members);
	ctx_buf_release(&bad);
	return rc;
}

/* Returns the number of rows before a circular chain repeats itself, given that its last
 * row occurred behind rows earlier. */
static size_t
find_repeat(const struct ctx_numbers *chain, size_t behind)
{
	size_t i = 0;

	while (chain->v[i] != chain->v[i + behind])
		i++;
	return i + behind;
}

/* Lists the rows of a thread's messages, newest first. Returns 0, 1 if they form a circle
 * (each is listed once), -1 on error. */
static int
walk_chain(struct ctx_foreign *f, struct ctx_stmt *tip, struct ctx_stmt *parent,
    int64_t thread, struct ctx_numbers *chain, struct ctx_err *err)
{
	struct ctx_stmt *q = tip;
	/* Brent's algorithm: compare with one earlier row, which moves on at powers of 2 */
	size_t mark = 0, next = 1;
	int64_t at = thread;
	int rc;

	chain->n = 0;
	for (;;) {
		sqlite3_bind_int64(ctx_sqlite_stmt(q), 1, at);
		rc = ctx_foreign_step(f, q, err);
		at = rc > 0 ? ctx_stmt_int64(q, 0) : 0;
		ctx_stmt_reset(q);
		if (rc <= 0)
			return rc;
		add_row_no(chain, at);
		if (chain->n > 1 && chain->v[mark] == at) {
			chain->n = find_repeat(chain, chain->n - 1 - mark);
			return 1;
		}
		if (chain->n == next) {
			mark = chain->n - 1;
			next *= 2;
		}
		q = parent;
	}
}

struct thread_reader {
	struct ctx_foreign *f;
	struct ctx_stmt *tip, *parent, *message;
	struct ctx_numbers chain;
};

static int
read_thread(struct thread_reader *r, int64_t thread, const struct ctx_llm_sink *to,
    struct ctx_err *err)
{
	int rc = walk_chain(r->f, r->tip, r->parent, thread, &r->chain, err);

	if (rc > 0) {
		ctx_err_set(err, CTX_EINPUT,
		    "the messages of the thread refer to each other in a circle");
		rc = -1;
	}
	if (rc < 0)
		rc = tell_bad(to, err, "thread", thread);
	for (size_t i = r->chain.n; rc == 0 && i-- > 0;) {
		sqlite3_bind_int64(ctx_sqlite_stmt(r->message), 1, thread);
		sqlite3_bind_int64(ctx_sqlite_stmt(r->message), 2, r->chain.v[i]);
		rc = read_llm_row(r->f, r->message, "message", r->chain.v[i], to, err);
	}
	return rc;
}

static int
read_new(struct ctx_foreign *f, const char *bad, const struct ctx_llm_sink *to,
    struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	struct thread_reader r = {.f = f};
	struct ctx_numbers threads = {NULL, 0, 0};
	int rc;

	ctx_buf_addf(&sql, new_message,
	    ctx_foreign_has(f, "threads.forked_from") ? ", 'forked_from', t.forked_from"
						      : "",
	    ctx_foreign_has(f, "threads.datetime_utc") ? "t.datetime_utc" : "NULL");
	rc = list_rows(f, &threads, list_threads, bad, NULL, err);
	if (rc == 0 && (ctx_foreign_prepare(f, &r.tip, find_tip, err) < 0 ||
			   ctx_foreign_prepare(f, &r.parent, find_parent, err) < 0 ||
			   ctx_foreign_prepare(f, &r.message, sql.p, err) < 0))
		rc = -1;
	for (size_t i = 0; rc == 0 && i < threads.n; i++)
		rc = read_thread(&r, threads.v[i], to, err);
	ctx_stmt_close(r.tip);
	ctx_stmt_close(r.parent);
	ctx_stmt_close(r.message);
	free(r.chain.v);
	free(threads.v);
	ctx_buf_release(&sql);
	return rc;
}

int
ctx_llm_read(struct ctx_foreign *f, const struct ctx_llm_sink *to, struct ctx_err *err)
{
	/* columns by which the rows of one answer or message are found */
	static const char *const keys[] = {"conversations.id", "tool_calls.response_id",
	    "tool_results.response_id", "prompt_fragments.response_id",
	    "system_fragments.response_id", "prompt_attachments.response_id",
	    "messages.hash", "parts.message_hash", NULL};
	bool older = ctx_foreign_has(f, "responses") &&
		     ctx_foreign_has(f, "conversations");
	bool newer = ctx_foreign_has(f, "threads") && ctx_foreign_has(f, "messages") &&
		     ctx_foreign_has(f, "parts");
	struct ctx_buf bad = CTX_BUF_INIT;
	int rc = 0;

	if (!older && !newer)
		rc = ctx_err_set(err, CTX_EINPUT, "not a database of the tool llm");
	if (rc == 0)
		rc = ctx_foreign_index(f, keys, err);
	if (rc == 0 && newer)
		rc = find_bad_keys(f, &bad, "SELECT rowid FROM threads",
		    "SELECT id, tip_message_hash FROM threads WHERE rowid = ?1", "thread",
		    to, err);
	if (rc == 0 && older)
		rc = read_old(f, newer ? bad.p : NULL, to, err);
	if (rc == 0 && newer)
		rc = read_new(f, bad.p, to, err);
	ctx_buf_release(&bad);
	return rc;
}
