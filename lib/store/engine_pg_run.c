/* The engine for PostgreSQL: runs statements. Statements that must come before one, such
 * as BEGIN, are sent in one message with it. */
#include "store/engine_pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"

/* Target size of one fetch through a cursor in bytes, and the first and the largest
 * number of rows. */
#define FETCH_BYTES ((size_t)4 << 20)
#define FETCH_FIRST 64
#define FETCH_MOST 4096

/* Limits of the queue of statements that are sent with the next one: number and bytes. */
#define LATER_MOST 200
#define LATER_BYTES ((size_t)256 << 10)

#define BINARY 1
#define VALUES_MAX 64 /* more than any statement of the store has */

/* A read of a long session usually needs the first few dozen rows of its range. The server
 * would compile the statement as if all rows were read, which takes longer than the read. */
#define NO_JIT "SET LOCAL jit = off"

/* Starts a write transaction. The derived tables have one writer at a time, as the
 * derived file has on SQLite; appends to the store do not wait for it. */
#define BEGIN_ROWS                               \
	"SELECT pg_current_xact_id()::text, "    \
	"set_config('lock_timeout', $1, true), " \
	"set_config('ctx.tenant', $2, true), "   \
	"set_config('jit', 'off', true)"
#define BEGIN_ALONE \
	BEGIN_ROWS ", pg_advisory_xact_lock(hashtext('ctx derived ' || current_schema()))"

static bool
has_succeeded(const PGresult *r)
{
	ExecStatusType status = PQresultStatus(r);

	return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

static int
send_statement(
    struct ctx_pg *pg, const char *text, const struct ctx_pg_value *values, int n)
{
	const char *bytes[VALUES_MAX];
	int lengths[VALUES_MAX], formats[VALUES_MAX];
	Oid types[VALUES_MAX];

	if (n > VALUES_MAX)
		return -1;
	for (int i = 0; i < n; i++) {
		const struct ctx_pg_value *v = &values[i];
		bool integer = v->type == CTX_PG_INT8;
		types[i] = v->type == 0 ? CTX_PG_TEXT : v->type;
		bytes[i] = v->type == 0 || v->null ? NULL
			   : integer               ? v->integer
			   : v->bytes.n == 0       ? ""
						   : v->bytes.p;
		lengths[i] = integer ? 8 : (int)v->bytes.n;
		formats[i] = BINARY;
	}
	return PQsendQueryParams(
		   pg->c, text, n, types, bytes, lengths, formats, BINARY) == 1
		   ? 0
		   : -1;
}

/* Sets v to the values of the two settings that each transaction makes. */
static void
setting_values(const struct ctx_db *db, struct ctx_pg_value v[2], char wait[24])
{
	snprintf(wait, 24, "%lld", (long long)(db->busy_ms < 1 ? 1 : db->busy_ms));
	v[0] = (struct ctx_pg_value){.type = CTX_PG_TEXT, .bytes = ctx_span_of(wait)};
	/* an invalid tenant has no sessions; the command reports it */
	v[1] = (struct ctx_pg_value){.type = CTX_PG_TEXT,
	    .bytes = ctx_span_of(db->tenant == NULL ? "" : db->tenant)};
	if (!ctx_pg_takes_text(v[1].bytes))
		v[1].bytes = ctx_span_of("");
}

/* "" is as no tenant: neither sees rows of one. */
static bool
has_tenant(const struct ctx_db *db)
{
	return db->tenant != NULL && *db->tenant != '\0';
}

/* Sends the statements that start a transaction, if one is needed. Returns the number of
 * statements sent. A single SELECT is in one transaction with what is sent before it in the
 * same message, without BEGIN and COMMIT. */
static int
send_begin(struct ctx_db *db, bool cursor, bool selects)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct ctx_pg_value v[2];
	char wait[24];
	int n = 1;

	setting_values(db, v, wait);
	if (db->writing) {
		send_statement(pg, "BEGIN ISOLATION LEVEL READ COMMITTED", NULL, 0);
		send_statement(pg,
		    db->kind->schema != NULL && db->kind->derived ? BEGIN_ALONE
								  : BEGIN_ROWS,
		    v, 2);
		return 2;
	}
	if (!db->reading && !cursor && !has_tenant(db))
		return 0;
	if (db->reading || cursor) {
		send_statement(
		    pg, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL, 0);
		send_statement(pg, NO_JIT, NULL, 0);
		n++;
	} else if (selects) {
		n = 0;
	} else {
		send_statement(pg, "BEGIN", NULL, 0);
	}
	if (!has_tenant(db))
		return n;
	send_statement(pg, "SELECT set_config('ctx.tenant', $1, true)", v + 1, 1);
	return n + 1;
}

