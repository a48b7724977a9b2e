/* A store opened for one snapshot, beside writers that come and go; and tables that are
 * made when they are needed. Looks inside: at how the store was opened. */
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/engine_sqlite.h"
#include "store/entity.h"
#include "store/stmt.h"

#include "store_help.h"
#include "test.h"

static struct ctx_store *
open_snapshot(void)
{
	struct ctx_store_options o = {
	    .path = store_path, .busy_ms = 5000, .snapshot = true};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_store *st;

	store_must(ctx_store_open(&st, &o, &err), &err);
	return st;
}

/* SQLite is told to write nothing only where the short way is taken. */
static bool
went_the_short_way(struct ctx_store *st)
{
	return sqlite3_db_readonly(ctx_sqlite(&st->db), "main") == 1;
}

static void
append(int n)
{
	struct ctx_store *st = store_open();
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	store_must(ctx_store_begin(st, &err), &err);
	store_must(rc = ctx_store_session_find(st, "S", &s, &err), &err);
	if (rc == 0)
		store_session(st, &s, "S");
	for (int i = 0; i < n; i++)
		store_say(st, &s, CTX_ROLE_USER, NULL, "hello", i);
	store_must(ctx_store_session_count(st, &s, 1, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
	ctx_session_release(&s);
	ctx_store_close(st);
}

/* The number of messages by the session's counter, which must be that of its rows. */
static int64_t
count(struct ctx_store *st)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_cursor *c;
	struct ctx_stored m;
	struct ctx_session s = CTX_SESSION_INIT;
	int64_t n = 0, counted;

	store_must(ctx_store_session_find(st, "S", &s, &err), &err);
	c = ctx_cursor_open(st, &s, 1, CTX_SEQ_MAX, false, &err);
	while (ctx_cursor_next(c, &m, &err) == 1)
		CHECK_INT(m.seq, ++n);
	ctx_cursor_close(c);
	counted = s.message_count;
	CHECK_INT(counted, n);
	ctx_session_release(&s);
	return counted;
}

static int64_t
count_in_snapshot(bool *short_way)
{
	struct ctx_store *st = open_snapshot();
	int64_t n = count(st);

	*short_way = went_the_short_way(st);
	ctx_store_end_read(st);
	ctx_store_close(st);
	return n;
}

static void
remove_side_file(const char *end)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", store_path, end);
	unlink(path);
}

static void
sees_what_is_in_the_log(void)
{
	bool short_way;

	append(3); /* a few pages: they stay in the log */
	CHECK_INT(count_in_snapshot(&short_way), 3);
	CHECK(short_way);
	append(200); /* more than a short log */
	CHECK_INT(count_in_snapshot(&short_way), 203);
	CHECK(short_way);
	append(1);
	CHECK_INT(count_in_snapshot(&short_way), 204);
	CHECK(short_way);
}

static void
does_without_side_files(void)
{
	bool short_way;

	remove_side_file("-shm");
	CHECK_INT(count_in_snapshot(&short_way), 204);
	CHECK(!short_way);
	CHECK_INT(count_in_snapshot(&short_way), 204);
	CHECK(short_way);
}

