/* The engine for SQLite: information about a connection, and other files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_blank.h"
#include "store/row.h"

#define COPY_PAGES 1000 /* pages copied between two reports of progress */

enum ctx_db_failure
ctx_sqlite_failure(const struct ctx_db *db)
{
	int code = sqlite3_extended_errcode(ctx_sqlite(db));

	if (code == SQLITE_CONSTRAINT_UNIQUE)
		return CTX_DB_DUPLICATE;
	switch (code & 0xff) {
	case SQLITE_CONSTRAINT:
		return CTX_DB_CONSTRAINT;
	case SQLITE_ERROR:
		return CTX_DB_BAD_SQL;
	case SQLITE_CANTOPEN:
		return CTX_DB_CANNOT_OPEN;
	default:
		return CTX_DB_OTHER;
	}
}

bool
ctx_sqlite_has_table(const struct ctx_db *db, const char *table)
{
	return sqlite3_table_column_metadata(ctx_sqlite(db), "main", table, NULL, NULL,
		   NULL, NULL, NULL, NULL) == SQLITE_OK;
}

bool
ctx_sqlite_has_column(const struct ctx_db *db, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(ctx_sqlite(db), NULL, table, column, NULL,
		   NULL, NULL, NULL, NULL) == SQLITE_OK;
}

int64_t
ctx_sqlite_changes(const struct ctx_db *db)
{
	return sqlite3_changes64(ctx_sqlite(db));
}

int64_t
ctx_sqlite_total_changes(const struct ctx_db *db)
{
	return sqlite3_total_changes64(ctx_sqlite(db));
}

const char *
ctx_db_file(const struct ctx_db *db)
{
	return sqlite3_db_filename(ctx_sqlite(db), "main");
}

bool
ctx_db_has_moved(const struct ctx_db *db)
{
	int moved = 0;

	if (!ctx_db_is_whole(db))
		sqlite3_file_control(
		    ctx_sqlite(db), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved;
}

int
ctx_sqlite_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err CTX_UNUSED)
{
	struct stat file = {0};

	stat(ctx_db_file(db), &file);
	*number = (int64_t)file.st_ino;
	return 0;
}

int
ctx_sqlite_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err)
{
	return ctx_stmt_number(db,
	    "SELECT page_count * page_size "
	    "FROM pragma_page_count(), pragma_page_size()",
	    bytes, err);
}

int
ctx_db_check(struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r;

	/* the server has its own checks (pg_amcheck, checksums) */
	if (ctx_db_is_whole(db))
		return 0;
	r = ctx_rows(db, "check", "PRAGMA integrity_check", NULL, 0, err);
	while (ctx_rows_next(&r)) {
		struct ctx_span text = ctx_stmt_span(r.q, 0);
		if (!ctx_span_is(text, "ok"))
			fn(arg, text);
	}
	return ctx_rows_end(&r) < 0 ? -1 : ctx_sqlite_index_check(db, fn, arg, err);
}

/* Tables inside a virtual table are left out, because they depend on SQLite's version. */
int
ctx_db_columns(struct ctx_db *db, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "schema",
	    "SELECT m.name || '.' || c.name "
	    "FROM sqlite_master m, pragma_table_info(m.name) c "
	    "WHERE m.type = 'table' "
	    "AND (m.name NOT GLOB 'fulltext_*' OR m.name = 'fulltext_kept') "
	    "AND m.name NOT GLOB 'sqlite_*' "
	    "ORDER BY m.name, c.cid",
	    NULL, 0, err);

	while (ctx_rows_next(&r)) {
		ctx_buf_addspan(out, ctx_stmt_span(r.q, 0));
		ctx_buf_addc(out, ' ');
	}
	return ctx_rows_end(&r);
}

int
ctx_db_cache(struct ctx_db *db, int kib, struct ctx_err *err)
{
	return ctx_db_is_whole(db) ? 0 : ctx_db_set(db, "cache_size", -kib, err);
}

int
ctx_db_set(struct ctx_db *db, const char *name, int64_t value, struct ctx_err *err)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "PRAGMA %s = %lld", name, (long long)value);
	return ctx_stmt_exec(db, sql, err);
}

/* ---- other files ---- */

int
ctx_db_remove_files(const char *path, const char *const ends[], struct ctx_err *err)
{
	struct ctx_buf file = CTX_BUF_INIT;
	int rc = 0;

	for (; rc == 0 && *ends != NULL; ends++) {
		ctx_buf_reset(&file);
		ctx_buf_addf(&file, "%s%s", path, *ends);
		if (unlink(file.p) < 0 && errno != ENOENT && err != NULL)
			rc = ctx_err_sys(
			    err, CTX_EIO, errno, "cannot remove '%s'", file.p);
	}
	ctx_buf_release(&file);
	return rc;
}

