/* The engine for SQLite: using a file: the queue of writers, transactions, the
 * write-ahead log. */
#include "store/engine_sqlite.h"
#include "store/row.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"

/* Each process that opens the store reads the write-ahead log once, so a short log keeps
 * start-up fast. A log of this many pages is emptied by the writer that closes the store.
 * Of 16, 32, 64 and 100 pages, 32 took the least time for an append in total. */
#define LOG_PAGES 32
/* While a writer runs, the log is copied at this size, so that a bulk load writes most
 * pages to the file only once. */
#define LOG_PAGES_BULK 4000

/* ---- queue of writers ----
 *
 * SQLite waits for other writers by polling with growing pauses, so that one of many
 * writers can starve for seconds. Therefore writers first queue on a lock of their own,
 * which the kernel passes on. */

static void
interrupt_lock_wait(int sig)
{
	(void)sig; /* the arrival of the signal interrupts flock() */
}

/* A repeating timer interrupts flock(), so that the deadline is checked. */
int
ctx_db_wait_for_lock(int fd, int64_t busy_ms)
{
	struct sigaction act = {.sa_handler = interrupt_lock_wait}, old_act;
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

/* Returns true if only the lock file is inaccessible, because another user created it.
 * SQLite's own waiting is used then. */
static bool
is_locked_out(const struct ctx_db *db, const char *lock)
{
	return access(lock, F_OK) == 0 && access(db->path, W_OK) == 0;
}

int
ctx_db_queue_enter(struct ctx_db *db, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int why, rc;
	bool out;

	if (db->scratch)
		return 0;
	if (db->lock_fd < 0) {
		ctx_buf_addf(&path, "%s-lock", db->path);
		db->lock_fd = ctx_io_open_beside(path.p, db->path);
		why = errno;
		out = db->lock_fd < 0 && why == EACCES && is_locked_out(db, path.p);
		if (db->lock_fd < 0 && !out)
			ctx_err_sys(err, CTX_EIO, why, "cannot open '%s'", path.p);
		ctx_buf_release(&path);
		if (db->lock_fd < 0)
			return out ? 0 : -1;
	}
	do
		rc = flock(db->lock_fd, LOCK_EX | LOCK_NB);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		/* a file system without flock(): SQLite's own waiting is used */
		return 0;
	if (db->busy_ms > 0 && ctx_db_wait_for_lock(db->lock_fd, db->busy_ms) == 0)
		return 0;
	return ctx_err_set(err, CTX_EBUSY, "store '%s' is busy, try again", db->path);
}

void
ctx_db_queue_leave(struct ctx_db *db)
{
	if (db->lock_fd >= 0)
		flock(db->lock_fd, LOCK_UN);
}

/* ---- transactions ---- */

ino_t
ctx_db_log(const struct ctx_db *db, off_t *size)
{
	const char *path = sqlite3_filename_wal(
	    sqlite3_db_filename(ctx_sqlite(db), "main"));
	struct stat st = {.st_size = 0};

	if (path == NULL || stat(path, &st) < 0)
		return 0;
	if (size != NULL)
		*size = st.st_size;
	return st.st_ino;
}

bool
ctx_db_header(struct ctx_db *db, int64_t at, unsigned char *out, int n)
{
	sqlite3_file *file = NULL;

	sqlite3_file_control(ctx_sqlite(db), "main", SQLITE_FCNTL_FILE_POINTER, &file);
	return file != NULL && file->pMethods != NULL &&
	       file->pMethods->xRead(file, out, n, at) == SQLITE_OK;
}

/* Checks that the file is still in its place. Data written to a deleted or replaced file
 * would be lost. */
static int
check_db_place(struct ctx_db *db, struct ctx_err *err)
{
	if (db->scratch)
		return 0;
	if (ctx_db_has_moved(db))
		return ctx_err_set(err, CTX_ESTORE,
		    "'%s' was deleted or replaced while it was open", db->path);
	if (db->log != 0 && ctx_db_log(db, NULL) != db->log)
		return ctx_err_set(err, CTX_ESTORE,
		    "the write-ahead log of '%s' was deleted or replaced while it was open",
		    db->path);
	return 0;
}

/* Creates a missing write-ahead log, without which readers and writers wait for each
 * other. A file made by VACUUM INTO has no log. A store whose creation was interrupted
 * may have a log that its header does not record yet. SQLite refuses while others read
 * the file; a later command tries again. */
static void
use_log(struct ctx_db *db)
{
	unsigned char version;

	if (db->asked_for_log || !ctx_db_header(db, CTX_DB_READ_VERSION, &version, 1))
		return;
	db->asked_for_log = true;
	if (version == CTX_DB_VERSION_LOG)
		return;
	sqlite3_exec(ctx_sqlite(db),
	    "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL", NULL, NULL, NULL);
	db->log = ctx_db_log(db, NULL);
}

/* Removes the mark of a copy before the first write, so that a newer copy does not
 * replace the file. */
static int
end_copy(struct ctx_db *db, struct ctx_err *err)
{
	int64_t id;
	int rc = ctx_stmt_number(db, "PRAGMA application_id", &id, err);

	if (rc == 0 && id == db->kind->copy_id)
		rc = ctx_db_set(db, "application_id", db->kind->application_id, err);
	return rc;
}

int
ctx_sqlite_begin(struct ctx_db *db, struct ctx_err *err)
{
	if (check_db_place(db, err) < 0 || ctx_db_queue_enter(db, err) < 0)
		return -1;
	use_log(db);
	if (sqlite3_exec(ctx_sqlite(db), "BEGIN IMMEDIATE", NULL, NULL, NULL) !=
	    SQLITE_OK) {
		ctx_sqlite_stmt_fail(db, err, "cannot write");
		ctx_db_queue_leave(db);
		return -1;
	}
	db->writing = true;
	if (db->was_copy && end_copy(db, err) < 0) {
		ctx_db_rollback(db);
		return -1;
	}
	return 0;
}

int
ctx_sqlite_commit(struct ctx_db *db, struct ctx_err *err)
{
	if (sqlite3_exec(ctx_sqlite(db), "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		return ctx_sqlite_stmt_fail(db, err, "cannot write");
	db->writing = false;
	ctx_db_queue_leave(db);
	return 0;
}

void
ctx_sqlite_rollback(struct ctx_db *db)
{
	sqlite3_exec(ctx_sqlite(db), "ROLLBACK", NULL, NULL, NULL);
	db->writing = false;
	ctx_db_queue_leave(db);
}

int
ctx_sqlite_begin_read(struct ctx_db *db, struct ctx_err *err)
{
	db->saw_read = false;
	return ctx_stmt_exec(db, "BEGIN", err);
}

void
ctx_sqlite_end_read(struct ctx_db *db)
{
	sqlite3_exec(ctx_sqlite(db), "COMMIT", NULL, NULL, NULL);
}

/* ---- log and closing ---- */

int
ctx_db_after_commit(void *arg, sqlite3 *h, const char *schema, int log_pages)
{
	struct ctx_db *db = arg;

	db->log_pages = log_pages;
	/* pages that readers still need are copied later */
	if (log_pages >= LOG_PAGES_BULK)
		sqlite3_wal_checkpoint_v2(
		    h, schema, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

void
ctx_sqlite_wait(struct ctx_db *db, int64_t ms)
{
	sqlite3_busy_timeout(ctx_sqlite(db), (int)(ms > INT32_MAX ? INT32_MAX : ms));
}

void
ctx_db_checkpoint(struct ctx_db *db)
{
	sqlite3_wal_checkpoint_v2(
	    ctx_sqlite(db), NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

/* The log is truncated, not only copied into the store: only processes that have the
 * store open know that it was copied, and the next one would read and copy it again. */
void
ctx_db_empty_log(struct ctx_db *db)
{
	ctx_db_wait(db, 0);
	ctx_db_checkpoint(db);
	ctx_db_wait(db, db->busy_ms);
}

void
ctx_sqlite_close(struct ctx_db *db)
{
	if (db->log_pages >= LOG_PAGES)
		ctx_db_empty_log(db);
	sqlite3_close(ctx_sqlite(db));
	if (db->lock_fd >= 0)
		close(db->lock_fd);
}
