/* The engine for SQLite: returns, overwrites and rewrites the space of the files. */
#include "store/purge.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "store/derived.h"
#include "store/engine_sqlite_blank.h"
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_pages.h"
#include "store/row.h"

#define WIPE_ATTEMPTS 10
#define VACUUM_PAGES 4000 /* pages returned in one transaction */

/* Calls fn for the store and, if it exists, for the derived file. */
static int
apply_to_both_dbs(struct ctx_store *st,
    int (*fn)(struct ctx_db *db, void *arg, struct ctx_err *err), void *arg,
    struct ctx_err *err)
{
	struct ctx_db *derived;

	if (ctx_db_is_whole(&st->db)) /* the server manages its space */
		return 0;
	if (fn(&st->db, arg, err) < 0)
		return -1;
	if (!ctx_derived_exists(st))
		return 0;
	derived = ctx_store_derived(st, err);
	if (derived == NULL)
		return -1;
	derived->progress = st->db.progress;
	return fn(derived, arg, err);
}

static int
set_secure(struct ctx_db *db, void *arg CTX_UNUSED, struct ctx_err *err)
{
	int64_t ignored;

	/* each page is rather written once, and as it was is not written to a file */
	if (ctx_db_cache(db, CTX_DB_CACHE_LARGE, err) < 0 ||
	    ctx_stmt_exec(db, "PRAGMA temp_store = MEMORY", err) < 0)
		return -1;
	return ctx_stmt_number(db, "PRAGMA secure_delete = ON", &ignored, err);
}

int
ctx_store_secure(struct ctx_store *st, struct ctx_err *err)
{
	return apply_to_both_dbs(st, set_secure, NULL, err);
}

static int
empty_log(struct ctx_db *db, struct ctx_err *err)
{
	int64_t busy;

	if (ctx_stmt_number(db, "PRAGMA wal_checkpoint(TRUNCATE)", &busy, err) < 0)
		return -1;
	if (busy != 0)
		return ctx_err_set(err, CTX_EBUSY,
		    "store '%s': another process is still reading from the write-ahead log, try again",
		    db->path);
	return 0;
}

static int
save_room(struct ctx_db *db, void *arg CTX_UNUSED, struct ctx_err *err)
{
	int64_t ignored;

	ctx_db_empty_log(db);
	return ctx_stmt_number(db, "PRAGMA secure_delete = FAST", &ignored, err);
}

void
ctx_store_save_room(struct ctx_store *st)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	apply_to_both_dbs(st, save_room, NULL, &ignored);
}

/* Whether SQLite gives free pages back when a transaction is committed. Preparing the
 * statement sets it for the connection; running it would write it to the file as well, where
 * other processes would follow it. */
static void
set_vacuum_at_commit(struct ctx_db *db, bool vacuum)
{
	sqlite3_stmt *q = NULL;

	sqlite3_prepare_v2(ctx_sqlite(db),
	    vacuum ? "PRAGMA auto_vacuum = FULL" : "PRAGMA auto_vacuum = INCREMENTAL", -1,
	    &q, NULL);
	sqlite3_finalize(q);
}

int
ctx_db_commit_smaller(struct ctx_db *db, int64_t *bytes, struct ctx_err *err)
{
	int64_t before, after;
	int rc;

	if (ctx_db_is_whole(db))
		return ctx_db_commit(db, err);
	if (ctx_db_size(db, &before, err) < 0)
		return -1;
	set_vacuum_at_commit(db, true);
	rc = ctx_db_commit(db, err);
	set_vacuum_at_commit(db, false);
	if (rc == 0)
		rc = ctx_db_size(db, &after, err);
	if (rc == 0)
		*bytes += before - after;
	return rc;
}

/* Returns up to *pages pages to the file system in a transaction. If there is no space
 * for the log of so many, *pages is reduced. */
static int
give_back(struct ctx_db *db, int *pages, struct ctx_err *err)
{
	int rc;

	do {
		err->code = CTX_OK;
		rc = ctx_db_begin(db, err);
		if (rc == 0)
			rc = ctx_db_set(db, "incremental_vacuum", *pages, err);
		rc = ctx_db_end(db, rc, err);
		if (rc < 0 && err->code == CTX_EIO) {
			ctx_db_empty_log(db);
			*pages /= 8;
		} else {
			break;
		}
	} while (*pages > 0);
	return rc;
}

static int
reclaim_free_pages(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	int64_t *bytes = arg, before, after = 0, all, free_pages, left = -1;
	int pages = VACUUM_PAGES;

	if (ctx_db_size(db, &before, err) < 0 ||
	    ctx_stmt_number(db, "PRAGMA freelist_count", &all, err) < 0)
		return -1;
	/* stop when the number no longer falls: a file made without auto_vacuum keeps its
	 * pages */
	for (free_pages = all; free_pages > 0 && free_pages != left;) {
		left = free_pages;
		if (give_back(db, &pages, err) < 0 ||
		    ctx_stmt_number(db, "PRAGMA freelist_count", &free_pages, err) < 0)
			return -1;
		if (db->progress != NULL && free_pages < left)
			db->progress(left - free_pages, "pages given back",
			    1 - (double)free_pages / (double)all);
	}
	if (empty_log(db, err) < 0 || ctx_db_size(db, &after, err) < 0)
		return -1;
	if (after < before)
		*bytes += before - after;
	return 0;
}