/* SQLite's locks are a process's: another one, which has nothing open, must write. */
static void
is_one_state(void)
{
	struct ctx_store *st;
	bool short_way;
	char go = 0;
	int when[2], status;
	pid_t pid;

	CHECK(pipe(when) == 0);
	if ((pid = fork()) == 0) {
		if (read(when[0], &go, 1) == 1)
			append(50);
		_exit(go != 1);
	}
	st = open_snapshot();
	CHECK(went_the_short_way(st));
	CHECK_INT(count(st), 204);
	go = 1;
	CHECK(write(when[1], &go, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK_INT(count(st), 204);
	ctx_store_end_read(st);
	ctx_store_close(st);
	close(when[0]);
	close(when[1]);
	CHECK_INT(count_in_snapshot(&short_way), 254);
}

/* A writer that opens, appends, and leaves, each time with another length of the log; who
 * reads meanwhile sees all that was acknowledged before, and nothing that was not begun. */
static void
beside_a_writer(void)
{
	_Atomic int64_t *shared = mmap(
	    NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t short_ways = 0;
	const char *runs = getenv("CTX_TEST_RUNS");
	int rounds = runs != NULL && atoi(runs) < 300 ? atoi(runs) : 300, status;
	pid_t pid;

	shared[0] = shared[1] = 254; /* begun, acknowledged */
	if ((pid = fork()) == 0) {
		for (int i = 0; i < rounds; i++) {
			int n = 1 + i * 7 % 40;
			shared[0] += n;
			append(n);
			shared[1] += n;
		}
		_exit(0);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		int64_t before = shared[1], n;
		bool short_way;

		n = count_in_snapshot(&short_way);
		CHECK(before <= n && n <= shared[0]);
		short_ways += short_way;
	}
	CHECK(status == 0);
	CHECK(short_ways > 0);
	munmap(shared, 4096);
}

/* ---- the catalog ---- */

static int
count_name(void *arg, struct ctx_span name, struct ctx_span type, int64_t no)
{
	(void)name;
	(void)type;
	(void)no;
	++*(int *)arg;
	return 0;
}

static int
names(struct ctx_store *st)
{
	struct ctx_err err = CTX_ERR_INIT;
	int n = 0;

	store_must(ctx_entity_names(st, "", count_name, &n, &err), &err);
	return n;
}

static void
put(struct ctx_store *st, char *name)
{
	struct ctx_entity e = CTX_ENTITY_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	e.type = (char[]){"thing"};
	e.name = name;
	e.updated_at = 0;
	store_must(ctx_entity_put(st, "", &e, ctx_span_of(name), &err), &err);
}

static void
is_empty_until_it_is_made(void)
{
	struct ctx_store *snapshot = open_snapshot(), *first, *second;
	struct ctx_err err = CTX_ERR_INIT;

	CHECK_INT(names(snapshot), 0);
	ctx_store_close(snapshot);
	first = store_open();
	second = store_open();
	CHECK(!ctx_db_has_catalog(&first->db));
	CHECK_INT(names(first), 0);
	CHECK_INT(names(second), 0);
	store_must(ctx_store_begin(first, &err), &err);
	put(first, (char[]){"one"});
	ctx_store_rollback(first);
	CHECK_INT(names(first), 0);
	CHECK_INT(names(second), 0);
	store_must(ctx_store_begin(second, &err), &err);
	put(second, (char[]){"two"});
	store_must(ctx_store_commit(second, &err), &err);
	CHECK_INT(names(first), 1);
	CHECK(ctx_db_has_catalog(&first->db));
	store_must(ctx_store_begin(first, &err), &err);
	put(first, (char[]){"three"});
	store_must(ctx_store_commit(first, &err), &err);
	CHECK_INT(names(second), 2);
	ctx_store_close(first);
	ctx_store_close(second);
	snapshot = open_snapshot();
	CHECK_INT(names(snapshot), 2);
	ctx_store_close(snapshot);
}

/* What was prepared on tables that a rollback took away is prepared anew. */
static void
goes_with_a_rollback(void)
{
	struct ctx_store *st;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_entity e = CTX_ENTITY_INIT;

	store_remove();
	CHECK(mkdir(store_dir, 0700) == 0);
	st = store_open();
	store_must(ctx_store_begin(st, &err), &err);
	put(st, (char[]){"one"});
	CHECK_INT(ctx_entity_get(st, 1, &e, &err), 1);
	ctx_store_rollback(st);
	CHECK_INT(ctx_entity_get(st, 1, &e, &err), 0);
	store_must(ctx_store_begin(st, &err), &err);
	put(st, (char[]){"two"});
	store_must(ctx_store_commit(st, &err), &err);
	CHECK_INT(ctx_entity_get(st, 1, &e, &err), 1);
	CHECK_STR(e.name, "two");
	CHECK_INT(names(st), 1);
	ctx_entity_release(&e);
	ctx_store_close(st);
}

int
main(void)
{
	ctx_store_close(store_open());
	RUN(sees_what_is_in_the_log);
	RUN(does_without_side_files);
	RUN(is_one_state);
	RUN(beside_a_writer);
	RUN(is_empty_until_it_is_made);
	RUN(goes_with_a_rollback);
	store_remove();
	return TEST_END();
}
