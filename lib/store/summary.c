#include "store/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "json/json.h"
#include "store/row.h"

void
ctx_store_summary_release(struct ctx_store_summary *m)
{
	free(m->source);
	free(m->message);
	memset(m, 0, sizeof(*m));
}

#define COLUMNS                                                                      \
	"id, previous, first_seq, last_seq, generation, event, created_at, source, " \
	"body"

static void
read_summary_row(
    struct ctx_row *r, const struct ctx_session *s, struct ctx_store_summary *m)
{
	ctx_store_summary_release(m);
	m->n = ctx_row_seq(ctx_stmt_int64(r->q, 0));
	m->previous = ctx_row_whole(r, 1, "previous", 0, m->n - (m->n > 0));
	m->first = ctx_row_whole(r, 2, "first_seq", 1, CTX_SEQ_MAX);
	m->last = ctx_row_whole(r, 3, "last_seq", m->first, CTX_SEQ_MAX);
	m->generation = ctx_row_whole(r, 4, "generation", 0, CTX_SEQ_MAX);
	m->event = ctx_row_seq(ctx_row_whole(r, 5, "event", 0, INT64_MAX));
	m->created_at = ctx_row_time(r, 6, "created_at");
	m->source = ctx_span_dup(ctx_row_json(r, 7, "source"));
	m->message = ctx_span_dup(ctx_row_json(r, 8, "body"));
	m->current = m->n == s->summary;
}

int
ctx_store_summary_current(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_summary *out, struct ctx_err *err)
{
	return ctx_store_summary_get(st, s, s->summary, out, err);
}

int
ctx_store_summary_get(struct ctx_store *st, const struct ctx_session *s, int64_t n,
    struct ctx_store_summary *out, struct ctx_err *err)
{
	struct ctx_row r;

	if (n == 0)
		return 0;
	r = ctx_rows(&st->db, "summary", "SELECT " COLUMNS " FROM summary WHERE id = ?1",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, n))), err);
	if (ctx_rows_next(&r))
		read_summary_row(&r, s, out);
	return ctx_rows_found(&r);
}

int
ctx_store_summary_use(
    struct ctx_store *st, struct ctx_session *s, int64_t n, struct ctx_err *err)
{
	if (ctx_stmt_change(&st->db, "UPDATE session SET summary = ?2 WHERE no = ?1",
		CTX_VALUES(ctx_int(s->no), ctx_int(n)), err) < 0)
		return -1;
	s->summary = n;
	return 0;
}

/* Inserts a summary under the number m->n or, if that is 0, under the next number. Sets
 * *id to the row id unless the number exists. */
static int
insert_summary_row(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_store_summary *m, int64_t *id, struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO summary (id, previous, first_seq, last_seq, generation, event, "
	    "created_at, source, body) "
	    "VALUES (coalesce(?11, ("
	    "SELECT coalesce(max(id), ?1) + 1 "
	    "FROM summary "
	    "WHERE id BETWEEN ?1 AND ?2)), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
	    "ON CONFLICT DO NOTHING "
	    "RETURNING id";
	return ctx_stmt_add(&st->db, sql,
	    CTX_VALUES(CTX_SESSION_ROWS(s), ctx_int(m->previous), ctx_int(m->first),
		ctx_int(m->last), ctx_int(m->generation),
		ctx_int(m->event > 0 ? ctx_row_id(s->no, m->event) : 0),
		ctx_int(m->created_at), ctx_str(m->source), ctx_str(m->message),
		ctx_int(m->n > 0 ? ctx_row_id(s->no, m->n) : CTX_TIME_NONE)),
	    id, err);
}

int
ctx_store_summary_add(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_summary *m, struct ctx_err *err)
{
	int64_t id;

	m->n = 0;
	if (insert_summary_row(st, s, m, &id, err) < 0)
		return -1;
	m->n = ctx_row_seq(id);
	m->current = true;
	return ctx_store_summary_use(st, s, m->n, err);
}

int
ctx_store_summary_last(
    struct ctx_store *st, const struct ctx_session *s, int64_t *n, struct ctx_err *err)
{
	return ctx_stmt_last_seq(&st->db, "summary", s->no, n, err);
}

int
ctx_store_summary_restore(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_store_summary *m, struct ctx_err *err)
{
	if (insert_summary_row(st, s, m, NULL, err) < 0)
		return -1;
	return m->current ? ctx_store_summary_use(st, s, m->n, err) : 0;
}

int
ctx_store_summaries(struct ctx_store *st, const struct ctx_session *s,
    ctx_store_summary_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "summary",
	    "SELECT " COLUMNS " FROM summary WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), err);
	struct ctx_store_summary m = {0};

	while (ctx_rows_next(&r)) {
		read_summary_row(&r, s, &m);
		if (!r.wrong)
			r.rc = fn(arg, &m, err);
	}
	ctx_store_summary_release(&m);
	return ctx_rows_end(&r);
}

/* Finds the summary in use, or its newest predecessor, that covers no message after seq;
 * *newest is 0 if there is none. */
static int
newest_until(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    int64_t *newest, struct ctx_err *err)
{
	int64_t m[2]; /* numbers of the predecessor and of the last message */

	*newest = s->summary;
	while (*newest > 0) {
		if (ctx_stmt_ints(&st->db,
			"SELECT previous, last_seq FROM summary WHERE id = ?1",
			CTX_VALUES(ctx_int(ctx_row_id(s->no, *newest))), m, 2, err) < 0)
			return -1;
		if (m[1] > 0 && m[1] <= seq)
			break;
		/* a predecessor has a smaller number, so the chain ends */
		*newest = m[0] < *newest ? m[0] : 0;
	}
	return 0;
}

int
ctx_store_summary_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    struct ctx_session *to, struct ctx_err *err)
{
	int64_t newest;

	if (ctx_stmt_change(&st->db,
		"INSERT INTO summary (id, previous, first_seq, last_seq, generation, "
		"event, created_at, source, body) "
		"SELECT id + ?3, previous, first_seq, last_seq, generation, 0, created_at, "
		"source, body "
		"FROM summary "
		"WHERE id BETWEEN ?1 AND ?2 AND last_seq <= ?4",
		CTX_VALUES(CTX_SESSION_ROWS(from),
		    ctx_int(ctx_row_id(to->no - from->no, 0)), ctx_int(seq)),
		err) < 0)
		return -1;
	if (newest_until(st, from, seq, &newest, err) < 0)
		return -1;
	return newest == 0 ? 0 : ctx_store_summary_use(st, to, newest, err);
}

