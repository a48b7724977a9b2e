/* The engine for PostgreSQL: transactions, and how they are run again. */
#include "store/engine_pg.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"

/* A larger transaction is not run again: it fails, and the caller repeats it. */
#define DONE_BYTES ((size_t)64 << 20)

/* ---- recording ---- */

static uint64_t
add_digest_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *bytes = p;

	for (size_t i = 0; i < n; i++)
		h = ctx_hash_add(h, bytes[i]);
	return h;
}

static uint64_t
digest_answer(const PGresult *r)
{
	uint64_t h = CTX_HASH_START;
	int rows = PQntuples(r), columns = PQnfields(r);
	const char *changed = PQcmdTuples((PGresult *)r);

	h = add_digest_bytes(h, &rows, sizeof(rows));
	h = add_digest_bytes(h, changed, strlen(changed));
	for (int i = 0; i < rows; i++)
		for (int c = 0; c < columns; c++) {
			int n = PQgetisnull(r, i, c) ? -1 : PQgetlength(r, i, c);
			h = add_digest_bytes(h, &n, sizeof(n));
			if (n > 0)
				h = add_digest_bytes(h, PQgetvalue(r, i, c), (size_t)n);
		}
	return h;
}

void
ctx_pg_copy_done(
    struct ctx_pg_done *d, const char *text, const struct ctx_pg_value *values, int n)
{
	*d = (struct ctx_pg_done){.text = ctx_mem_str(text),
	    .values = ctx_mem_new((size_t)(n + 1) * sizeof(*d->values)),
	    .n_values = n};
	for (int i = 0; i < n; i++) {
		d->values[i] = values[i];
		if (values[i].type != CTX_PG_INT8 && values[i].bytes.p != NULL)
			d->values[i].bytes.p = ctx_mem_dup(
			    values[i].bytes.p, values[i].bytes.n);
		d->bytes += values[i].bytes.n + sizeof(values[i]);
	}
}

void
ctx_pg_release_done(struct ctx_pg_done *d)
{
	for (int v = 0; v < d->n_values; v++)
		if (d->values[v].type != CTX_PG_INT8)
			free((char *)d->values[v].bytes.p);
	free(d->values);
	free(d->text);
}

void
ctx_pg_note_done(struct ctx_pg *pg, struct ctx_pg_done *d, const PGresult *r)
{
	if (!pg->replayable) {
		ctx_pg_release_done(d);
		return;
	}
	d->answer = digest_answer(r);
	CTX_MEM_GROW(pg->done, pg->n_done, pg->cap_done);
	pg->done[pg->n_done++] = *d;
	pg->done_bytes += d->bytes;
	if (pg->done_bytes > DONE_BYTES)
		ctx_pg_forget(pg);
}

void
ctx_pg_remember(struct ctx_db *db, const char *text, const struct ctx_pg_value *values,
    int n, const PGresult *r)
{
	struct ctx_pg_done d;

	if (!ctx_pg(db)->replayable)
		return;
	ctx_pg_copy_done(&d, text, values, n);
	ctx_pg_note_done(ctx_pg(db), &d, r);
}

void
ctx_pg_forget(struct ctx_pg *pg)
{
	for (size_t i = 0; i < pg->n_done; i++)
		ctx_pg_release_done(&pg->done[i]);
	pg->n_done = 0;
	pg->done_bytes = 0;
	pg->replayable = false;
}

/* ---- running again ---- */

static int
note_change(struct ctx_pg *pg)
{
	memcpy(pg->state, "40001", 6);
	pg->lost = false;
	return -1;
}

/* Runs the recorded statements again. Returns 1 if all results are the same as before, 0
 * after a transient failure, -1 otherwise. */
static int
replay(struct ctx_db *db)
{
	struct ctx_pg *pg = ctx_pg(db);
	bool replayable = pg->replayable;
	int rc = 1;

	pg->replayable = false; /* the statements are recorded already */
	for (size_t i = 0; rc == 1 && i < pg->n_done; i++) {
		const struct ctx_pg_done *d = &pg->done[i];
		PGresult *r = ctx_pg_run_once(db, d->text, d->values, d->n_values);
		if (r == NULL)
			rc = ctx_pg_is_passing(pg) ? 0 : note_change(pg);
		else if (digest_answer(r) != d->answer)
			rc = note_change(pg);
		PQclear(r);
	}
	pg->replayable = replayable;
	return rc;
}

int
ctx_pg_redo(struct ctx_db *db, int64_t deadline)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct ctx_err ignored = CTX_ERR_INIT;
	struct timespec pause = {0, 5000000};
	int rc = 0;

	if (!pg->replayable)
		return -1;
	while (rc == 0) {
		if (pg->lost || PQstatus(pg->c) != CONNECTION_OK) {
			if (ctx_pg_connect(db, deadline, &ignored) < 0)
				return -1;
		} else {
			PQclear(PQexec(pg->c, "ROLLBACK"));
		}
		pg->begun = false;
		rc = replay(db);
		if (rc == 0 && ctx_time_monotonic() > deadline)
			return -1;
		if (rc == 0)
			nanosleep(&pause, NULL);
	}
	return rc < 0 ? -1 : 0;
}

/* ---- transactions ---- */

int
ctx_pg_begin(struct ctx_db *db, struct ctx_err *err)
{
	struct ctx_pg *pg = ctx_pg(db);

	/* BEGIN is sent with the first statement */
	if (ctx_pg_drain_cursors(db) < 0)
		return ctx_pg_stmt_fail(db, err, "cannot read");
	db->writing = true;
	pg->begun = pg->failed = false;
	ctx_pg_forget(pg);
	pg->replayable = true;
	return 0;
}

