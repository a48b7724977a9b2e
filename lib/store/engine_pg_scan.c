/* The engine for PostgreSQL: reads all texts in the rows of all tables. */
#include "store/engine_pg.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/rows.h"

struct scan_queries {
	char **v;
	size_t n, cap;
};

static int
add_scan_query(void *arg, struct ctx_stmt *q, struct ctx_err *err CTX_UNUSED)
{
	struct scan_queries *l = arg;

	CTX_MEM_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = ctx_mem_str(ctx_stmt_text(q, 0));
	return 0;
}

/* Lists a query for each column of texts or bytes. */
static int
list_scan_queries(struct ctx_db *db, struct scan_queries *out, struct ctx_err *err)
{
	return ctx_stmt_rows(db,
	    "SELECT format('SELECT %I FROM %I WHERE %I IS NOT NULL', attname, relname, "
	    "attname) "
	    "FROM pg_class c "
	    "JOIN pg_attribute a ON a.attrelid = c.oid "
	    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' "
	    "AND a.attnum > 0 AND NOT a.attisdropped "
	    "AND a.atttypid IN ('text'::regtype, 'bytea'::regtype)",
	    NULL, 0, add_scan_query, out, err);
}

static int
scan_column(struct ctx_db *db, const char *sql, ctx_store_bytes_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_pg_stmt_new(db, sql, err);
	int rc;

	ctx_pg_stmt(q)->streams = true;
	while ((rc = ctx_pg_stmt_step(db, q, err)) == 1)
		fn(arg, ctx_pg_stmt_bytes(q, 0), true);
	ctx_pg_stmt_close(q);
	return rc;
}

int
ctx_pg_scan(struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
{
	struct scan_queries queries = {NULL, 0, 0};
	int rc = list_scan_queries(db, &queries, err);

	for (size_t i = 0; i < queries.n; i++) {
		if (rc == 0)
			rc = scan_column(db, queries.v[i], fn, arg, err);
		free(queries.v[i]);
	}
	free(queries.v);
	return rc < 0 ? -1 : 0;
}
