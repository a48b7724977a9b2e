/* The engine for PostgreSQL: reads all texts in the rows of all tables. */
#include "store/engine_pg.h"

#include "store/rows.h"

struct scan {
	struct ctx_db *db;
	ctx_store_bytes_fn *fn;
	void *arg;
};

/* Runs a query for one column, and passes on the column's values. */
static int
scan_column(void *arg, struct ctx_stmt *list, struct ctx_err *err)
{
	const struct scan *s = arg;
	struct ctx_stmt *q = ctx_stmt_new(s->db, ctx_stmt_text(list, 0), err);
	int rc;

	ctx_pg_stmt(q)->streams = true;
	while ((rc = ctx_stmt_step(s->db, q, err)) == 1)
		s->fn(s->arg, ctx_stmt_bytes(q, 0), true);
	ctx_stmt_close(q);
	return rc;
}

/* Lists a query for each column of texts or bytes, and runs it. */
int
ctx_pg_scan(struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
{
	struct scan s = {db, fn, arg};

	return ctx_stmt_rows(db,
	    "SELECT format('SELECT %I FROM %I WHERE %I IS NOT NULL', attname, relname, "
	    "attname) "
	    "FROM pg_class c "
	    "JOIN pg_attribute a ON a.attrelid = c.oid "
	    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' "
	    "AND a.attnum > 0 AND NOT a.attisdropped "
	    "AND a.atttypid IN ('text'::regtype, 'bytea'::regtype)",
	    NULL, 0, scan_column, &s, err);
}
