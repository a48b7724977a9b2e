/* Space and bytes: what is SQLite's alone in giving back, overwriting and rewriting. */
#include "store/purge.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "store/derived.h"
#include "store/page_free.h"
#include "store/rows.h"

#define VACUUM_PAGES 4000 /* given back in one transaction */

/* To the store and, where there is one, to the derived file. */
static int
apply_to_both_dbs(struct ctx_store *st,
    int (*fn)(struct ctx_db *db, void *arg, struct ctx_err *err), void *arg,
    struct ctx_err *err)
{
	struct ctx_db *derived;

	if (fn(&st->db, arg, err) < 0)
		return -1;
	if (!ctx_derived_exists(st))
		return 0;
	derived = ctx_store_derived(st, err);
	return derived == NULL ? -1 : fn(derived, arg, err);
}

static int
set_secure(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	int64_t ignored;

	(void)arg;
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
		    "store '%s': a reader keeps its log from being emptied, try again",
		    db->path);
	return 0;
}

static int
save_room(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	int64_t ignored;

	(void)arg;
	ctx_db_empty_log(db);
	return ctx_stmt_number(db, "PRAGMA secure_delete = FAST", &ignored, err);
}

void
ctx_store_save_room(struct ctx_store *st)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	apply_to_both_dbs(st, save_room, NULL, &ignored);
}

/* Some pages, in a transaction of their own; as many as the room for its log allows. */
static int
give_back(struct ctx_db *db, int *pages, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	int rc;

	do {
		ctx_buf_reset(&sql);
		ctx_buf_addf(&sql, "PRAGMA incremental_vacuum(%d)", *pages);
		err->code = CTX_OK;
		rc = ctx_db_begin(db, err);
		if (rc == 0)
			rc = ctx_stmt_exec(db, sql.p, err);
		if (rc == 0)
			rc = ctx_db_commit(db, err);
		ctx_db_rollback(db);
		if (rc < 0 && err->code == CTX_EIO) {
			ctx_db_empty_log(db);
			*pages /= 8;
		} else {
			break;
		}
	} while (*pages > 0);
	ctx_buf_release(&sql);
	return rc;
}

static int
reclaim_free_pages(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	int64_t *bytes = arg, before, after = 0, size, free_pages = 1, left = -1;
	int pages = VACUUM_PAGES;

	if (ctx_stmt_number(db, "PRAGMA page_count", &before, err) < 0 ||
	    ctx_stmt_number(db, "PRAGMA page_size", &size, err) < 0)
		return -1;
	/* as long as it gets less: a file made without auto_vacuum keeps its pages */
	while (free_pages > 0 && free_pages != left) {
		left = free_pages;
		if (give_back(db, &pages, err) < 0 ||
		    ctx_stmt_number(db, "PRAGMA freelist_count", &free_pages, err) < 0)
			return -1;
	}
	if (empty_log(db, err) < 0 ||
	    ctx_stmt_number(db, "PRAGMA page_count", &after, err) < 0)
		return -1;
	if (after < before)
		*bytes += (before - after) * size;
	return 0;
}

int
ctx_store_reclaim(struct ctx_store *st, int64_t *bytes, struct ctx_err *err)
{
	*bytes = 0;
	return apply_to_both_dbs(st, reclaim_free_pages, bytes, err);
}

static int
rewrite_db_file(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	(void)arg;
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

#define CHUNK ((size_t)1 << 18)

struct reading {
	ctx_store_bytes_fn *fn;
	void *arg;
	struct ctx_buf chunk;
	bool free_only; /* of pages: what holds no row */
};

static void
read_free(void *arg, struct ctx_span part)
{
	struct reading *r = arg;

	r->fn(r->arg, part, true);
}

/* Pages from number on. */
static void
read_pages(struct reading *r, size_t n, size_t size, int64_t number)
{
	for (size_t at = 0; at < n; at += size)
		ctx_page_free(
		    (struct ctx_span){r->chunk.p + at, n - at < size ? n - at : size},
		    number++, read_free, r);
}

/* Through SQLite's own descriptor: closing another one of the same file would drop the locks
 * that this process has on it. */
static int
read_database(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	struct reading *r = arg;
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 0;
	int64_t page;

	if (ctx_stmt_number(db, "PRAGMA page_size", &page, err) < 0)
		return -1;
	sqlite3_file_control(db->h, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (file == NULL || file->pMethods == NULL ||
	    file->pMethods->xFileSize(file, &size) != SQLITE_OK)
		return ctx_err_set(err, CTX_EIO, "cannot read '%s'", db->path);
	for (sqlite3_int64 at = 0; at < size;) {
		int n = size - at < (sqlite3_int64)CHUNK ? (int)(size - at) : (int)CHUNK;
		if (file->pMethods->xRead(file, r->chunk.p, n, at) != SQLITE_OK)
			return ctx_err_set(err, CTX_EIO, "cannot read '%s'", db->path);
		if (r->free_only)
			read_pages(r, (size_t)n, (size_t)page, at / page + 1);
		else
			r->fn(r->arg, (struct ctx_span){r->chunk.p, (size_t)n}, at == 0);
		at += n;
	}
	return 0;
}

/* No process has locks on a log. */
static int
read_purge_log(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	struct reading *r = arg;
	struct ctx_buf path = CTX_BUF_INIT;
	bool first = true;
	long n = 0;
	int fd;

	ctx_buf_addf(&path, "%s-wal", db->path);
	fd = ctx_io_open_found(path.p);
	while (fd >= 0 && (n = ctx_io_read(fd, r->chunk.p, CHUNK)) > 0) {
		r->fn(r->arg, (struct ctx_span){r->chunk.p, (size_t)n}, first);
		first = false;
	}
	if (n < 0 || (fd < 0 && errno != ENOENT))
		n = ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s'", path.p);
	if (fd >= 0)
		close(fd);
	ctx_buf_release(&path);
	return n < 0 ? -1 : 0;
}

static int
read_files(struct ctx_db *db, void *arg, struct ctx_err *err)
{
	return read_database(db, arg, err) < 0 || read_purge_log(db, arg, err) < 0 ? -1
										   : 0;
}

static int
read_both(struct ctx_store *st, struct reading *r, struct ctx_err *err)
{
	int rc;

	ctx_buf_reserve(&r->chunk, CHUNK);
	rc = apply_to_both_dbs(st, read_files, r, err);
	ctx_buf_release(&r->chunk);
	return rc;
}

int
ctx_store_bytes(
    struct ctx_store *st, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
{
	struct reading r = {.fn = fn, .arg = arg};

	return read_both(st, &r, err);
}

int
ctx_store_free_bytes(
    struct ctx_store *st, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err)
{
	struct reading r = {.fn = fn, .arg = arg, .free_only = true};

	return read_both(st, &r, err);
}

int
ctx_store_task(
    struct ctx_store *st, const char *task, bool wait, int *fd, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = 1;

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