static void
append_db_uri(struct ctx_buf *b, const char *path)
{
	ctx_buf_adds(b, path[0] == '/' ? "file://" : "file:");
	for (; *path != '\0'; path++)
		if (strchr("/._-", *path) != NULL || (*path >= '0' && *path <= '9') ||
		    (*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z'))
			ctx_buf_addc(b, *path);
		else
			ctx_buf_addf(b, "%%%02X", (unsigned char)*path);
}

int
ctx_sqlite_open(struct ctx_db *db, const char *path, int flags)
{
	sqlite3 *h = NULL;
	bool writes = (flags & SQLITE_OPEN_READWRITE) != 0;
	int rc = sqlite3_open_v2(path, &h, flags, writes ? ctx_blank_vfs() : NULL);

	db->h = (struct ctx_connection *)h;
	return rc;
}

int
ctx_db_open_uri(struct ctx_db *db, const char *parameter)
{
	struct ctx_buf uri = CTX_BUF_INIT;
	int rc;

	append_db_uri(&uri, db->path);
	ctx_buf_adds(&uri, parameter);
	rc = ctx_sqlite_open(
	    db, uri.p, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX);
	ctx_buf_release(&uri);
	db->read_only = true;
	return rc;
}

int
ctx_db_open_memory(struct ctx_db *db, const char *path, struct ctx_err *err)
{
	*db = (struct ctx_db){
	    .engine = &ctx_engine_sqlite, .path = ctx_mem_str(path), .lock_fd = -1};
	return ctx_sqlite_open(db,
		   ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) == SQLITE_OK
		   ? 0
		   : ctx_sqlite_stmt_fail(db, err, "cannot open");
}

int
ctx_db_open_copy(struct ctx_db *db, struct ctx_err *err)
{
	db->engine = &ctx_engine_sqlite;
	return ctx_db_open_uri(db, "?immutable=1") == SQLITE_OK
		   ? 0
		   : ctx_sqlite_stmt_fail(db, err, "cannot read the copy");
}

/* left: pages that remained before the step; 0 before the first step */
static void
report_copied(const struct ctx_db *db, sqlite3_backup *b, int left)
{
	int all = sqlite3_backup_pagecount(b), after = sqlite3_backup_remaining(b);

	if (db->progress != NULL && all > 0)
		db->progress((left > 0 ? left : all) - after, "pages copied",
		    1 - (double)after / (double)all);
}

static int
fail_copying(const struct ctx_db *to, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EIO, "cannot write '%s': %s", to->path,
	    sqlite3_errmsg(ctx_sqlite(to)));
}

/* Copies all pages in one read snapshot, so that writers neither wait nor make the copy
 * start again. */
static int
copy_pages(struct ctx_db *db, struct ctx_db *to, struct ctx_err *err)
{
	bool begun = !db->reading;
	sqlite3_backup *b;
	int64_t ignored;
	int rc = SQLITE_OK;

	/* the snapshot starts with the first read */
	if (ctx_db_begin_read(db, err) < 0 ||
	    ctx_stmt_number(db, "SELECT count(*) FROM sqlite_master", &ignored, err) < 0)
		return -1;
	b = sqlite3_backup_init(ctx_sqlite(to), "main", ctx_sqlite(db), "main");
	while (b != NULL && rc == SQLITE_OK) {
		int left = sqlite3_backup_remaining(b);
		rc = sqlite3_backup_step(b, COPY_PAGES);
		report_copied(db, b, left);
	}
	if (b == NULL || sqlite3_backup_finish(b) != SQLITE_OK || rc != SQLITE_DONE)
		rc = fail_copying(to, err);
	else
		rc = 0;
	if (begun)
		ctx_db_end_read(db);
	return rc;
}

int
ctx_db_backup(struct ctx_db *db, const char *path, const char *id, struct ctx_err *err)
{
	struct ctx_db to = {.engine = &ctx_engine_sqlite,
	    .kind = db->kind,
	    .path = (char *)path,
	    .lock_fd = -1};
	int rc = -1;

	if (ctx_sqlite_open(&to, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) !=
	    SQLITE_OK)
		fail_copying(&to, err);
	else if (copy_pages(db, &to, err) == 0 &&
		 (rc = ctx_owner_mark_copy(&to, id, err)) < 0)
		fail_copying(&to, err);
	ctx_stmt_forget_idle(&to);
	if (sqlite3_close(ctx_sqlite(&to)) != SQLITE_OK && rc == 0)
		rc = ctx_err_set(err, CTX_EIO, "cannot write '%s'", path);
	return rc;
}
