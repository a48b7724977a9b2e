/* The engine for SQLite: opens, identifies, creates, upgrades and configures a database
 * file. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_blank.h"
#include "store/engine_sqlite_page.h"
#include "store/row.h"

/* Creates the main file. It is created first, because SQLite gives side files its
 * permissions. */
static int
make_file(const char *path, struct ctx_err *err)
{
	const int how = O_RDWR | O_CREAT | O_CLOEXEC;
	char *copy = ctx_mem_str(path);
	const char *in = dirname(copy);
	int fd = -1, directory = -1;

	if (ctx_io_make_dirs(in, false, err) < 0)
		goto done;
	fd = open(path, how | O_EXCL, 0600);
	directory = fd < 0 ? -1 : open(in, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory >= 0)
		ctx_io_take_after(fd, directory, false);
	/* another process created it, or it is a link */
	else if (fd < 0 && errno == EEXIST)
		fd = open(path, how, 0600);
	if (fd < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path);
	if (directory >= 0)
		close(directory);
	if (fd >= 0)
		close(fd);
done:
	free(copy);
	return fd < 0 ? -1 : 0;
}

struct identity {
	int64_t id, version, tables;
};

static bool
is_blank_db(const struct identity *is)
{
	/* pages are not counted: switching to WAL writes one before the schema exists */
	return is->id == 0 && is->version == 0 && is->tables == 0;
}

static bool
is_of_kind(const struct ctx_db_kind *kind, int64_t id)
{
	return id != 0 && (id == kind->application_id || id == kind->copy_id);
}

/* Returns true if the file header has the kind's application id. In a new file the id may
 * only be in the log yet. Once in the header, it only changes from that of a copy. */
static bool
header_has_id(struct ctx_db *db, const struct ctx_db_kind *kind)
{
	unsigned char h[4];

	if (!ctx_db_header(db, CTX_DB_ID, h, sizeof(h)))
		return false;
	db->was_copy = kind->copy_id != 0 && ctx_be32(h) == kind->copy_id;
	return is_of_kind(kind, ctx_be32(h));
}

static int
read_numbers(struct ctx_db *db, struct identity *is, struct ctx_err *err)
{
	is->tables = 0;
	if (ctx_stmt_number(db, "PRAGMA application_id", &is->id, err) < 0 ||
	    ctx_stmt_number(db, "PRAGMA user_version", &is->version, err) < 0)
		return -1;
	return is->id != 0 ? 0
			   : ctx_stmt_number(db, "SELECT count(*) FROM sqlite_master",
				 &is->tables, err);
}

/* Creates the schema in an empty file. If two processes try it at once, the second one
 * finds it done. */
static int
create_schema(struct ctx_db *db, const struct ctx_db_kind *kind, struct ctx_err *err)
{
	struct identity is;
	int rc = -1;

	if (ctx_db_queue_enter(db, err) < 0)
		goto done;
	if (ctx_stmt_exec(db,
		"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;",
		err) < 0 ||
	    ctx_stmt_exec(db, "BEGIN IMMEDIATE", err) < 0)
		goto done;
	db->writing = true;
	if (read_numbers(db, &is, err) < 0)
		goto done;
	if (is_blank_db(&is) &&
	    (ctx_stmt_exec(db, kind->schema, err) < 0 ||
		ctx_db_set(db, "application_id", kind->application_id, err) < 0 ||
		ctx_db_set(db, "user_version", kind->version, err) < 0))
		goto done;
	rc = ctx_db_commit(db, err);
	if (rc == 0 && is_blank_db(&is))
		ctx_blank_mark(db);
done:
	ctx_db_rollback(db);
	if (rc < 0) /* do not leave the failed attempt on a full disk */
		ctx_db_empty_log(db);
	ctx_db_queue_leave(db);
	return rc;
}

/* Returns true if the current row of q describes an object of the schema that ctx never
 * creates: a view, a trigger, or a virtual table other than the full-text index. The
 * columns of q are the object's type, name and SQL. */
