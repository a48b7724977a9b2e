/* Backup: a copy of a store that is in use. */
#include "store/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_page.h"
#include "store/row.h"

static int
copy_store(struct ctx_store *st, const char *path, struct ctx_err *err)
{
	char id[CTX_ID_UUID + 1];

	return ctx_id_new(ctx_time_now(), id, err) < 0
		   ? -1
		   : ctx_db_backup(&st->db, path, id, err);
}

/* Marks the file as a copy, which a newer copy may replace until it is written to. The
 * header is changed directly, because SQLite would create a log. */
static int
mark_copy(const struct ctx_store *st, const char *path, struct ctx_err *err)
{
	uint32_t id = (uint32_t)st->db.kind->copy_id;
	unsigned char h[4] = {(unsigned char)(id >> 24), (unsigned char)(id >> 16),
	    (unsigned char)(id >> 8), (unsigned char)id};
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int rc = fd >= 0 && pwrite(fd, h, sizeof(h), CTX_DB_ID) == sizeof(h) ? 0 : -1;

	if (rc < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int
sync_path(const char *path, int flags, struct ctx_err *err)
{
	int fd = open(path, flags | O_CLOEXEC), rc;

	rc = fd < 0 ? -1 : fsync(fd);
	if (rc < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* ---- files that may be replaced ---- */

/* Suffixes of files beside a store, or beginnings of suffixes: those of SQLite and
 * ours. */
static const char *const side_ends[] = {"-wal", "-shm", "-journal", "-mj", "-lock",
    "-archive-lock", "-restore-lock", "-derived", "-names", NULL};

static bool
is_same(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static bool
is_same_directory(const char *a, const char *b)
{
	char *copy_a = ctx_mem_str(a), *copy_b = ctx_mem_str(b);
	bool same = is_same(dirname(copy_a), dirname(copy_b));

	free(copy_a);
	free(copy_b);
	return same;
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Returns true if path is a file beside the database, or has a name that such a file
 * could have. */
static bool
is_beside_database(const char *path, const char *database)
{
	struct ctx_buf b = CTX_BUF_INIT;
	const char *base = base_of(database), *name = base_of(path);
	size_t n = strlen(base);
	bool named = strncmp(name, base, n) == 0 && is_same_directory(path, database);
	bool is = false;

	for (size_t i = 0; !is && side_ends[i] != NULL; i++) {
		ctx_buf_reset(&b);
		ctx_buf_addf(&b, "%s%s", database, side_ends[i]);
		is = (named &&
			 strncmp(name + n, side_ends[i], strlen(side_ends[i])) == 0) ||
		     is_same(path, b.p);
	}
	ctx_buf_release(&b);
	return is;
}

static int
check_apart(const char *path, const char *database, struct ctx_err *err)
{
	if (is_same(path, database))
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is the store itself", path);
	if (is_beside_database(path, database))
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s' is the name of one of the store's own files", path);
	if (is_beside_database(database, path))
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s' cannot be the name of the copy, because a file that belongs to the copy would overwrite the store",
		    path);
	return 0;
}

/* Checks the files beside the copy's name. A log would be read as part of the copy; if
 * there is no copy yet, other side files are not ours to remove. */
static int
check_beside(const char *path, bool there, struct ctx_err *err)
{
	static const char *const logs[] = {"-wal", "-journal"};
	static const char *const derived[] = {"-derived", "-derived-wal", "-names"};
	struct ctx_buf b = CTX_BUF_INIT;
	struct stat is;
	int rc = 0;

	for (int i = 0; rc == 0 && i < 2; i++) {
		ctx_buf_reset(&b);
		ctx_buf_addf(&b, "%s%s", path, logs[i]);
		if (lstat(b.p, &is) == 0 && (is.st_size > 0 || !S_ISREG(is.st_mode)))
			rc = ctx_err_set(err, CTX_EIO,
			    "'%s' contains unfinished changes to '%s', which is therefore not replaced",
			    b.p, path);
	}
	for (int i = 0; rc == 0 && !there && i < 3; i++) {
		ctx_buf_reset(&b);
		ctx_buf_addf(&b, "%s%s", path, derived[i]);
		if (lstat(b.p, &is) == 0)
			rc = ctx_err_set(err, CTX_EIO,
			    "'%s' exists and would be used as a part of the copy: remove it first",
			    b.p);
	}
	ctx_buf_release(&b);
	return rc;
}

static int
check_marked(const struct ctx_store *st, const char *path, struct ctx_err *err)
{
	unsigned char h[CTX_DB_ID + 4] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int64_t id;
	long n;

	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s'", path);
	n = ctx_io_read(fd, (char *)h, sizeof(h));
	close(fd);
	id = n == (long)sizeof(h) && memcmp(h, "SQLite format 3", 16) == 0
		 ? ctx_be32(h + CTX_DB_ID)
		 : 0;
	if (id == st->db.kind->copy_id)
		return 0;
	return ctx_err_set(err, CTX_EUSAGE,
	    id == st->db.kind->application_id
		? "'%s' is not replaced, because it is a store and not an unchanged copy that --backup made"
		: "'%s' is not replaced, because it is not a copy of a store",
	    path);
}

/* Returns 1 if the store has a session of the copy or the copy has no sessions, 0 if not,
 * -1 on error. */
static int
has_common(struct ctx_store *st, struct ctx_db *copy, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(copy, "session",
	    "SELECT no, session_id, tenant_id, created_at FROM session", NULL, 0, err);
	int64_t one;
	int found = 0;

	while (found == 0 && ctx_rows_next(&r))
		found = ctx_stmt_ints(&st->db,
		    "SELECT 1 "
		    "FROM session "
		    "WHERE no = ?1 AND session_id = ?2 AND tenant_id = ?3 AND created_at = ?4",
		    CTX_VALUES(ctx_int(ctx_stmt_int64(r.q, 0)),
			ctx_text(ctx_stmt_span(r.q, 1)), ctx_text(ctx_stmt_span(r.q, 2)),
			ctx_int(ctx_stmt_int64(r.q, 3))),
		    &one, 1, err);
	return ctx_rows_end(&r) < 0 || found < 0 ? -1 : found == 1 || !r.found;
}

static int
check_common(struct ctx_store *st, const char *path, struct ctx_err *err)
{
	struct ctx_db copy = {.kind = st->db.kind, .lock_fd = -1};
	int rc = -1;

	copy.path = ctx_mem_str(path);
	if (ctx_db_open_copy(&copy, err) == 0)
		rc = has_common(st, &copy, err);
	ctx_db_close(&copy);
	if (rc < 0)
		return ctx_err_prefix(err, "cannot replace '%s'", path);
	return rc == 1
		   ? 0
		   : ctx_err_set(err, CTX_EUSAGE,
			 "'%s' is not replaced, because it is the copy of another store (it has no session of this store)",
			 path);
}

/* Checks the path of a backup. Returns 1 if there is a copy of the store that may be
 * replaced, 0 if there is no file, -1 on error. */
static int
check_backup_place(struct ctx_store *st, const char *path, struct ctx_err *err)
{
	struct stat is;
	bool there = lstat(path, &is) == 0;

	if (!there && errno != ENOENT)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path);
	if (check_apart(path, st->db.path, err) < 0 ||
	    check_apart(path, ctx_db_file(&st->db), err) < 0)
		return -1;
	if (there && !S_ISREG(is.st_mode))
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s' is not replaced, because it is not a regular file", path);
	if (check_beside(path, there, err) < 0)
		return -1;
	if (there && (check_marked(st, path, err) < 0 || check_common(st, path, err) < 0))
		return -1;
	return there;
}

/* Removes files that readers of the last copy have created beside it, because they do not
 * belong to the new one. */
static int
clear_place(const char *path, struct ctx_err *err)
{
	static const char *const ends[] = {
	    "-wal", "-shm", "-derived", "-derived-wal", "-derived-shm", "-names", NULL};

	return ctx_db_remove_files(path, ends, err);
}

/* ---- unfinished copies ---- */

#define UNFINISHED ".tmp-"
#define UNFINISHED_RANDOM 6 /* number of random characters after it */

/* Suffixes of the files of an unfinished copy. */
static const char *const unfinished_ends[] = {"-journal", "-wal", "-shm", "", NULL};

static bool
is_end(const char *end)
{
	const char *const *e = unfinished_ends;

	while (*e != NULL && strcmp(*e, end) != 0)
		e++;
	return *e != NULL;
}

/* Returns true if no process writes the unfinished copy: its writer locks it, and removes
 * it last. */
static bool
is_abandoned(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool is = fd < 0 ? errno == ENOENT
			 : fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
			       flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/* Removes unfinished copies to path that killed processes left. */
static void
sweep_unfinished(const char *path)
{
	struct ctx_buf prefix = CTX_BUF_INIT, found = CTX_BUF_INIT;
	char *copy = ctx_mem_str(path);
	const char *in = dirname(copy);
	DIR *directory = opendir(in);
	const struct dirent *entry;

	ctx_buf_addf(&prefix, "%s" UNFINISHED, base_of(path));
	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		size_t n = prefix.n + UNFINISHED_RANDOM;
		if (strncmp(entry->d_name, prefix.p, prefix.n) != 0 ||
		    strlen(entry->d_name) < n || !is_end(entry->d_name + n))
			continue;
		ctx_buf_reset(&found);
		ctx_buf_addf(&found, "%s/%.*s", in, (int)n, entry->d_name);
		if (is_abandoned(found.p))
			ctx_db_remove_files(found.p, unfinished_ends, NULL);
	}
	if (directory != NULL)
		closedir(directory);
	free(copy);
	ctx_buf_release(&prefix);
	ctx_buf_release(&found);
}

/* Creates and locks a file for an unfinished copy; its name is written to *name. Returns
 * the descriptor, or -1 with errno. */
static int
make_unfinished(const char *path, struct ctx_buf *name)
{
	struct stat st;
	int fd;

	for (;;) {
		ctx_buf_reset(name);
		ctx_buf_addf(name, "%s" UNFINISHED "XXXXXX", path);
		fd = mkstemp(name->p);
		/* another process may have removed the file before it was locked */
		if (fd < 0 || (flock(fd, LOCK_EX | LOCK_NB) == 0
				      ? fstat(fd, &st) < 0 || st.st_nlink > 0
				      : errno != EWOULDBLOCK))
			return fd;
		close(fd);
	}
}

/* Gives the copy, which is still empty, the owner and permissions of the store. */
static int
give_copy_owner(const struct ctx_store *st, const char *path, struct ctx_err *err)
{
	int fd = ctx_io_open_beside(path, ctx_db_file(&st->db));

	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	close(fd);
	return 0;
}

int
ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	char *copy = ctx_mem_str(path);
	int fd = -1, there, rc = -1;

	if (ctx_db_is_whole(&st->db)) {
		ctx_err_set(err, CTX_EUSAGE,
		    "store '%s': use pg_dump or pg_basebackup to back up PostgreSQL",
		    st->db.path);
		goto done;
	}
	there = check_backup_place(st, path, err);
	if (there < 0)
		goto done;
	sweep_unfinished(path);
	fd = make_unfinished(path, &tmp);
	if (fd < 0) {
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", tmp.p);
		goto done;
	}
	rc = give_copy_owner(st, tmp.p, err) < 0 || copy_store(st, tmp.p, err) < 0 ||
		     mark_copy(st, tmp.p, err) < 0 || sync_path(tmp.p, O_RDWR, err) < 0 ||
		     (there && clear_place(path, err) < 0)
		 ? -1
		 : 0;
	if (rc == 0 && rename(tmp.p, path) < 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path);
	if (rc == 0)
		rc = sync_path(dirname(copy), O_RDONLY | O_DIRECTORY, err);
	else
		unlink(tmp.p);
done:
	if (fd >= 0)
		close(fd);
	free(copy);
	ctx_buf_release(&tmp);
	return rc;
}
