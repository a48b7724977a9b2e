/* The engine for SQLite: the catalog tables, which are created when an item or entity is
 * first defined. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/engine_sqlite.h"

/* Returns the SQL of the catalog with before_names inserted before each name of a table
 * or index. */
static char *
catalog_sql(const struct ctx_db *db, const char *before_names)
{
	static const char *const creates[] = {"CREATE TABLE ", "CREATE INDEX "};
	struct ctx_buf sql = CTX_BUF_INIT;

	for (const char *p = db->kind->catalog; *p != '\0'; p++) {
		ctx_buf_addc(&sql, *p);
		for (int i = 0; i < 2; i++) {
			size_t n = strlen(creates[i]);
			if (sql.n >= n && memcmp(sql.p + sql.n - n, creates[i], n) == 0)
				ctx_buf_adds(&sql, before_names);
		}
	}
	return ctx_buf_detach(&sql);
}

bool
ctx_db_has_catalog(struct ctx_db *db)
{
	return ctx_db_is_whole(db) || ctx_db_has_table(db, "entity");
}

int
ctx_db_make_catalog(struct ctx_db *db, struct ctx_err *err)
{
	char *sql;
	int rc;

	if (ctx_db_has_catalog(db))
		return 0;
	/* a rollback can remove the tables again */
	if (ctx_db_attach_empty_catalog(db) != SQLITE_OK)
		return ctx_sqlite_stmt_fail(db, err, "cannot write");
	sql = catalog_sql(db, "IF NOT EXISTS ");
	rc = ctx_stmt_exec(db, sql, err);
	free(sql);
	return rc;
}

/* Attaches the empty catalog tables as a second schema; SQLite searches names in the
 * store first. On a read-only connection, an attached database is read-only too unless
 * its URI says otherwise; other connections accept no URIs. IF NOT EXISTS, because a
 * rollback can have removed tables that were created before. */
int
ctx_db_attach_empty_catalog(struct ctx_db *db)
{
	const char *attach = db->read_only
				 ? "ATTACH 'file:catalog?mode=memory' AS catalog"
				 : "ATTACH ':memory:' AS catalog";
	int rc = SQLITE_OK;
	char *sql;

	if (!db->empty_catalog)
		rc = sqlite3_exec(ctx_sqlite(db), attach, NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return rc;
	db->empty_catalog = true;
	sql = catalog_sql(db, "IF NOT EXISTS catalog.");
	rc = sqlite3_exec(ctx_sqlite(db), sql, NULL, NULL, NULL);
	free(sql);
	return rc;
}
