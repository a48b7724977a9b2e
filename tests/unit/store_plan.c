/* The plans of the queries that must not read a whole table: this file looks inside the
 * module, at the SQL that it builds. */
#include "store/session.c"

#include <unistd.h>

#include "test.h"

static struct ctx_store *store;

/* The plan's lines, joined. */
static char *
plan_of(const char *query)
{
	struct ctx_buf sql = CTX_BUF_INIT, plan = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_stmt *q;

	ctx_buf_addf(&sql, "EXPLAIN QUERY PLAN %s", query);
	q = ctx_stmt_new(&store->db, sql.p, &err);
	CHECK(q != NULL);
	while (q != NULL && ctx_stmt_step(&store->db, q, &err) == 1)
		ctx_buf_addf(&plan, "%s; ", ctx_stmt_text(q, 3));
	ctx_stmt_close(q);
	ctx_buf_release(&sql);
	return ctx_buf_detach(&plan);
}

static void
check_plan(const char *query, const char *want, const char *never)
{
	char *plan = plan_of(query);

	if (strstr(plan, want) == NULL ||
	    (never != NULL && strstr(plan, never) != NULL)) {
		printf("# %s\n# plan: %s\n", query, plan);
		test_bad = 1;
	}
	free(plan);
}

static void
check_list(const struct ctx_session_filter *f, const char *want)
{
	struct ctx_buf sql = CTX_BUF_INIT;

	list_sql(&sql, store, f);
	check_plan(sql.p, want, "SCAN session");
	ctx_buf_release(&sql);
}

static void
listing_uses_an_index(void)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;

	f.caller_id = "c";
	check_list(&f, "USING INDEX session_caller (caller_id=?");
	f.created_after = 1;
	check_list(&f, "USING INDEX session_caller (caller_id=?");
	f = (struct ctx_session_filter)CTX_SESSION_FILTER_INIT;
	f.user_id = "u";
	check_list(&f, "session_user (user_id=?");
}

static void
pages_go_on_where_they_stopped(void)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	struct ctx_buf sql = CTX_BUF_INIT;

	list_sql(&sql, store, &f);
	check_plan(sql.p, "USING INTEGER PRIMARY KEY (rowid>?)", "TEMP B-TREE");
	ctx_buf_release(&sql);
}

static void
a_session_is_found_by_its_id(void)
{
	struct ctx_buf sql = CTX_BUF_INIT;

	select_sessions(&sql, ctx_store_shown(store));
	ctx_buf_adds(&sql, " AND session_id = ?2 LIMIT 2");
	check_plan(sql.p, "(session_id=?", "SCAN");
	ctx_buf_release(&sql);
}

static void
messages_are_read_by_their_place(void)
{
	check_plan("SELECT body FROM message WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC",
	    "USING INTEGER PRIMARY KEY", "TEMP B-TREE");
	check_plan("SELECT body FROM message WHERE (id >> 32) = ?1 AND record_id = ?2",
	    "USING INDEX message_record", "SCAN");
	check_plan("SELECT record FROM request WHERE request_id = ?1",
	    "USING INDEX request_request (request_id=?", "SCAN");
}

int
main(void)
{
	char path[] = "/tmp/ctx-plan-XXXXXX";
	struct ctx_store_options o = {.path = path, .busy_ms = 1000, .create = true};
	struct ctx_err err = CTX_ERR_INIT;
	int fd = mkstemp(path);

	if (fd < 0 || ctx_store_open(&store, &o, &err) < 0) {
		printf("# %s\n", err.msg);
		return 1;
	}
	close(fd);
	RUN(listing_uses_an_index);
	RUN(pages_go_on_where_they_stopped);
	RUN(a_session_is_found_by_its_id);
	RUN(messages_are_read_by_their_place);
	ctx_store_close(store);
	for (const char *const *end =
		 (const char *const[]){"", "-wal", "-shm", "-lock", NULL};
	     *end != NULL; end++) {
		char name[64];
		snprintf(name, sizeof(name), "%s%s", path, *end);
		unlink(name);
	}
	return TEST_END();
}
