/* The engine for PostgreSQL: identifies, creates and upgrades the tables of a store. */
#include "store/engine_pg.h"

#include <string.h>

#include "store/row.h"

static const char schema[] = {
#include "store/engine_pg_schema.sql.inc"
};
static const char tables[] = {
#include "store/engine_pg_tables.sql.inc"
};

/* Versions from the table ctx_store. Stores that the first commands with this engine
 * created do not name the version of the derived tables; it is the first one that existed
 * on servers. */
struct versions {
	int64_t application, store, derived;
};

/* Reads the versions. Returns 1 if there is a store, 0 if not, -1 with the failure
 * recorded. */
static int
read_versions(struct ctx_db *db, struct versions *v)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_row r = ctx_rows(db, "ctx_store",
	    "SELECT what, application, version FROM ctx_store", NULL, 0, &ignored);

	*v = (struct versions){.store = -1};
	v->derived = db->kind->beside == NULL ? 0 : db->kind->beside->oldest_served;
	while (ctx_rows_next(&r)) {
		struct ctx_span what = ctx_stmt_span(r.q, 0);
		if (ctx_span_is(what, "store")) {
			v->application = ctx_stmt_int64(r.q, 1);
			v->store = ctx_stmt_int64(r.q, 2);
		} else if (ctx_span_is(what, "derived") && db->kind->beside != NULL) {
			v->derived = ctx_stmt_int64(r.q, 2);
		}
	}
	if (ctx_rows_end(&r) < 0)
		return strcmp(ctx_pg(db)->state, "42P01") == 0 ? 0 : -1;
	return v->store >= 0;
}

/* ---- creating ---- */

static int
mark_version(struct ctx_db *db, const char *what, const struct ctx_db_kind *kind,
    struct ctx_err *err)
{
	return ctx_stmt_do(db,
	    "INSERT INTO ctx_store (what, application, version) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT (what) DO UPDATE SET version = excluded.version",
	    CTX_VALUES(ctx_text(ctx_span_of(what)), ctx_int(kind->application_id),
		ctx_int(kind->version)),
	    err);
}

static int
mark_versions(struct ctx_db *db, struct ctx_err *err)
{
	if (mark_version(db, "store", db->kind, err) < 0)
		return -1;
	return db->kind->beside == NULL
		   ? 0
		   : mark_version(db, "derived", db->kind->beside, err);
}

/* Starts a transaction in which only one process at a time creates or upgrades the
 * tables. Other processes wait and then find it done. */
static int
begin_alone(struct ctx_db *db, struct ctx_err *err)
{
	if (ctx_db_begin(db, err) < 0)
		return -1;
	return ctx_pg_do_all(db, "SELECT pg_advisory_xact_lock(hashtext('ctx ' || "
				 "current_schema()))") < 0
		   ? ctx_pg_stmt_fail(db, err, "cannot lock")
		   : 0;
}

static int
create_pg_schema(struct ctx_db *db, struct ctx_err *err)
{
	int rc = begin_alone(db, err);

	if (rc == 0 && !ctx_pg_has_table(db, "ctx_store")) {
		if (ctx_pg_do_text(db, schema) < 0 || ctx_pg_do_text(db, tables) < 0)
			rc = ctx_pg_stmt_fail(db, err, "cannot create the tables");
		else
			rc = mark_versions(db, err);
	}
	return ctx_db_end(db, rc, err);
}

/* ---- upgrading ---- */

static int
check_version(const struct ctx_db *db, const struct ctx_db_kind *kind, int64_t version,
    struct ctx_err *err)
{
	if (version > kind->version)
		return ctx_err_set(err, CTX_ESTORE,
		    "%s '%s' has the newer version %lld; this program supports versions up to %lld",
		    kind->what, db->path, (long long)version, (long long)kind->version);
	if (version < kind->oldest_served)
		return ctx_err_set(err, CTX_ESTORE,
		    "%s '%s' has version %lld, which cannot be upgraded on PostgreSQL: export it with the commands of that version (ctx-list | ctx-archive --snapshot --to DIR) and restore the archives into an empty schema",
		    kind->what, db->path, (long long)version);
	return 0;
}

static int
check_versions(const struct ctx_db *db, const struct versions *v, struct ctx_err *err)
{
	const struct ctx_db_kind *kind = db->kind;

	if (v->application != kind->application_id)
		return ctx_err_set(
		    err, CTX_ESTORE, "'%s' is not a ctx %s", db->path, kind->what);
	if (check_version(db, kind, v->store, err) < 0)
		return -1;
	return kind->beside == NULL ? 0
				    : check_version(db, kind->beside, v->derived, err);
}

static bool
are_current(const struct ctx_db *db, const struct versions *v)
{
	const struct ctx_db_kind *kind = db->kind;

	return v->store == kind->version &&
	       (kind->beside == NULL || v->derived == kind->beside->version);
}

static int
upgrade_tables(struct ctx_db *db, const struct versions *v, struct ctx_err *err)
{
	const struct ctx_db_kind *kind = db->kind, *beside = kind->beside;

	if (v->store < kind->version && kind->upgrade(db, v->store, err) < 0)
		return -1;
	if (beside != NULL && v->derived < beside->version &&
	    beside->upgrade(db, v->derived, err) < 0)
		return -1;
	return mark_versions(db, err);
}

/* Upgrades the tables in one transaction, as on SQLite. */
static int
upgrade_pg_schema(struct ctx_db *db, struct ctx_err *err)
{
	struct versions v;
	int rc = begin_alone(db, err);

	if (rc == 0 && read_versions(db, &v) != 1)
		rc = ctx_pg_stmt_fail(db, err, "cannot upgrade");
	if (rc == 0)
		rc = check_versions(db, &v, err);
	if (rc == 0 && !are_current(db, &v))
		rc = upgrade_tables(db, &v, err);
	return ctx_db_end(db, rc, err);
}

int
ctx_pg_check_schema(
    struct ctx_db *db, const struct ctx_store_options *o, struct ctx_err *err)
{
	struct versions v;
	int rc = read_versions(db, &v);

	if (rc < 0)
		return ctx_pg_stmt_fail(db, err, "cannot open");
	if (rc == 0 && o->absent != NULL)
		*o->absent = !o->create;
	if (rc == 0 && !o->create)
		return ctx_err_set(err, CTX_ESTORE,
		    "no %s at '%s' (ctx-new or ctx-append --create creates it)",
		    db->kind->what, db->path);
	if (rc == 0)
		return create_pg_schema(db, err);
	if (check_versions(db, &v, err) < 0)
		return -1;
	return are_current(db, &v) ? 0 : upgrade_pg_schema(db, err);
}