static bool
is_tenant_sent(const struct ctx_db *db)
{
	const struct ctx_pg *pg = ctx_pg(db);
	const char *want = db->tenant == NULL ? "" : db->tenant;

	return pg->sent_tenant != NULL && strcmp(pg->sent_tenant, want) == 0;
}

/* Returns the result of the next statement in the pipeline. */
static PGresult *
take_result(struct ctx_pg *pg)
{
	PGresult *r = PQgetResult(pg->c), *more;

	while (r != NULL && (more = PQgetResult(pg->c)) != NULL)
		PQclear(more);
	return r;
}

/* Discards all results up to the one that ends the pipeline. */
static void
take_sync(struct ctx_pg *pg)
{
	PGresult *r;
	bool end = false;
	int empty = 0;

	/* NULL separates the results of statements */
	while (!end && empty < 2 && PQstatus(pg->c) == CONNECTION_OK) {
		r = PQgetResult(pg->c);
		empty = r == NULL ? empty + 1 : 0;
		end = r != NULL && PQresultStatus(r) == PGRES_PIPELINE_SYNC;
		PQclear(r);
	}
}

static void
note_xid(struct ctx_pg *pg, const PGresult *r)
{
	snprintf(
	    pg->xid, sizeof(pg->xid), "%.*s", PQgetlength(r, 0, 0), PQgetvalue(r, 0, 0));
}

/* Statements that are sent in one message: the queued statements, then the wanted
 * statement with the statements that must come directly before and after it. */
struct round {
	const char *before[2], *text, *after[2]; /* text: NULL if none is wanted */
	const struct ctx_pg_value *values;
	int n;
	bool cursor; /* the statement uses a cursor, which needs a transaction */
	bool later;  /* send the queued statements */
	bool commit; /* send COMMIT at the end */
};

/* The order of the statements of a message that was sent, by their numbers from 0. */
struct sent {
	int begins; /* number of statements that start a transaction */
	int later;  /* number of queued statements, which follow */
	int wanted; /* the wanted statement; -1: none */
	bool commit;
	int n;
};

static void
send_round(struct ctx_db *db, const struct round *round, struct sent *sent)
{
	struct ctx_pg *pg = ctx_pg(db);
	const struct ctx_pg_value *values = round->values;

	sent->later = round->later ? (int)pg->n_later : 0;
	sent->n = sent->begins + sent->later;
	for (int i = 0; i < sent->later; i++)
		send_statement(
		    pg, pg->later[i].text, pg->later[i].values, pg->later[i].n_values);
	for (int i = 0; i < 2 && round->before[i] != NULL; i++, sent->n++)
		send_statement(pg, round->before[i], round->cursor ? values : NULL,
		    round->cursor ? round->n : 0);
	sent->wanted = round->text == NULL ? -1 : sent->n++;
	if (round->text != NULL)
		send_statement(pg, round->text, round->cursor ? NULL : values,
		    round->cursor ? 0 : round->n);
	for (int i = 0; i < 2 && round->after[i] != NULL; i++, sent->n++)
		send_statement(pg, round->after[i], NULL, 0);
	if (sent->commit) {
		send_statement(pg, "COMMIT", NULL, 0);
		sent->n++;
	}
	PQpipelineSync(pg->c);
}

