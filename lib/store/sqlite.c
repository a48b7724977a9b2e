/* What is SQLite's alone: the file, its locks and pragmas. */
#include "store/stmt.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/time.h"

static const char schema[] = {
#include "store/schema.sql.inc"
};

#define APPLICATION_ID 0x63747831   /* "ctx1" */
#define SCHEMA_VERSION 1

/* Pages in the write-ahead log at which a commit also check-points. The next process
 * that opens the store reads the log once, so a short log keeps start-up fast; a bulk
 * load rather writes each page once. */
#define CHECKPOINT_PAGES 100
#define CHECKPOINT_PAGES_BULK 4000

/* ---- the writers' queue ----
 * SQLite's own waiting polls with growing sleeps, so of many writers one can starve for
 * seconds. Writers queue on a lock of their own first, which the kernel hands on. */

static void
wake(int sig)
{
	(void)sig;   /* its arrival alone interrupts flock() */
}

/* flock() that gives up at the deadline: a repeating timer interrupts it. */
static int
wait_for_lock(int fd, int64_t busy_ms)
{
	struct sigaction act = {.sa_handler = wake}, old_act;
	struct itimerval tick = {{0, 50000}, {0, 50000}}, old_tick;
	int64_t deadline = ctx_time_monotonic() + busy_ms;
	int rc = -1;

	sigaction(SIGALRM, &act, &old_act);
	setitimer(ITIMER_REAL, &tick, &old_tick);
	do
		rc = flock(fd, LOCK_EX);
	while (rc < 0 && errno == EINTR && ctx_time_monotonic() < deadline);
	setitimer(ITIMER_REAL, &old_tick, NULL);
	sigaction(SIGALRM, &old_act, NULL);
	return rc;
}

