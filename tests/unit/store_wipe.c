/* What no row has is overwritten, and does not come back. */
#define _GNU_SOURCE
#include <sqlite3.h>

#include <sys/wait.h>

#include "base/io.h"
#include "store/engine_sqlite_blank.h"
#include "store/export.h"
#include "store/purge.h"
#include "store_help.h"
#include "test.h"

#define GONE "these words were removed, and nobody is to find them"
#define LEFT "these words stay, and have to be there in the end"

/* Rows removed by somebody who overwrites nothing. */
static void
remove_rows(int session)
{
	char sql[128];
	sqlite3 *h;

	snprintf(sql, sizeof(sql),
	    "PRAGMA secure_delete = OFF; DELETE FROM message WHERE id >> 32 = %d",
	    session);
	CHECK(sqlite3_open(store_path, &h) == SQLITE_OK);
	CHECK(sqlite3_exec(h, sql, NULL, NULL, NULL) == SQLITE_OK);
	CHECK(sqlite3_close(h) == SQLITE_OK);
}

static bool
is_in_files(const char *text)
{
	static const char *const ends[] = {"", "-wal"};
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	char path[128];
	pid_t pid = fork();
	int status = 0;

	/* in another process: closing the file would drop the store's locks */
	if (pid == 0) {
		for (size_t i = 0; i < 2; i++) {
			snprintf(path, sizeof(path), "%s%s", store_path, ends[i]);
			ctx_io_read_file(path, &file, (size_t)1 << 24, &err);
		}
		_exit(memmem(file.p, file.n, text, strlen(text)) != NULL);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 1;
}

struct seen {
	int found, left;
};

static bool
find_gone(void *arg, struct ctx_span piece, bool left)
{
	struct seen *seen = arg;
	bool found = memmem(piece.p, piece.n, GONE, sizeof(GONE) - 1) != NULL;

	/* larger pieces are of the log, which is taken whole */
	if (piece.n <= 4096)
		CHECK(memmem(piece.p, piece.n, LEFT, sizeof(LEFT) - 1) == NULL);
	seen->found += found && !left;
	seen->left += found && left;
	return found;
}

static void
say(struct ctx_store *st, struct ctx_session *s, const char *text, int n)
{
	struct ctx_err err = CTX_ERR_INIT;

	store_must(ctx_store_begin(st, &err), &err);
	for (int i = 0; i < n; i++)
		store_say(st, s, CTX_ROLE_USER, NULL, text, 0);
	store_must(ctx_store_session_count(st, s, 0, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
}

static void
fill(struct ctx_store *st, struct ctx_session *gone, struct ctx_session *left)
{
	struct ctx_err err = CTX_ERR_INIT;

	store_must(ctx_store_begin(st, &err), &err);
	store_session(st, gone, "gone");
	store_session(st, left, "left");
	store_must(ctx_store_commit(st, &err), &err);
	say(st, gone, GONE, 15);
	say(st, left, LEFT, 50);
}

static void
check_sound(void)
{
	sqlite3 *h;
	sqlite3_stmt *q;

	CHECK(sqlite3_open(store_path, &h) == SQLITE_OK);
	CHECK(sqlite3_prepare_v2(h, "PRAGMA integrity_check", -1, &q, NULL) == SQLITE_OK);
	CHECK(sqlite3_step(q) == SQLITE_ROW);
	CHECK(strcmp((const char *)sqlite3_column_text(q, 0), "ok") == 0);
	sqlite3_finalize(q);
	sqlite3_close(h);
}

static void
removed_rows_are_overwritten(void)
{
	struct ctx_store *st = store_open();
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_session gone, left;
	struct seen seen = {0, 0};
	int64_t bytes;

	fill(st, &gone, &left);
	store_must(ctx_store_reclaim(st, &bytes, &err), &err);
	remove_rows(1);
	CHECK(is_in_files(GONE));
	store_must(ctx_store_wipe(st, true, find_gone, &seen, &err), &err);
	CHECK(seen.found > 0 && seen.left == 0);
	CHECK(!is_in_files(GONE));
	CHECK(is_in_files(LEFT));
	ctx_session_release(&gone);
	ctx_session_release(&left);
	ctx_store_close(st);
	check_sound();
	store_remove();
}

/* Who has the page in memory as it was, this connection or another, writes to it afterwards. */
static void
write_page_from_memory(bool own)
{
	struct ctx_store *st = store_open(), *other;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_session gone, left, now = CTX_SESSION_INIT;
	struct seen seen = {0, 0};
	int64_t bytes;

	fill(st, &gone, &left);
	remove_rows(1);
	store_must(ctx_store_reclaim(st, &bytes, &err), &err);
	other = store_open();
	CHECK(ctx_store_session_get(other, 1, &now, &err) == 1);
	say(own ? st : other, &now, LEFT, 1);
	store_must(ctx_store_wipe(st, true, find_gone, &seen, &err), &err);
	say(own ? st : other, &now, LEFT, 1);
	CHECK(seen.left == 0);
	CHECK(!is_in_files(GONE));
	ctx_session_release(&now);
	ctx_session_release(&gone);
	ctx_session_release(&left);
	ctx_store_close(other);
	ctx_store_close(st);
	CHECK(!is_in_files(GONE));
	check_sound();
	store_remove();
}

static void
pages_in_memory_do_not_bring_them_back(void)
{
	write_page_from_memory(true);
	write_page_from_memory(false);
}

/* Commits one transaction that writes pages into the log twice, and exits without closing
 * the database. SQLite then writes the headers of frames again, without the pages. */
static void
commit_and_exit(void)
{
	static const char *const steps[] = {"PRAGMA journal_mode = WAL",
	    "PRAGMA synchronous = OFF", "PRAGMA cache_size = 5",
	    "CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)", "BEGIN",
	    "WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 500) "
	    "INSERT INTO t SELECT k, randomblob(1000) FROM n",
	    "UPDATE t SET v = randomblob(1000)", "COMMIT"};
	sqlite3 *h;

	if (sqlite3_open_v2(store_path, &h, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
		ctx_blank_vfs()) != SQLITE_OK)
		_exit(1);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (sqlite3_exec(h, steps[i], NULL, NULL, NULL) != SQLITE_OK)
			_exit(2);
	_exit(0);
}

static void
headers_written_again_are_in_the_log(void)
{
	sqlite3_stmt *q;
	sqlite3 *h;
	pid_t pid;
	int status = 0;

	ctx_store_close(store_open());
	pid = fork();
	if (pid == 0)
		commit_and_exit();
	waitpid(pid, &status, 0);
	CHECK(WEXITSTATUS(status) == 0);
	CHECK(sqlite3_open(store_path, &h) == SQLITE_OK);
	CHECK(sqlite3_prepare_v2(h, "SELECT count(*) FROM t", -1, &q, NULL) == SQLITE_OK);
	CHECK(sqlite3_step(q) == SQLITE_ROW);
	CHECK_INT(sqlite3_column_int(q, 0), 500);
	sqlite3_finalize(q);
	sqlite3_close(h);
	check_sound();
	store_remove();
}

int
main(void)
{
	RUN(removed_rows_are_overwritten);
	RUN(pages_in_memory_do_not_bring_them_back);
	RUN(headers_written_again_are_in_the_log);
	return TEST_END();
}
