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

/* The next process that opens the store reads the write-ahead log once, so a short log
 * keeps start-up fast: a log of this many pages is emptied by the writer that leaves it.
 * Of 16, 32, 64 and 100, 32 took the least time for an append all in all. */
#define LOG_PAGES 32
/* While a writer runs, each page of a bulk load is rather written once. */
#define LOG_PAGES_BULK 4000

/* ---- the writers' queue ----
 * SQLite's own waiting polls with growing sleeps, so of many writers one can starve for
 * seconds. Writers queue on a lock of their own first, which the kernel hands on. */

static void
wake(int sig)
{
	(void)sig; /* its arrival alone interrupts flock() */
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
queue_enter(struct ctx_db *db, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;

	if (db->lock_fd < 0) {
		ctx_buf_addf(&path, "%s-lock", db->path);
		db->lock_fd = open(path.p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (db->lock_fd < 0)
			ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path.p);
		ctx_buf_release(&path);
		if (db->lock_fd < 0)
			return -1;
	}
	if (flock(db->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK && errno != EINTR)
		return 0; /* a file system without flock: SQLite's own waiting must do */
	if (db->busy_ms > 0 && wait_for_lock(db->lock_fd, db->busy_ms) == 0)
		return 0;
	return ctx_err_set(err, CTX_EBUSY, "store '%s' is busy, try again", db->path);
}

static void
queue_leave(struct ctx_db *db)
{
	if (db->lock_fd >= 0)
		flock(db->lock_fd, LOCK_UN);
}

/* ---- transactions ---- */

/* A file that was deleted or replaced would take what nobody can find again. */
static int
check_place(struct ctx_db *db, struct ctx_err *err)
{
	int moved = 0;

	sqlite3_file_control(db->h, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return !moved ? 0
		      : ctx_err_set(err, CTX_ESTORE,
			    "'%s' was deleted or replaced meanwhile", db->path);
}

static int
begin(struct ctx_db *db, struct ctx_err *err)
{
	if (check_place(db, err) < 0 || queue_enter(db, err) < 0)
		return -1;
	if (sqlite3_exec(db->h, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
		ctx_stmt_fail(db, err, "cannot write");
		queue_leave(db);
		return -1;
	}
	db->writing = true;
	return 0;
}

int
ctx_db_begin(struct ctx_db *db, struct ctx_err *err)
{
	int64_t start = db->times == NULL ? 0 : ctx_time_monotonic_us();
	int rc = begin(db, err);

	if (db->times != NULL) {
		db->times->wait_us += ctx_time_monotonic_us() - start;
		db->times->begun++;
	}
	return rc;
}

/* A statement that stands on a row would hold its snapshot beyond the transaction, and the
 * next write could not begin once somebody else has written. */
static void
reset_kept(struct ctx_db *db)
{
	for (int i = 0; i < CTX_STMT_N; i++)
		sqlite3_reset(db->kept[i]);
}

static int
commit(struct ctx_db *db, struct ctx_err *err)
{
	reset_kept(db);
	if (sqlite3_exec(db->h, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
		ctx_stmt_fail(db, err, "cannot write");
		ctx_db_rollback(db);
		return -1;
	}
	db->writing = false;
	queue_leave(db);
	return 0;
}

int
ctx_db_commit(struct ctx_db *db, struct ctx_err *err)
{
	int64_t start = db->times == NULL ? 0 : ctx_time_monotonic_us();
	int rc = commit(db, err);

	if (db->times != NULL) {
		db->times->commit_us += ctx_time_monotonic_us() - start;
		db->times->committed++;
	}
	return rc;
}

void
ctx_db_rollback(struct ctx_db *db)
{
	if (!db->writing)
		return;
	reset_kept(db);
	sqlite3_exec(db->h, "ROLLBACK", NULL, NULL, NULL);
	db->writing = false;
	queue_leave(db);
}

int
ctx_db_begin_read(struct ctx_db *db, struct ctx_err *err)
{
	if (ctx_stmt_exec(db, "BEGIN", err) < 0)
		return -1;
	db->reading = true;
	return 0;
}

void
ctx_db_end_read(struct ctx_db *db)
{
	if (db->reading)
		sqlite3_exec(db->h, "COMMIT", NULL, NULL, NULL);
	db->reading = false;
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
read_pragma(struct ctx_db *db, const char *sql, int64_t *value, struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(db, sql, err);
	int rc;

	if (q == NULL)
		return -1;
	rc = ctx_stmt_step(db, q, err);
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
read_numbers(struct ctx_db *db, struct identity *is, struct ctx_err *err)
{
	is->tables = 0;
	if (read_pragma(db, "PRAGMA application_id", &is->id, err) < 0 ||
	    read_pragma(db, "PRAGMA user_version", &is->version, err) < 0)
		return -1;
	return is->id != 0 ? 0
			   : read_pragma(db, "SELECT count(*) FROM sqlite_master",
				 &is->tables, err);
}

/* Lay the schema into an empty file. Two processes may try at once: the second finds
 * the work done. */
static int
create_schema(struct ctx_db *db, const struct ctx_db_kind *kind, struct ctx_err *err)
{
	struct ctx_buf numbers = CTX_BUF_INIT;
	struct identity is;
	int rc = -1;

	ctx_buf_addf(&numbers,
	    "PRAGMA application_id = %lld; PRAGMA user_version = %lld;",
	    (long long)kind->application_id, (long long)kind->version);
	if (queue_enter(db, err) < 0)
		goto done;
	if (ctx_stmt_exec(db,
		"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;",
		err) < 0 ||
	    ctx_stmt_exec(db, "BEGIN IMMEDIATE", err) < 0)
		goto done;
	db->writing = true;
	if (read_numbers(db, &is, err) < 0)
		goto done;
	if (is_blank(&is) && (ctx_stmt_exec(db, kind->schema, err) < 0 ||
				 ctx_stmt_exec(db, numbers.p, err) < 0))
		goto done;
	rc = ctx_db_commit(db, err);
done:
	ctx_db_rollback(db);
	queue_leave(db);
	ctx_buf_release(&numbers);
	return rc;
}

static int
check_identity(
    struct ctx_db *db, const struct ctx_db_kind *kind, bool create, struct ctx_err *err)
{
	struct identity is;
	int rc;

	if (read_numbers(db, &is, err) < 0)
		return -1;
	if (is.id != kind->application_id) {
		/* another process may be making it just now: look at one state */
		if (ctx_db_begin_read(db, err) < 0)
			return -1;
		rc = read_numbers(db, &is, err);
		ctx_db_end_read(db);
		if (rc < 0)
			return -1;
	}
	if (is.id == kind->application_id) {
		if (is.version > kind->version)
			return ctx_err_set(err, CTX_ESTORE,
			    "%s '%s' is of a newer version (%lld; this program knows "
			    "%lld)",
			    kind->what, db->path, (long long)is.version,
			    (long long)kind->version);
		if (is.version < kind->version && kind->derived)
			return ctx_err_set(err, CTX_ESTORE,
			    "%s '%s' is of an older version (%lld)", kind->what, db->path,
			    (long long)is.version);
		return 0;
	}
	if (!is_blank(&is))
		return ctx_err_set(
		    err, CTX_ESTORE, "'%s' is no ctx %s", db->path, kind->what);
	if (!create)
		return ctx_err_set(
		    err, CTX_ESTORE, "%s '%s' is empty", kind->what, db->path);
	return create_schema(db, kind, err);
}

static int
after_commit(void *arg, sqlite3 *h, const char *schema, int log_pages)
{
	struct ctx_db *db = arg;

	db->log_pages = log_pages;
	if (log_pages >= LOG_PAGES_BULK) /* what readers hold back stays for later */
		sqlite3_wal_checkpoint_v2(
		    h, schema, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

/* Copying the log into the store is not enough: only who has the store open knows that it
 * was done, and the next process would read and copy it all again. Emptied it is short. */
static void
empty_log(struct ctx_db *db)
{
	sqlite3_busy_timeout(db->h, 0); /* only if nobody is in the way */
	sqlite3_wal_checkpoint_v2(db->h, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

static int
configure(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	static const char *const sync[] = {"PRAGMA synchronous = FULL",
	    "PRAGMA synchronous = NORMAL", "PRAGMA synchronous = OFF"};

	sqlite3_extended_result_codes(db->h, 1);
	sqlite3_busy_timeout(
	    db->h, (int)(o->busy_ms > INT32_MAX ? INT32_MAX : o->busy_ms));
	sqlite3_db_config(db->h, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_wal_hook(db->h, after_commit, db);
	if (check_identity(db, kind, o->create, err) < 0)
		return -1;
	if (o->bulk && ctx_stmt_exec(db, "PRAGMA cache_size = -32768", err) < 0)
		return -1;
	return ctx_stmt_exec(db, sync[o->sync], err);
}

/* No locks and statistics around each allocation: one thread uses SQLite. No store of
 * pages ahead of need either: a tool reads a dozen. Does nothing once SQLite runs. */
static void
configure_sqlite(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

/* ---- stores that may only be read ---- */

/* Side files are made next to the store: is there no way to make them? */
static bool
is_beyond_writing(const char *path)
{
	char *copy = ctx_mem_str(path);
	bool beyond = access(dirname(copy), W_OK) < 0;

	free(copy);
	return beyond;
}

static bool
has_log(const char *path)
{
	struct ctx_buf log = CTX_BUF_INIT;
	struct stat st;
	bool has;

	ctx_buf_addf(&log, "%s-wal", path);
	has = stat(log.p, &st) == 0 ? st.st_size > 0 : errno != ENOENT;
	ctx_buf_release(&log);
	return has;
}

static void
add_uri(struct ctx_buf *b, const char *path)
{
	ctx_buf_adds(b, path[0] == '/' ? "file://" : "file:");
	for (; *path != '\0'; path++)
		if (strchr("/._-", *path) != NULL || (*path >= '0' && *path <= '9') ||
		    (*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z'))
			ctx_buf_addc(b, *path);
		else
			ctx_buf_addf(b, "%%%02X", (unsigned char)*path);
	ctx_buf_adds(b, "?immutable=1");
}

/* SQLite keeps an index of the log in a side file, even where there is no log, as beside a
 * copy. Where none can be made the store is read as a file that nobody changes: who could,
 * would have left a log. Called with the error of the first attempt. */
static int
open_unchanging(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	int code = sqlite3_errcode(db->h) & 0xff;
	struct ctx_buf uri = CTX_BUF_INIT;
	int rc;

	if ((code != SQLITE_READONLY && code != SQLITE_CANTOPEN) ||
	    !is_beyond_writing(o->path))
		return -1;
	if (has_log(o->path))
		return ctx_err_set(err, CTX_EIO,
		    "%s '%s' has a log (-wal), which cannot be read where nothing may be "
		    "written: read a copy",
		    kind->what, o->path);
	sqlite3_close(db->h);
	add_uri(&uri, o->path);
	rc = sqlite3_open_v2(uri.p, &db->h,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	ctx_buf_release(&uri);
	if (rc != SQLITE_OK)
		return ctx_stmt_fail(db, err, "cannot open");
	err->code = CTX_OK;
	return configure(db, kind, o, err);
}

int
ctx_db_open(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	memset(db, 0, sizeof(*db));
	db->path = ctx_mem_str(o->path);
	db->busy_ms = o->busy_ms;
	db->lock_fd = -1;
	if (access(o->path, F_OK) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return ctx_err_sys(err, CTX_ESTORE, errno, "cannot open %s '%s'",
			    kind->what, o->path);
		if (!o->create)
			return ctx_err_set(err, CTX_ESTORE,
			    "no %s at '%s' (ctx-new or ctx-append --create makes one)",
			    kind->what, o->path);
		if (make_file(o->path, err) < 0)
			return -1;
	}
	configure_sqlite();
	if (sqlite3_open_v2(o->path, &db->h, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
		NULL) != SQLITE_OK)
		return ctx_stmt_fail(db, err, "cannot open");
	if (configure(db, kind, o, err) < 0 && open_unchanging(db, kind, o, err) < 0)
		return -1;
	db->times = o->times; /* making a file is part of opening it */
	return 0;
}

void
ctx_db_close(struct ctx_db *db)
{
	ctx_db_rollback(db);
	ctx_db_end_read(db);
	for (int i = 0; i < CTX_STMT_N; i++)
		sqlite3_finalize(db->kept[i]);
	if (db->log_pages >= LOG_PAGES)
		empty_log(db);
	sqlite3_close(db->h);
	if (db->lock_fd >= 0)
		close(db->lock_fd);
	free(db->path);
	memset(db, 0, sizeof(*db));
	db->lock_fd = -1;
}
