/* The engine on PostgreSQL: what a database is, and what it is made of when it is new. */
#include "store/engine_pg.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static const char schema[] = {
#include "store/engine_pg_schema.sql.inc"
};
static const char tables[] = {
#include "store/engine_pg_tables.sql.inc"
};

/* Returns 1 with the version of the store, 0 if there is none, -1 after noting the failure. */
static int
read_version(struct ctx_db *db, int64_t *application, int64_t *version)
{
	struct ctx_pg *pg = ctx_pg(db);
	PGresult *r = ctx_pg_run(db,
	    "SELECT application::text, version::text "
	    "FROM ctx_store "
	    "WHERE what = 'store'",
	    NULL, 0);
	int rc = 0;

	if (r == NULL)
		return strcmp(pg->state, "42P01") == 0 ? 0 : -1;
	if (PQntuples(r) == 1) {
		*application = strtoll(PQgetvalue(r, 0, 0), NULL, 10);
		*version = strtoll(PQgetvalue(r, 0, 1), NULL, 10);
		rc = 1;
	}
	PQclear(r);
	return rc;
}

static int
make_schema(struct ctx_db *db)
{
	struct ctx_buf mark = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&mark, "INSERT INTO ctx_store VALUES ('store', %lld, %lld)",
	    (long long)db->kind->application_id, (long long)db->kind->version);
	rc = ctx_pg_do_text(db, schema);
	if (rc == 0)
		rc = ctx_pg_do_text(db, tables);
	if (rc == 0)
		rc = ctx_pg_do_all(db, mark.p);
	ctx_buf_release(&mark);
	return rc;
}

/* One process at a time; the others find it made. */
static int
create_pg_schema(struct ctx_db *db, struct ctx_err *err)
{
	PGresult *r;
	int rc = -1;

	if (ctx_pg_begin(db, err) < 0)
		return -1;
	if (ctx_pg_do_all(db,
		"SELECT pg_advisory_xact_lock(hashtext('ctx ' || current_schema()))") ==
	    0) {
		r = ctx_pg_run(
		    db, "SELECT 1 WHERE to_regclass('ctx_store') IS NULL", NULL, 0);
		rc = r == NULL ? -1 : PQntuples(r) == 0 ? 0 : make_schema(db);
		PQclear(r);
	}
	if (rc < 0)
		ctx_pg_stmt_fail(db, err, "cannot make the tables");
	else
		rc = ctx_pg_commit(db, err);
	ctx_pg_rollback(db);
	return rc;
}

int
ctx_pg_check_schema(struct ctx_db *db, bool create, struct ctx_err *err)
{
	const struct ctx_db_kind *kind = db->kind;
	int64_t application = kind->application_id, version = kind->version;
	int rc = read_version(db, &application, &version);

	if (rc < 0)
		return ctx_pg_stmt_fail(db, err, "cannot open");
	if (rc == 0 && !create)
		return ctx_err_set(err, CTX_ESTORE,
		    "no %s at '%s' (ctx-new or ctx-append --create makes one)",
		    kind->what, db->path);
	if (rc == 0)
		return create_pg_schema(db, err);
	if (application != kind->application_id)
		return ctx_err_set(
		    err, CTX_ESTORE, "'%s' is not a ctx %s", db->path, kind->what);
	if (version > kind->version)
		return ctx_err_set(err, CTX_ESTORE,
		    "%s '%s' is of a newer version (%lld; this program knows %lld)",
		    kind->what, db->path, (long long)version, (long long)kind->version);
	return 0;
}