static void
end_write(struct ctx_db *db)
{
	struct ctx_pg *pg = ctx_pg(db);

	for (struct ctx_pg_stmt *q = pg->statements; q != NULL; q = q->next)
		if (q->cursor != 0) {
			q->cursor = 0;
			q->done = true;
		}
	pg->cursors = 0;
	db->writing = false;
	pg->begun = pg->implicit = false;
	for (size_t i = 0; i < pg->n_later; i++)
		ctx_pg_release_done(&pg->later[i]);
	pg->n_later = pg->later_bytes = 0;
	ctx_pg_forget(pg);
}

/* Returns the last insertion of a message among n recorded statements; NULL if there is
 * none. */
static const struct ctx_pg_done *
find_witness(const struct ctx_pg_done *d, size_t n)
{
	while (n-- > 0)
		if (strncmp(d[n].text, "INSERT INTO message (id, ", 25) == 0 &&
		    d[n].n_values > 9)
			return &d[n];
	return NULL;
}

/* Returns true if the transaction's last message is in the table. The transaction's
 * number is not enough: after a crash the server gives the number of a transaction of
 * which nothing was on disk to another one, which may even have written a message in the
 * same place. If no message was inserted, the transaction is run again: if it had been
 * committed, its statements have other results, and it fails. */
static bool
is_witnessed(struct ctx_db *db, const char *xid)
{
	struct ctx_pg *pg = ctx_pg(db);
	const struct ctx_pg_done *d = find_witness(pg->later, pg->n_later);
	struct ctx_pg_value v[4];
	PGresult *r;
	bool there;

	if (d == NULL)
		d = find_witness(pg->done, pg->n_done);
	if (d == NULL)
		return false;
	v[0] = d->values[0];
	v[1] = (struct ctx_pg_value){.type = CTX_PG_TEXT, .bytes = ctx_span_of(xid)};
	v[2] = d->values[4];
	v[3] = d->values[9];
	r = ctx_pg_run_once(db,
	    "SELECT 1 "
	    "FROM message "
	    "WHERE id = $1 AND xmin::text = (($2::numeric) % 4294967296)::text "
	    "AND created_at = $3 AND body = $4",
	    v, 4);
	there = r != NULL && PQntuples(r) == 1;
	PQclear(r);
	return there;
}

/* Finds out what became of a transaction whose response to COMMIT was lost. Returns 1 if
 * it was committed, 0 if not, -1 if that cannot be known. */
static int
was_committed(struct ctx_db *db, int64_t deadline)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_pg_value v = {.type = CTX_PG_TEXT};
	struct timespec pause = {0, 20000000};
	char xid[sizeof(pg->xid)];
	int rc = -2;

	memcpy(xid, pg->xid, sizeof(xid));
	v.bytes = ctx_span_of(xid);
	while (rc == -2) {
		PGresult *r = NULL;
		if (ctx_pg_connect(db, deadline, &ignored) < 0)
			return -1;
		/* run the next statement outside of the transaction */
		db->writing = false;
		r = ctx_pg_run_once(db, "SELECT pg_xact_status($1::xid8)", &v, 1);
		if (r == NULL)
			rc = pg->lost ? -2 : strcmp(pg->state, "22023") == 0 ? 0 : -1;
		else if (PQgetisnull(r, 0, 0))
			rc = -1;
		else if (strncmp(PQgetvalue(r, 0, 0), "committed", 9) == 0)
			rc = is_witnessed(db, xid);
		else if (strncmp(PQgetvalue(r, 0, 0), "aborted", 7) == 0)
			rc = 0;
		PQclear(r);
		db->writing = true;
		if (rc == -2 && ctx_time_monotonic() > deadline)
			return -1;
		if (rc == -2)
			nanosleep(&pause, NULL);
	}
	return rc;
}

/* Tries to commit. Returns 1 if committed, 0 to try again, -1 with the failure
 * recorded. */
static int
commit_once(struct ctx_db *db, int64_t deadline)
{
	struct ctx_pg *pg = ctx_pg(db);
	bool passing;
	int rc;

	if (ctx_pg_send_commit(db) == 0)
		return 1;
	passing = ctx_pg_is_passing(pg);
	rc = pg->lost ? was_committed(db, deadline) : -1;
	if (rc == 1)
		return 1;
	return rc == 0 || passing ? ctx_pg_redo(db, deadline) : -1;
}

int
ctx_pg_commit(struct ctx_db *db, struct ctx_err *err)
{
	struct ctx_pg *pg = ctx_pg(db);
	int64_t deadline = ctx_time_monotonic() + db->busy_ms;
	int rc = pg->begun || pg->n_later > 0 ? 0 : 1;

	while (rc == 0)
		rc = commit_once(db, deadline);
	if (rc < 0)
		return ctx_pg_stmt_fail(db, err, "cannot write");
	end_write(db);
	return 0;
}

void
ctx_pg_rollback(struct ctx_db *db)
{
	struct ctx_pg *pg = ctx_pg(db);

	if (pg->begun && PQstatus(pg->c) == CONNECTION_OK)
		PQclear(PQexec(pg->c, "ROLLBACK"));
	end_write(db);
}

int
ctx_pg_begin_read(struct ctx_db *db, struct ctx_err *err)
{
	if (ctx_pg_drain_cursors(db) < 0)
		return ctx_pg_stmt_fail(db, err, "cannot read");
	ctx_pg(db)->read_something = false;
	return 0;
}

void
ctx_pg_end_read(struct ctx_db *db)
{
	struct ctx_pg *pg = ctx_pg(db);

	if (!pg->begun)
		return;
	PQclear(PQexec(pg->c, "COMMIT"));
	pg->begun = false;
	pg->cursors = 0;
	for (struct ctx_pg_stmt *q = pg->statements; q != NULL; q = q->next)
		q->cursor = 0;
}