static bool
is_foreign_thing(struct ctx_stmt *q, bool derived)
{
	static const char virtual_table[] = "CREATE VIRTUAL";
	struct ctx_span type = ctx_stmt_span(q, 0), sql;

	if (ctx_span_is(type, "trigger") || ctx_span_is(type, "view"))
		return true;
	sql = ctx_stmt_span(q, 2);
	return sql.n >= sizeof(virtual_table) - 1 &&
	       strncasecmp(sql.p, virtual_table, sizeof(virtual_table) - 1) == 0 &&
	       !(derived && ctx_span_is(ctx_stmt_span(q, 1), "fulltext"));
}

/* Rejects views, triggers and foreign virtual tables, because they would run code of
 * whoever made the file. A ctx database has none, except the virtual table of the
 * full-text index. */
static int
check_db_schema(struct ctx_db *db, const struct ctx_db_kind *kind, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "schema",
	    "SELECT " CTX_STMT_BARE "type, " CTX_STMT_BARE "name, " CTX_STMT_BARE "sql "
	    "FROM main.sqlite_master",
	    NULL, 0, err);

	while (ctx_rows_next(&r))
		if (is_foreign_thing(r.q, kind->derived))
			r.rc = ctx_err_set(err, CTX_ESTORE,
			    "%s '%s' has a %s that ctx did not create: '%.100s'",
			    kind->what, db->path, ctx_stmt_text(r.q, 0),
			    ctx_stmt_text(r.q, 1));
	return ctx_rows_end(&r);
}

/* Reports that the store cannot be upgraded because it is read-only, if that is the
 * reason: a copy of it can be opened. */
static int
refuse_upgrade(struct ctx_db *db, const struct ctx_db_kind *kind, struct ctx_err *err)
{
	int code = sqlite3_errcode(ctx_sqlite(db)) & 0xff;

	if (!db->read_only && err->code != CTX_EIO && code != SQLITE_READONLY &&
	    code != SQLITE_CANTOPEN)
		return -1;
	return ctx_err_set(err, CTX_ESTORE,
	    "%s '%s' has an older version and cannot be upgraded, because it is read-only: use a writable copy",
	    kind->what, db->path);
}

/* Upgrades an older version in one transaction. If two processes try it at once, the
 * second one finds it done. */
static int
upgrade_db(struct ctx_db *db, const struct ctx_db_kind *kind, struct ctx_err *err)
{
	int64_t version;
	int rc = -1;

	if (db->read_only)
		return refuse_upgrade(db, kind, err);
	if (check_db_schema(db, kind, err) < 0)
		return -1;
	if (ctx_db_queue_enter(db, err) < 0)
		return refuse_upgrade(db, kind, err);
	/* dropped data must not remain in free pages */
	if (ctx_stmt_exec(db, "PRAGMA secure_delete = ON; BEGIN IMMEDIATE", err) < 0) {
		refuse_upgrade(db, kind, err);
		goto done;
	}
	db->writing = true;
	if (ctx_stmt_number(db, "PRAGMA user_version", &version, err) < 0 ||
	    (version < kind->version &&
		(kind->upgrade(db, version, err) < 0 ||
		    ctx_db_set(db, "user_version", kind->version, err) < 0)))
		goto done;
	rc = ctx_db_commit(db, err);
done:
	ctx_db_rollback(db);
	ctx_db_queue_leave(db);
	ctx_stmt_forget_idle(db);
	return rc;
}

static int
check_identity(
    struct ctx_db *db, const struct ctx_db_kind *kind, bool create, struct ctx_err *err)
{
	struct identity is;
	int rc;

	if (header_has_id(db, kind)) {
		is.id = kind->application_id;
		if (ctx_stmt_number(db, "PRAGMA user_version", &is.version, err) < 0)
			return -1;
	} else if (read_numbers(db, &is, err) < 0) {
		return -1;
	}
	if (!is_of_kind(kind, is.id)) {
		/* another process may be creating it: read one state */
		if (ctx_db_begin_read(db, err) < 0)
			return -1;
		rc = read_numbers(db, &is, err);
		ctx_db_end_read(db);
		if (rc < 0)
			return -1;
	}
	if (is_of_kind(kind, is.id)) {
		if (is.version > kind->version)
			return ctx_err_set(err, CTX_ESTORE,
			    "%s '%s' has the newer version %lld; this program supports versions up to %lld",
			    kind->what, db->path, (long long)is.version,
			    (long long)kind->version);
		if (is.version < kind->oldest)
			return ctx_err_set(err, CTX_ESTORE,
			    "%s '%s' has the older version %lld", kind->what, db->path,
			    (long long)is.version);
		return is.version < kind->version ? upgrade_db(db, kind, err) : 0;
	}
	if (!is_blank_db(&is))
		return ctx_err_set(
		    err, CTX_ESTORE, "'%s' is not a ctx %s", db->path, kind->what);
	if (!create)
		return ctx_err_set(
		    err, CTX_ESTORE, "%s '%s' is empty", kind->what, db->path);
	return create_schema(db, kind, err);
}