/* Removes the first n statements from the queue after they were moved to the recorded
 * statements. */
static void
shorten_queue(struct ctx_pg *pg, size_t n)
{
	pg->n_later -= n;
	if (n > 0 && pg->n_later > 0)
		memmove(pg->later, pg->later + n, pg->n_later * sizeof(*pg->later));
	if (pg->n_later == 0)
		pg->later_bytes = 0;
}

/* Reads the results, and stores that of the wanted statement in *wanted. The results of the
 * others are used only to detect failures, for the transaction's number, and to record the
 * queued statements. Returns 0, or -1 with the failure recorded. */
static int
take_results(struct ctx_db *db, const struct sent *sent, PGresult **wanted)
{
	struct ctx_pg *pg = ctx_pg(db);
	size_t done = 0;
	int rc = 0;

	*wanted = NULL;
	for (int i = 0; i < sent->n && rc == 0; i++) {
		PGresult *r = take_result(pg);
		if (r == NULL || !has_succeeded(r))
			rc = ctx_pg_note(db, r);
		else if (db->writing && i == 1 && sent->begins == 2)
			note_xid(pg, r);
		else if (i >= sent->begins && i < sent->begins + sent->later)
			ctx_pg_note_done(pg, &pg->later[done++], r);
		else if (sent->commit && i + 1 == sent->n &&
			 strcmp(PQcmdStatus(r), "COMMIT") != 0)
			/* the transaction had failed before */
			rc = ctx_pg_note(db, NULL);
		if (rc == 0 && i == sent->wanted)
			*wanted = r;
		else
			PQclear(r);
	}
	take_sync(pg);
	shorten_queue(pg, done);
	if (rc < 0)
		PQclear(*wanted);
	return rc;
}

static int
run_round(struct ctx_db *db, const struct round *round, PGresult **wanted)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct sent sent = {.commit = round->commit};
	struct ctx_pg_value v[2];
	bool alone = false,
	     selects = round->text != NULL && strncmp(round->text, "SELECT ", 7) == 0;
	char wait[24];
	int rc;

	if (PQenterPipelineMode(pg->c) != 1)
		return ctx_pg_note(db, NULL);
	if (!pg->begun) {
		sent.begins = send_begin(db, round->cursor, selects);
		alone = !db->writing && !db->reading && !round->cursor;
		pg->begun = sent.begins > 0 && !alone;
		pg->implicit = pg->begun && !db->writing && !db->reading;
	} else if (!is_tenant_sent(db)) {
		setting_values(db, v, wait);
		send_statement(pg, "SELECT set_config('ctx.tenant', $1, true)", v + 1, 1);
		sent.begins = 1;
	}
	free(pg->sent_tenant);
	pg->sent_tenant = ctx_mem_str(db->tenant == NULL ? "" : db->tenant);
	if (alone && sent.begins > 0 && !selects)
		sent.commit = true;
	send_round(db, round, &sent);
	rc = take_results(db, &sent, wanted);
	PQexitPipelineMode(pg->c);
	if (rc < 0 && alone && !selects && !pg->lost)
		PQclear(PQexec(pg->c, "ROLLBACK"));
	return rc;
}

/* Runs the wanted statement without others. */
static PGresult *
run_alone(struct ctx_db *db, const struct round *round)
{
	struct ctx_pg *pg = ctx_pg(db);
	PGresult *r = NULL;

	if (send_statement(pg, round->text, round->values, round->n) == 0)
		r = take_result(pg);
	if (r != NULL && has_succeeded(r))
		return r;
	ctx_pg_note(db, r);
	PQclear(r);
	return NULL;
}

/* Sends the round, without a retry. Sets *r to the result of the wanted statement, if
 * there is one. Returns 0, or -1 with the failure recorded. */
