#include "store/summary.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "record/record.h"
#include "store/stmt.h"

void
ctx_store_summary_release(struct ctx_store_summary *m)
{
	free(m->source);
	free(m->message);
	memset(m, 0, sizeof(*m));
}

#define COLUMNS                                                                        \
	"id, previous, first_seq, last_seq, generation, event, created_at, source, body, " \
	"id = (SELECT id FROM summary_current WHERE session_no = ?1)"

static void
read_row(sqlite3_stmt *q, struct ctx_store_summary *m)
{
	ctx_store_summary_release(m);
	m->n = ctx_row_seq(sqlite3_column_int64(q, 0));
	m->previous = sqlite3_column_int64(q, 1);
	m->first = sqlite3_column_int64(q, 2);
	m->last = sqlite3_column_int64(q, 3);
	m->generation = sqlite3_column_int64(q, 4);
	m->event = sqlite3_column_int64(q, 5);
	m->created_at = sqlite3_column_int64(q, 6);
	m->source = ctx_stmt_str(q, 7);
	m->message = ctx_stmt_str(q, 8);
	m->current = sqlite3_column_int(q, 9);
}

int
ctx_store_summary_current(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_summary *out, struct ctx_err *err)
{
	static const char sql[] = "SELECT " COLUMNS " FROM summary WHERE id = "
				  "(SELECT id FROM summary_current WHERE session_no = ?1)";
	sqlite3_stmt *q = ctx_stmt_new(&st->db, sql, err);
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, s->no);
	rc = ctx_stmt_step(&st->db, q, err);
	if (rc == 1)
		read_row(q, out);
	sqlite3_finalize(q);
	return rc;
}

int
ctx_store_summary_use(struct ctx_store *st, const struct ctx_session *s, int64_t n,
    struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(&st->db,
	    n == 0 ? "DELETE FROM summary_current WHERE session_no = ?1"
		   : "INSERT INTO summary_current (session_no, id) VALUES (?1, ?2) "
		     "ON CONFLICT (session_no) DO UPDATE SET id = excluded.id",
	    err);
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, s->no);
	if (n != 0)
		ctx_stmt_bind_int(q, 2, ctx_row_id(s->no, n));
	rc = ctx_stmt_run(&st->db, q, err);
	sqlite3_finalize(q);
	return rc;
}

int
ctx_store_summary_add(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_summary *m, struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO summary (id, previous, first_seq, last_seq, generation, event, "
	    "created_at, source, body) VALUES "
	    "((SELECT coalesce(max(id), ?1) + 1 FROM summary WHERE id BETWEEN ?1 AND ?2), "
	    "?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
	sqlite3_stmt *q = ctx_stmt_new(&st->db, sql, err);
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, ctx_row_id(s->no, 0));
	ctx_stmt_bind_int(q, 2, ctx_row_id(s->no, CTX_SEQ_MAX));
	ctx_stmt_bind_int(q, 3, m->previous);
	ctx_stmt_bind_int(q, 4, m->first);
	ctx_stmt_bind_int(q, 5, m->last);
	ctx_stmt_bind_int(q, 6, m->generation);
	ctx_stmt_bind_int(q, 7, m->event);
	ctx_stmt_bind_int(q, 8, m->created_at);
	ctx_stmt_bind_str(q, 9, m->source);
	ctx_stmt_bind_str(q, 10, m->message);
	rc = ctx_stmt_run(&st->db, q, err);
	if (rc == 0)
		m->n = ctx_row_seq(sqlite3_last_insert_rowid(st->db.h));
	sqlite3_finalize(q);
	if (rc == 0)
		rc = ctx_store_summary_use(st, s, m->n, err);
	m->current = rc == 0;
	return rc;
}