int
ctx_store_reclaim(struct ctx_store *st, int64_t *bytes, struct ctx_err *err)
{
	*bytes = 0;
	return apply_to_both_dbs(st, reclaim_free_pages, bytes, err);
}

static int
rewrite_db_file(struct ctx_db *db, void *arg CTX_UNUSED, struct ctx_err *err)
{
	if (ctx_stmt_exec(db, "VACUUM", err) < 0)
		return -1;
	return empty_log(db, err);
}

int
ctx_store_rewrite(struct ctx_store *st, struct ctx_err *err)
{
	return apply_to_both_dbs(st, rewrite_db_file, NULL, err);
}

/* ---- all bytes ---- */

static int
read_file_bytes(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	struct ctx_pages p;
	int rc = ctx_pages_open(&p, db, err);

	if (rc == 0)
		rc = ctx_pages_bytes(&p, arg, err);
	ctx_pages_close(&p);
	return rc;
}

int
ctx_store_bytes(
    struct ctx_store *st, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_pages_call call = {fn, arg};

	if (ctx_db_is_whole(&st->db))
		return st->db.engine->scan(&st->db, fn, arg, err);
	return apply_to_both_dbs(st, read_file_bytes, &call, err);
}

/* ---- bytes outside of rows ---- */

/* Takes the write lock while the log is empty, so that no process writes to the file. */
static int
lock_quiet_file(struct ctx_db *db, struct ctx_err *err)
{
	off_t size = 1;

	for (int attempt = 0; attempt < WIPE_ATTEMPTS; attempt++) {
		if (empty_log(db, err) < 0 || ctx_db_begin(db, err) < 0)
			return -1;
		size = 0;
		ctx_db_log(db, &size);
		if (size == 0)
			return 0;
		ctx_db_rollback(db);
	}
	return ctx_err_set(err, CTX_EBUSY,
	    "store '%s' is busy with writes of other processes all the time, try again",
	    db->path);
}

/* Overwrites the collected pages. Other connections may have cached the old pages and
 * could write them back, so a commit makes them read the pages again; the cache of this
 * connection is dropped. */
static int
wipe_pages(struct ctx_pages *p, struct ctx_err *err)
{
	struct ctx_db *db = p->db;
	int64_t version;
	int rc = lock_quiet_file(db, err);

	if (rc == 0 &&
	    (ctx_pages_wipe(p, err) < 0 ||
		ctx_stmt_number(db, "PRAGMA user_version", &version, err) < 0 ||
		ctx_db_set(db, "user_version", version, err) < 0 ||
		ctx_db_commit(db, err) < 0))
		rc = -1;
	if (rc == 0 && p->all)
		ctx_blank_mark(db);
	ctx_db_rollback(db);
	sqlite3_db_release_memory(ctx_sqlite(db));
	return rc;
}

struct wipe_call {
	ctx_store_found_fn *found;
	void *arg;
	bool search; /* all pages, though they were written without remains */
};

static int
wipe_file(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	const struct wipe_call *w = arg;
	struct ctx_pages p;
	bool marked = ctx_blank_is_marked(db);
	int rc, attempt = 0;

	if (marked && !w->search)
		return 0;
	rc = ctx_pages_open(&p, db, err);
	p.all = !marked;
	if (rc == 0)
		rc = ctx_pages_find(&p, w->found, w->arg, err);
	for (; rc == 1 && attempt < WIPE_ATTEMPTS; attempt++) {
		rc = empty_log(db, err);
		if (rc == 0)
			rc = ctx_pages_find(&p, w->found, w->arg, err);
	}
	if (rc == 0 && (p.n > 0 || p.all))
		rc = wipe_pages(&p, err);
	if (rc >= 0 && (p.n > 0 || attempt > 0))
		rc = ctx_pages_find_left(&p, w->found, w->arg, err);
	ctx_pages_close(&p);
	return rc;
}

int
ctx_store_wipe(struct ctx_store *st, bool search, ctx_store_found_fn *found, void *arg,
    struct ctx_err *err)
{
	struct wipe_call w = {found, arg, search};

	return apply_to_both_dbs(st, wipe_file, &w, err);
}

static int
check_mark(struct ctx_db *db, void *arg, struct ctx_err *err CTX_UNUSED)
{
	bool *blank = arg;

	*blank = *blank && ctx_blank_is_marked(db);
	return 0;
}

int
ctx_store_is_blank(struct ctx_store *st, bool *blank, struct ctx_err *err)
{
	*blank = true;
	return apply_to_both_dbs(st, check_mark, blank, err);
}

int
ctx_store_task(
    struct ctx_store *st, const char *task, bool wait, int *fd, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = 1;

	*fd = -1;
	if (ctx_db_is_whole(&st->db))
		return st->db.engine->task(&st->db, task, wait, err);
	ctx_buf_addf(&path, "%s-%s-lock", st->db.path, task);
	*fd = ctx_io_open_beside(path.p, st->db.path);
	if (*fd < 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path.p);
	else if (flock(*fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		rc = wait && ctx_db_wait_for_lock(*fd, st->db.busy_ms) == 0;
	if (rc == 0) {
		close(*fd);
		*fd = -1;
	}
	ctx_buf_release(&path);
	return rc;
}