static int
run_once(struct ctx_db *db, const struct round *round, PGresult **r)
{
	struct ctx_pg *pg = ctx_pg(db);
	bool due = pg->begun ? !is_tenant_sent(db)
			     : db->writing || db->reading || has_tenant(db);

	*r = NULL;
	if (PQstatus(pg->c) != CONNECTION_OK)
		return ctx_pg_note(db, NULL);
	if (due || round->text == NULL || round->cursor || round->before[0] != NULL ||
	    (round->later && pg->n_later > 0))
		return run_round(db, round, r);
	*r = run_alone(db, round);
	return *r == NULL ? -1 : 0;
}

/* Makes the connection usable again after a transient failure. Returns 0 or -1. */
static int
recover(struct ctx_db *db, int64_t deadline)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct ctx_err ignored = CTX_ERR_INIT;

	if (db->writing)
		return ctx_pg_redo(db, deadline);
	if (pg->cursors > 0 || (db->reading && pg->read_something))
		return -1;
	if (pg->lost)
		return ctx_pg_connect(db, deadline, &ignored);
	if (pg->begun)
		PQclear(PQexec(pg->c, "ROLLBACK"));
	pg->begun = pg->implicit = false;
	return 0;
}

/* Sends the round with the queued statements. Retries after a transient failure. */
static int
run_until(struct ctx_db *db, struct round *round, PGresult **r)
{
	struct ctx_pg *pg = ctx_pg(db);
	int64_t deadline = ctx_time_monotonic() + db->busy_ms;

	round->later = true;
	while (run_once(db, round, r) < 0)
		if (!ctx_pg_is_passing(pg) || ctx_time_monotonic() > deadline ||
		    recover(db, deadline) < 0)
			return -1;
	return 0;
}

int
ctx_pg_run_later(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct round round = {.text = NULL};
	PGresult *none;

	CTX_MEM_GROW(pg->later, pg->n_later, pg->cap_later);
	ctx_pg_copy_done(&pg->later[pg->n_later], text, values, n);
	pg->later_bytes += pg->later[pg->n_later++].bytes;
	return pg->n_later < LATER_MOST && pg->later_bytes < LATER_BYTES
		   ? 0
		   : run_until(db, &round, &none);
}

int
ctx_pg_send_commit(struct ctx_db *db)
{
	struct round round = {.later = true, .commit = true};
	PGresult *none;

	return run_once(db, &round, &none);
}

static PGresult *
run_wanted(struct ctx_db *db, struct round *round)
{
	PGresult *r;

	if (run_until(db, round, &r) < 0)
		return NULL;
	ctx_pg(db)->read_something = true;
	if (db->writing && !round->cursor)
		ctx_pg_remember(db, round->text, round->values, round->n, r);
	return r;
}

PGresult *
ctx_pg_run(struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n)
{
	struct round round = {.text = text, .values = values, .n = n};

	return run_wanted(db, &round);
}

PGresult *
ctx_pg_run_once(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n)
{
	struct round round = {.text = text, .values = values, .n = n};
	PGresult *r;

	return run_once(db, &round, &r) < 0 ? NULL : r;
}

int
ctx_pg_do_text(struct ctx_db *db, const char *text)
{
	struct ctx_pg *pg = ctx_pg(db);
	PGresult *r;
	int rc = 0;

	pg->replayable = false;
	r = PQexec(pg->c, text);
	if (!has_succeeded(r))
		rc = ctx_pg_note(db, r);
	PQclear(r);
	return rc;
}

int
ctx_pg_do_all(struct ctx_db *db, const char *text)
{
	int rc = 0;

	while (rc == 0 && *(text += strspn(text, "; \n")) != '\0') {
		size_t n = strcspn(text, ";");
		char *one = ctx_mem_dup(text, n);
		PGresult *r = ctx_pg_run(db, one, NULL, 0);
		rc = r == NULL ? -1 : 0;
		PQclear(r);
		free(one);
		text += n;
	}
	return rc;
}