/* Checks side files: if one is a FIFO, SQLite would wait for ever when opening it.
 * Corrects their permissions, which are those that the main file had when they were
 * created. */
static int
prepare_side_files(struct ctx_db *db, struct ctx_err *err)
{
	static const char *const ends[] = {"-wal", "-shm", "-journal"};
	const char *file = ctx_db_file(db);
	struct ctx_buf path = CTX_BUF_INIT;
	struct stat st;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(ends) / sizeof(ends[0]); i++) {
		ctx_buf_reset(&path);
		ctx_buf_addf(&path, "%s%s", file, ends[i]);
		if (file[0] == '\0' || stat(path.p, &st) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			ctx_io_mend_beside(path.p, file);
		else
			rc = ctx_err_set(err, CTX_ESTORE,
			    "%s '%s': '%s' is not a regular file", db->kind->what,
			    db->path, path.p);
	}
	ctx_buf_release(&path);
	return rc;
}

/* A page that is freed is overwritten, as it may be used at once and only be filled in part;
 * most builds of SQLite do so anyway. */
static void
set_up(struct ctx_db *db, const struct ctx_store_options *o)
{
	if (!sqlite3_compileoption_used("SECURE_DELETE"))
		sqlite3_exec(
		    ctx_sqlite(db), "PRAGMA secure_delete = ON", NULL, NULL, NULL);
	sqlite3_db_config(ctx_sqlite(db), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(ctx_sqlite(db), SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(ctx_sqlite(db), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_extended_result_codes(ctx_sqlite(db), 1);
	ctx_db_wait(db, o->busy_ms);
	sqlite3_db_config(ctx_sqlite(db), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

static int
configure_db(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	/* EXTRA is the same as FULL with a log, and makes commits durable without one */
	static const char *const sync[] = {"PRAGMA synchronous = EXTRA",
	    "PRAGMA synchronous = NORMAL", "PRAGMA synchronous = OFF"};

	if (prepare_side_files(db, err) < 0)
		return -1;
	set_up(db, o);
	sqlite3_wal_hook(ctx_sqlite(db), ctx_db_after_commit, db);
	if (check_identity(db, kind, o->create, err) < 0 ||
	    check_db_schema(db, kind, err) < 0)
		return -1;
	if (o->bulk && ctx_db_cache(db, CTX_DB_CACHE_LARGE, err) < 0)
		return -1;
	return ctx_stmt_exec(db, sync[o->sync], err);
}

/* Turns off what a short single-threaded command does not need: locks and statistics for
 * each allocation, and memory for pages in advance. Does nothing if SQLite is already
 * initialized. */
static void
configure_sqlite(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* a path is not a URI unless a flag says so */
	sqlite3_config(SQLITE_CONFIG_URI, 0);
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

/* ---- read-only stores ---- */

/* Returns true if a process has the store open for writing: it keeps the log's index in a
 * side file. */
static bool
is_in_use(const struct ctx_db *db)
{
	struct ctx_buf path = CTX_BUF_INIT;
	bool used;

	ctx_buf_addf(&path, "%s-shm", ctx_db_file(db));
	used = access(path.p, F_OK) == 0;
	ctx_buf_release(&path);
	return used;
}

static bool
is_db_path_refused(const struct ctx_db *db, const char *shown, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int why = ctx_io_find_refused(ctx_db_file(db), false, &path);

	if (why != 0)
		ctx_err_sys(err, CTX_ESTORE, why, "%s '%s': cannot read '%s'",
		    db->kind->what, shown, path.p);
	ctx_buf_release(&path);
	return why != 0;
}

/* Opens a read-only store. SQLite keeps the log's index in a side file, even if there is
 * no log. If the file cannot be created, the store is opened as one that does not change,
 * since a process that can change it would have left a log. Called with the error of the
 * first attempt. */
static int
open_unchanging(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	int code = sqlite3_errcode(ctx_sqlite(db)) & 0xff;
	off_t log = 0;

	if ((code != SQLITE_READONLY && code != SQLITE_CANTOPEN) ||
	    ctx_io_check_beside(ctx_db_file(db)) == 0)
		return -1;
	ctx_db_log(db, &log);
	if (log > 0 && is_db_path_refused(db, o->path, err))
		return -1;
	if (log > 0 && is_in_use(db))
		return ctx_err_set(err, CTX_EIO,
		    "%s '%s' is in use, and its write-ahead log (-wal) cannot be read without write access: use a copy of both files",
		    kind->what, o->path);
	ctx_stmt_forget_idle(db);
	sqlite3_close(ctx_sqlite(db));
	db->h = NULL;
	if (ctx_db_open_uri(db, log > 0 ? "?vfs=unix-none" : "?immutable=1") != SQLITE_OK)
		return ctx_sqlite_stmt_fail(db, err, "cannot open");
	/* with this lock, the log's index is in memory, not in the side file */
	if (log > 0 && ctx_stmt_exec(db, "PRAGMA locking_mode = EXCLUSIVE", err) < 0)
		return -1;
	err->code = CTX_OK;
	return configure_db(db, kind, o, err);
}

/* ---- one snapshot ----
 *
 * The first process that opens a store builds the log's index in shared memory, which
 * takes longer than reading a window. A command that reads one snapshot and exits does
 * not need it: if SQLite may not write the shared index, it builds a private one, or uses
 * the shared one that a writer keeps. SQLite cannot read some states in this way, such as
 * a log that another process is about to repair. */
static bool
open_snapshot(
    struct ctx_db *db, const struct ctx_db_kind *kind, const struct ctx_store_options *o)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_db_open_uri(db, "?readonly_shm=1") == SQLITE_OK &&
	    prepare_side_files(db, &err) == 0) {
		set_up(db, o);
		/* do not wait here; the normal way of opening waits */
		ctx_db_wait(db, 0);
		if (ctx_db_begin_read(db, &err) == 0 &&
		    check_identity(db, kind, false, &err) == 0 &&
		    check_db_schema(db, kind, &err) == 0) {
			db->times = o->times;
			return true;
		}
	}
	ctx_stmt_forget_idle(db);
	sqlite3_close(ctx_sqlite(db));
	db->h = NULL;
	db->read_only = db->reading = false;
	return false;
}

int
ctx_sqlite_open_db(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct stat st = {.st_mode = S_IFREG};

	/* treat ":memory:" as an ordinary path */
	ctx_buf_addf(&path, "%s%s", o->path[0] == ':' ? "./" : "", o->path);
	db->path = ctx_buf_detach(&path);
	db->busy_ms = o->busy_ms;
	db->scratch = o->scratch;
	if (!o->scratch && stat(o->path, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return ctx_err_sys(err, CTX_ESTORE, errno, "cannot open %s '%s'",
			    kind->what, o->path);
		if (!o->create)
			return ctx_err_set(err, CTX_ESTORE,
			    "no %s at '%s' (ctx-new or ctx-append --create creates it)",
			    kind->what, o->path);
		if (make_file(o->path, err) < 0)
			return -1;
	}
	if (!S_ISREG(st.st_mode))
		return ctx_err_set(err, CTX_ESTORE, "%s '%s' is not a regular file",
		    kind->what, o->path);
	configure_sqlite();
	if (o->snapshot && open_snapshot(db, kind, o))
		return 0;
	if (!o->scratch)
		ctx_blank_doubt(db);
	if (ctx_sqlite_open(db, o->scratch ? "" : db->path,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX) != SQLITE_OK)
		return ctx_sqlite_stmt_fail(db, err, "cannot open");
	if (configure_db(db, kind, o, err) < 0 && open_unchanging(db, kind, o, err) < 0)
		return -1;
	db->log = ctx_db_log(db, NULL);
	db->times = o->times; /* not counted while the file is opened or created */
	return o->snapshot ? ctx_db_begin_read(db, err) : 0;
}