void
ctx_store_summary_id(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m)
{
	ctx_buf_addf(out, "%s/summary/%lld", session_id, (long long)m->n);
}

void
ctx_store_summary_print(
    struct ctx_buf *out, const char *session_id, const struct ctx_store_summary *m)
{
	ctx_buf_adds(out, "{\"kind\":\"summary\"");
	ctx_json_add_str(out, "session_id", session_id);
	ctx_json_add_int(out, "number", m->n);
	if (m->previous > 0)
		ctx_json_add_int(out, "previous", m->previous);
	ctx_json_add_bool(out, "current", m->current);
	ctx_json_add_time(out, "created_at", m->created_at);
	ctx_json_add_int(out, "first_seq", m->first);
	ctx_json_add_int(out, "last_seq", m->last);
	ctx_json_add_int(out, "generation", m->generation);
	if (m->event > 0)
		ctx_json_add_int(out, "event", m->event);
	ctx_json_add_raw(out, "source", ctx_span_of(m->source));
	ctx_json_add_raw(out, "message", ctx_span_of(m->message));
	ctx_buf_adds(out, "}\n");
}

int
ctx_store_summary_parse(
    struct ctx_store_summary *m, struct ctx_span record, struct ctx_err *err)
{
	struct {
		const char *key;
		int64_t *at;
		int64_t least; /* -1: the member may be missing */
	} ints[] = {{"number", &m->n, 1}, {"previous", &m->previous, -1},
	    {"first_seq", &m->first, 1}, {"last_seq", &m->last, 1},
	    {"generation", &m->generation, 0}, {"event", &m->event, -1}};
	struct ctx_span source = ctx_json_get(record, "source");
	struct ctx_span message = ctx_json_get(record, "message");
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool good = ctx_json_type(source) == CTX_JSON_OBJECT &&
		    ctx_json_type(message) == CTX_JSON_OBJECT;

	for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
		bool there = ctx_json_int(ctx_json_get(record, ints[i].key), ints[i].at);
		good = good &&
		       (there ? *ints[i].at >= 0 && *ints[i].at >= ints[i].least &&
				    *ints[i].at <= CTX_SEQ_MAX
			      : ints[i].least < 0);
	}
	good = good && m->last >= m->first && m->previous < m->n &&
	       ctx_time_parse(ctx_json_text(ctx_json_get(record, "created_at"), &tmp),
		   &m->created_at, err) == 0;
	ctx_buf_release(&tmp);
	if (!good)
		return ctx_err_set(err, CTX_EINPUT, "not a valid summary record");
	m->current = ctx_json_true(ctx_json_get(record, "current"));
	m->source = ctx_span_dup(source);
	m->message = ctx_span_dup(message);
	return 0;
}
