/* The public functions of store/engine.h, and those of store/store.h that examine a path.
 * Each function does the work that is the same for all engines, and calls the function of
 * the database's engine for the rest. */
#include "store/engine_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"

/* bytes at the end of an SQL text that are hashed, and number of places that are searched */
#define HASHED 16
#define NEAR 4

bool
ctx_store_is_remote(const char *path)
{
	return strncmp(path, "postgresql://", 13) == 0 ||
	       strncmp(path, "postgres://", 11) == 0;
}

bool
ctx_store_is_known(const char *path)
{
	return !ctx_store_is_remote(path) || &ctx_engine_pg != NULL;
}

bool
ctx_db_is_whole(const struct ctx_db *db)
{
	return db->engine != &ctx_engine_sqlite;
}

int
ctx_db_open(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	memset(db, 0, sizeof(*db));
	db->engine = &ctx_engine_sqlite;
	db->kind = kind;
	db->lock_fd = -1;
	if (!o->scratch && ctx_store_is_remote(o->path)) {
		if (!ctx_store_is_known(o->path))
			return ctx_err_set(err, CTX_ESTORE,
			    "%s: this program was built without support for PostgreSQL",
			    kind->what);
		db->engine = &ctx_engine_pg;
	}
	return db->engine->open_db(db, kind, o, err);
}

void
ctx_db_close(struct ctx_db *db)
{
	ctx_db_rollback(db);
	ctx_db_end_read(db);
	ctx_stmt_forget_idle(db);
	ctx_stmt_close(db->catalog);
	db->engine->close(db);
	free(db->path);
	*db = (struct ctx_db){.lock_fd = -1};
}

void
ctx_db_wait(struct ctx_db *db, int64_t ms)
{
	db->engine->wait(db, ms);
}

int
ctx_db_begin(struct ctx_db *db, struct ctx_err *err)
{
	int64_t start = ctx_time_monotonic_us();
	int rc = db->engine->begin(db, err);

	if (db->times != NULL) {
		db->times->wait_us += ctx_time_monotonic_us() - start;
		db->times->begun++;
	}
	return rc;
}

int
ctx_db_commit(struct ctx_db *db, struct ctx_err *err)
{
	int64_t start = ctx_time_monotonic_us();
	int rc = db->engine->commit(db, err);

	if (db->times != NULL) {
		db->times->commit_us += ctx_time_monotonic_us() - start;
		db->times->committed++;
	}
	if (rc < 0)
		ctx_db_rollback(db);
	return rc;
}

void
ctx_db_rollback(struct ctx_db *db)
{
	if (db->writing)
		db->engine->rollback(db);
}

int
ctx_db_end(struct ctx_db *db, int rc, struct ctx_err *err)
{
	if (rc == 0)
		rc = ctx_db_commit(db, err);
	ctx_db_rollback(db);
	return rc;
}

int
ctx_db_begin_read(struct ctx_db *db, struct ctx_err *err)
{
	/* a snapshot may have been opened with the store */
	if (db->reading || db->writing)
		return 0;
	if (db->engine->begin_read(db, err) < 0)
		return -1;
	db->reading = true;
	return 0;
}

void
ctx_db_end_read(struct ctx_db *db)
{
	if (db->reading)
		db->engine->end_read(db);
	db->reading = false;
}

enum ctx_db_failure
ctx_db_failure(const struct ctx_db *db)
{
	return db->engine->failure(db);
}

bool
ctx_db_has_table(const struct ctx_db *db, const char *table)
{
	return db->engine->has_table(db, table);
}

bool
ctx_db_has_column(const struct ctx_db *db, const char *table, const char *column)
{
	return db->engine->has_column(db, table, column);
}

int64_t
ctx_db_changes(const struct ctx_db *db)
{
	return db->engine->changes(db);
}

int64_t
ctx_db_total_changes(const struct ctx_db *db)
{
	return db->engine->total_changes(db);
}

int
ctx_db_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err)
{
	return db->engine->incarnation(db, number, err);
}

/* Returns the place of the idle statement with this text or, with *found = false, a place
 * at which such a statement can be kept. */
static struct ctx_stmt **
find_idle(struct ctx_db *db, const char *sql, bool *found)
{
	size_t n = strlen(sql), hashed = n < HASHED ? n : HASHED;
	uint64_t first = ctx_hash_bytes(n, sql + n - hashed, hashed);
	struct ctx_stmt **unused = NULL;

	for (uint64_t i = 0; i < NEAR; i++) {
		struct ctx_stmt **place = &db->idle[(first + i) % CTX_STMT_IDLE];
		*found = *place != NULL && strcmp((*place)->sql, sql) == 0;
		if (*found)
			return place;
		if (*place == NULL && unused == NULL)
			unused = place;
	}
	return unused != NULL ? unused : &db->idle[first % CTX_STMT_IDLE];
}

struct ctx_stmt *
ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	struct ctx_stmt **place, *q;
	bool found;

	if (db == NULL)
		return NULL;
	ctx_db_follow_catalog(db);
	place = find_idle(db, sql, &found);
	if (found) {
		q = *place;
		*place = NULL;
	} else if ((q = db->engine->stmt_new(db, sql, err)) != NULL) {
		q->sql = ctx_mem_str(sql);
		q->place = (unsigned)(place - db->idle);
	}
	return q;
}

void
ctx_stmt_free(struct ctx_db *db, struct ctx_stmt *q)
{
	if (q != NULL && q->engine->stmt_clear(q)) {
		ctx_stmt_close(db->idle[q->place]);
		db->idle[q->place] = q;
	} else {
		ctx_stmt_close(q);
	}
}

void
ctx_stmt_forget_idle(struct ctx_db *db)
{
	for (int i = 0; i < CTX_STMT_IDLE; i++) {
		ctx_stmt_close(db->idle[i]);
		db->idle[i] = NULL;
	}
}

int
ctx_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err)
{
	return q == NULL ? -1 : db->engine->stmt_step(db, q, err);
}

int
ctx_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err)
{
	return db->engine->stmt_exec(db, sql, err);
}

void
ctx_stmt_bind(struct ctx_stmt *q, const struct ctx_value *values, size_t n)
{
	if (q != NULL)
		q->engine->stmt_bind(q, values, n);
}

struct ctx_span
ctx_stmt_span(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_span(q, col);
}

char *
ctx_stmt_str(struct ctx_stmt *q, int col)
{
	return ctx_span_dup(ctx_stmt_span(q, col));
}

enum ctx_column
ctx_stmt_type(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_type(q, col);
}

int64_t
ctx_stmt_int64(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_int64(q, col);
}

bool
ctx_stmt_whole(struct ctx_stmt *q, int col, int64_t *v)
{
	return q->engine->stmt_whole(q, col, v);
}

const char *
ctx_stmt_text(struct ctx_stmt *q, int col)
{
	return ctx_stmt_span(q, col).p;
}

struct ctx_span
ctx_stmt_bytes(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_bytes(q, col);
}

int
ctx_stmt_columns(struct ctx_stmt *q)
{
	return q->engine->stmt_columns(q);
}

const char *
ctx_stmt_column_name(struct ctx_stmt *q, int col)
{
	return q->engine->stmt_column_name(q, col);
}

void
ctx_stmt_reset(struct ctx_stmt *q)
{
	if (q != NULL)
		q->engine->stmt_reset(q);
}

void
ctx_stmt_close(struct ctx_stmt *q)
{
	if (q == NULL)
		return;
	free(q->sql);
	q->engine->stmt_close(q);
}

int
ctx_db_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err)
{
	return db->engine->size(db, bytes, err);
}