PGresult *
ctx_pg_run_apart(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n)
{
	struct round round = {.before = {"SAVEPOINT apart"},
	    .text = text,
	    .after = {"RELEASE SAVEPOINT apart"},
	    .values = values,
	    .n = n};
	struct ctx_pg *pg = ctx_pg(db);
	PGresult *r;

	if (!db->writing)
		return ctx_pg_run(db, text, values, n);
	r = run_wanted(db, &round);
	if (r == NULL && !pg->lost && PQtransactionStatus(pg->c) == PQTRANS_INERROR)
		PQclear(PQexec(pg->c, "ROLLBACK TO SAVEPOINT apart"));
	return r;
}

/* ---- cursors ---- */

PGresult *
ctx_pg_open_cursor(struct ctx_db *db, struct ctx_pg_stmt *q)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct ctx_buf declare = CTX_BUF_INIT, fetch = CTX_BUF_INIT;
	unsigned no = ++pg->last_cursor;
	struct round round = {.values = q->values, .n = q->n_values, .cursor = true};
	PGresult *r;

	q->fetch = FETCH_FIRST;
	ctx_buf_addf(&declare, "DECLARE c%u NO SCROLL CURSOR FOR %s", no, q->text);
	ctx_buf_addf(&fetch, "FETCH FORWARD %d FROM c%u", q->fetch, no);
	round.before[0] = declare.p;
	round.text = fetch.p;
	r = run_wanted(db, &round);
	if (r != NULL) {
		q->cursor = no;
		pg->cursors++;
		if (db->writing)
			pg->replayable = false;
	}
	ctx_buf_release(&declare);
	ctx_buf_release(&fetch);
	return r;
}

/* Returns how many rows to fetch next to get about FETCH_BYTES, judging by the size of
 * the last ones. */
static int
next_fetch(const struct ctx_pg_stmt *q)
{
	size_t bytes = q->rows == NULL ? 0 : PQresultMemorySize(q->rows);
	size_t each = bytes / (size_t)(q->fetch < 1 ? 1 : q->fetch) + 1;
	size_t n = FETCH_BYTES / each;

	if (n > (size_t)q->fetch * 8)
		n = (size_t)q->fetch * 8;
	return n < 1 ? 1 : n > FETCH_MOST ? FETCH_MOST : (int)n;
}

PGresult *
ctx_pg_fetch(struct ctx_db *db, struct ctx_pg_stmt *q)
{
	char text[64];
	struct round round = {.text = text};

	q->fetch = next_fetch(q);
	snprintf(text, sizeof(text), "FETCH FORWARD %d FROM c%u", q->fetch, q->cursor);
	return run_alone(db, &round);
}

void
ctx_pg_close_cursor(struct ctx_db *db, struct ctx_pg_stmt *q)
{
	struct ctx_pg *pg = ctx_pg(db);
	char text[32];

	if (q->cursor == 0)
		return;
	snprintf(text, sizeof(text), "CLOSE c%u", q->cursor);
	q->cursor = 0;
	if (pg->cursors > 0)
		pg->cursors--;
	/* cursors of an implicit transaction end with the transaction */
	if (!(pg->implicit && pg->cursors == 0) &&
	    PQtransactionStatus(pg->c) == PQTRANS_INTRANS)
		PQclear(PQexec(pg->c, text));
	ctx_pg_end_implicit(db);
}

void
ctx_pg_end_implicit(struct ctx_db *db)
{
	struct ctx_pg *pg = ctx_pg(db);

	if (!pg->implicit || pg->cursors > 0)
		return;
	PQclear(PQexec(pg->c, "COMMIT"));
	pg->implicit = pg->begun = false;
}

int
ctx_pg_drain_cursors(struct ctx_db *db)
{
	struct ctx_pg *pg = ctx_pg(db);
	char text[48];
	struct round round = {.text = text};

	for (struct ctx_pg_stmt *q = pg->statements; pg->implicit && q != NULL;
	     q = q->next) {
		if (q->cursor == 0)
			continue;
		snprintf(text, sizeof(text), "FETCH ALL FROM c%u", q->cursor);
		q->rest = run_alone(db, &round);
		if (q->rest == NULL)
			return -1;
		ctx_pg_close_cursor(db, q);
	}
	ctx_pg_end_implicit(db);
	return 0;
}