static int
queue_enter(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;

	if (st->lock_fd < 0) {
		ctx_buf_addf(&path, "%s-lock", st->path);
		st->lock_fd = open(path.p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (st->lock_fd < 0)
			ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path.p);
		ctx_buf_release(&path);
		if (st->lock_fd < 0)
			return -1;
	}
	if (flock(st->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK && errno != EINTR)
		return 0;   /* a file system without flock: SQLite's own waiting must do */
	if (wait_for_lock(st->lock_fd, st->busy_ms) == 0)
		return 0;
	return ctx_err_set(err, CTX_EBUSY, "store '%s' is busy, try again", st->path);
}

static void
queue_leave(struct ctx_store *st)
{
	if (st->lock_fd >= 0)
		flock(st->lock_fd, LOCK_UN);
}

/* ---- transactions ---- */

int
ctx_store_begin(struct ctx_store *st, struct ctx_err *err)
{
	if (queue_enter(st, err) < 0)
		return -1;
	if (sqlite3_exec(st->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
		ctx_stmt_fail(st, err, "cannot write");
		queue_leave(st);
		return -1;
	}
	st->writing = true;
	return 0;
}

/* A statement that stands on a row would hold its snapshot beyond the transaction, and the
 * next write could not begin once somebody else has written. */
static void
reset_kept(struct ctx_store *st)
{
	for (int i = 0; i < CTX_STMT_N; i++)
		sqlite3_reset(st->kept[i]);
}

int
ctx_store_commit(struct ctx_store *st, struct ctx_err *err)
{
	reset_kept(st);
	if (sqlite3_exec(st->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
		ctx_stmt_fail(st, err, "cannot write");
		ctx_store_rollback(st);
		return -1;
	}
	st->writing = false;
	st->wrote = true;
	queue_leave(st);
	return 0;
}

void
ctx_store_rollback(struct ctx_store *st)
{
	if (!st->writing)
		return;
	reset_kept(st);
	sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
	st->writing = false;
	queue_leave(st);
}

int
ctx_store_begin_read(struct ctx_store *st, struct ctx_err *err)
{
	if (ctx_stmt_exec(st, "BEGIN", err) < 0)
		return -1;
	st->reading = true;
	return 0;
}

void
ctx_store_end_read(struct ctx_store *st)
{
	if (st->reading)
		sqlite3_exec(st->db, "COMMIT", NULL, NULL, NULL);
	st->reading = false;
}

/* ---- open ---- */

static int
make_directory(const char *path, struct ctx_err *err)
{
	char *copy = ctx_mem_str(path), *dir = dirname(copy);
	int rc = 0;

	for (char *slash = strchr(dir + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash != NULL)
			*slash = '\0';
		if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
			rc = ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", dir);
			break;
		}
		if (slash == NULL)
			break;
		*slash = '/';
	}
	free(copy);
	return rc;
}

/* SQLite gives its side files the permissions of the main one, so that is made first. */
static int
make_file(const char *path, struct ctx_err *err)
{
	int fd;

	if (make_directory(path, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path);
	close(fd);
	return 0;
}

static int
read_pragma(struct ctx_store *st, const char *sql, int64_t *value, struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(st, sql, err);
	int rc;

	if (q == NULL)
		return -1;
	rc = ctx_stmt_step(st, q, err);
	*value = rc == 1 ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_finalize(q);
	return rc < 0 ? -1 : 0;
}

struct identity {
	int64_t id, version, tables;
};

static bool
is_blank(const struct identity *is)
{
	/* the pages do not count: switching to WAL writes one before the schema is there */
	return is->id == 0 && is->version == 0 && is->tables == 0;
}

static int
read_numbers(struct ctx_store *st, struct identity *is, struct ctx_err *err)
{
	if (read_pragma(st, "PRAGMA application_id", &is->id, err) < 0 ||
	    read_pragma(st, "PRAGMA user_version", &is->version, err) < 0)
		return -1;
	return read_pragma(st, "SELECT count(*) FROM sqlite_master", &is->tables, err);
}

/* Lay the schema into an empty file. Two processes may try at once: the second finds
 * the work done. */
static int
create_schema(struct ctx_store *st, struct ctx_err *err)
{
	static const char numbers[] = "PRAGMA application_id = 1668577329;"
				      "PRAGMA user_version = 1;";
	struct identity is;
	int rc = -1;

	_Static_assert(APPLICATION_ID == 1668577329 && SCHEMA_VERSION == 1, "as in numbers");
	if (queue_enter(st, err) < 0)
		return -1;
	if (ctx_stmt_exec(st, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;",
		err) < 0 ||
	    ctx_stmt_exec(st, "BEGIN IMMEDIATE", err) < 0)
		goto done;
	st->writing = true;
	if (read_numbers(st, &is, err) < 0)
		goto done;
	if (is_blank(&is) &&
	    (ctx_stmt_exec(st, schema, err) < 0 || ctx_stmt_exec(st, numbers, err) < 0))
		goto done;
	rc = ctx_store_commit(st, err);
done:
	ctx_store_rollback(st);
	queue_leave(st);
	return rc;
}

static int
check_identity(struct ctx_store *st, bool create, struct ctx_err *err)
{
	struct identity is;
	int rc;

	/* one state, though another process may be making the store just now */
	if (ctx_store_begin_read(st, err) < 0)
		return -1;
	rc = read_numbers(st, &is, err);
	ctx_store_end_read(st);
	if (rc < 0)
		return -1;
	if (is.id == APPLICATION_ID) {
		if (is.version > SCHEMA_VERSION)
			return ctx_err_set(err, CTX_ESTORE,
			    "store '%s' is of a newer version (%lld; this program knows %d)",
			    st->path, (long long)is.version, SCHEMA_VERSION);
		return 0;
	}
	if (!is_blank(&is))
		return ctx_err_set(err, CTX_ESTORE, "'%s' is no ctx store", st->path);
	if (!create)
		return ctx_err_set(err, CTX_ESTORE, "store '%s' is empty", st->path);
	return create_schema(st, err);
}

static int
configure(struct ctx_store *st, const struct ctx_store_options *o, struct ctx_err *err)
{
	sqlite3_busy_timeout(st->db, (int)(o->busy_ms > INT32_MAX ? INT32_MAX : o->busy_ms));
	/* Closing check-points only what a bulk load left; see close. */
	sqlite3_db_config(st->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_wal_autocheckpoint(st->db, o->bulk ? CHECKPOINT_PAGES_BULK : CHECKPOINT_PAGES);
	if (check_identity(st, o->create, err) < 0)
		return -1;
	if (o->sync != CTX_SYNC_FULL)
		return ctx_stmt_exec(st,
		    o->sync == CTX_SYNC_OFF ? "PRAGMA synchronous = OFF"
					    : "PRAGMA synchronous = NORMAL",
		    err);
	return ctx_stmt_exec(st, "PRAGMA synchronous = FULL", err);
}

int
ctx_store_open(struct ctx_store **out, const struct ctx_store_options *o, struct ctx_err *err)
{
	struct ctx_store *st;

	*out = NULL;
	if (access(o->path, F_OK) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return ctx_err_sys(err, CTX_ESTORE, errno, "cannot open store '%s'", o->path);
		if (!o->create)
			return ctx_err_set(err, CTX_ESTORE,
			    "no store at '%s' (ctx-new or ctx-append --create makes one)", o->path);
		if (make_file(o->path, err) < 0)
			return -1;
	}
	st = ctx_mem_new(sizeof(*st));
	st->path = ctx_mem_str(o->path);
	st->tenant = ctx_mem_str(o->tenant);
	st->busy_ms = o->busy_ms;
	st->lock_fd = -1;
	st->bulk = o->bulk;
	if (sqlite3_open_v2(o->path, &st->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
		NULL) != SQLITE_OK) {
		ctx_stmt_fail(st, err, "cannot open");
		goto fail;
	}
	sqlite3_extended_result_codes(st->db, 1);
	if (configure(st, o, err) < 0)
		goto fail;
	*out = st;
	return 0;
fail:
	ctx_store_close(st);
	return -1;
}

void
ctx_store_close(struct ctx_store *st)
{
	if (st == NULL)
		return;
	ctx_store_rollback(st);
	ctx_store_end_read(st);
	for (int i = 0; i < CTX_STMT_N; i++)
		sqlite3_finalize(st->kept[i]);
	if (st->bulk && st->wrote) {   /* if nobody is in the way */
		sqlite3_busy_timeout(st->db, 0);
		sqlite3_wal_checkpoint_v2(st->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	}
	sqlite3_close(st->db);
	if (st->lock_fd >= 0)
		close(st->lock_fd);
	for (size_t i = 0; i < st->n_tokenizers; i++)
		free(st->tokenizers[i]);
	free(st->tokenizers);
	free(st->tenant);
	free(st->path);
	free(st);
}