int
ctx_store_summaries(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_summary_fn *fn, void *arg, struct ctx_err *err)
{
	static const char sql[] =
	    "SELECT " COLUMNS " FROM summary WHERE id BETWEEN ?2 AND ?3 ORDER BY id";
	sqlite3_stmt *q = ctx_stmt_new(&st->db, sql, err);
	struct ctx_store_summary m = {0};
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, s->no);
	ctx_stmt_bind_int(q, 2, ctx_row_id(s->no, 0));
	ctx_stmt_bind_int(q, 3, ctx_row_id(s->no, CTX_SEQ_MAX));
	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		read_row(q, &m);
		if (fn(arg, &m, err) < 0) {
			rc = -1;
			break;
		}
	}
	ctx_store_summary_release(&m);
	sqlite3_finalize(q);
	return rc;
}

static int
run_with(struct ctx_store *st, const char *sql, const int64_t v[], int n, struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(&st->db, sql, err);
	int rc;

	if (q == NULL)
		return -1;
	for (int i = 0; i < n; i++)
		ctx_stmt_bind_int(q, i + 1, v[i]);
	rc = ctx_stmt_run(&st->db, q, err);
	sqlite3_finalize(q);
	return rc;
}

int
ctx_store_summary_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    const struct ctx_session *to, struct ctx_err *err)
{
	/* each covers less than the one that took it over, so the chain ends in bounds */
	static const char use_sql[] =
	    "WITH RECURSIVE chain (id, previous, last_seq) AS ("
	    "SELECT id, previous, last_seq FROM summary WHERE id = "
	    "(SELECT id FROM summary_current WHERE session_no = ?1) "
	    "UNION SELECT s.id, s.previous, s.last_seq FROM chain c JOIN summary s "
	    "ON s.id = (?1 << 32) + c.previous AND c.previous > 0) "
	    "INSERT INTO summary_current SELECT ?2, max(id) - (?1 << 32) + (?2 << 32) FROM chain "
	    "WHERE last_seq <= ?3 HAVING max(id) IS NOT NULL";
	const int64_t rows[] = {ctx_row_id(from->no, 0), ctx_row_id(from->no, CTX_SEQ_MAX),
	    ctx_row_id(to->no - from->no, 0), seq};
	const int64_t use[] = {from->no, to->no, seq};

	if (run_with(st,
		"INSERT INTO summary SELECT id + ?3, previous, first_seq, last_seq, generation, 0, "
		"created_at, source, body FROM summary WHERE id BETWEEN ?1 AND ?2 "
		"AND last_seq <= ?4",
		rows, 4, err) < 0)
		return -1;
	return run_with(st, use_sql, use, 3, err);
}

int
ctx_store_summary_purge(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_err *err)
{
	const int64_t rows[] = {ctx_row_id(s->no, 0), ctx_row_id(s->no, CTX_SEQ_MAX)};

	if (ctx_store_summary_use(st, s, 0, err) < 0)
		return -1;
	return run_with(st, "DELETE FROM summary WHERE id BETWEEN ?1 AND ?2", rows, 2, err);
}

void
ctx_store_summary_id(struct ctx_buf *out, const char *session_id,
    const struct ctx_store_summary *m)
{
	ctx_buf_addf(out, "%s/summary/%lld", session_id, (long long)m->n);
}

void
ctx_store_summary_print(struct ctx_buf *out, const char *session_id,
    const struct ctx_store_summary *m)
{
	struct ctx_buf id = CTX_BUF_INIT, metadata = CTX_BUF_INIT;
	struct ctx_envelope e = {.session_id = session_id, .seq = -1,
	    .created_at = m->created_at, .token_count = -1, .message_type = CTX_TYPE_SUMMARY,
	    .slot = ctx_slot_name(CTX_SLOT_SUMMARY), .source = ctx_span_of(m->source),
	    .message = ctx_span_of(m->message)};

	ctx_store_summary_id(&id, session_id, m);
	ctx_json_put_open(&metadata, '{');
	ctx_json_add_int(&metadata, "number", m->n);
	ctx_json_add_int(&metadata, "previous", m->previous);
	ctx_json_add_int(&metadata, "generation", m->generation);
	ctx_json_add_bool(&metadata, "current", m->current);
	ctx_json_put_close(&metadata, '}');
	e.id = ctx_buf_span(&id);
	e.metadata = ctx_buf_span(&metadata);
	ctx_envelope_print(out, &e);
	ctx_buf_release(&id);
	ctx_buf_release(&metadata);
}
