/* Opens a store on PostgreSQL as a program of the next version would: with an upgrade that runs the
 * SQL of the second operand. usage: pg_upgrade ADDRESS SQL */
#include <stdio.h>

#include "store/stmt.h"

static const char *sql;

static int
run_given_sql(struct ctx_db *db, int64_t version, struct ctx_err *err)
{
	printf("from %lld\n", (long long)version);
	return ctx_stmt_exec(db, sql, err);
}

int
main(int argc, char **argv)
{
	static const struct ctx_db_kind kind = {
	    .what = "store",
	    .application_id = 0x63747831,
	    .version = 3,
	    .oldest_served = 2,
	    .upgrade = run_given_sql,
	};
	struct ctx_store_options o = {.path = argc == 3 ? argv[1] : "", .busy_ms = 10000};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_db db;
	int rc;

	sql = argc == 3 ? argv[2] : "";
	rc = ctx_db_open(&db, &kind, &o, &err);
	if (rc < 0)
		fprintf(stderr, "pg_upgrade: %s\n", err.msg);
	ctx_db_close(&db);
	return rc < 0;
}
