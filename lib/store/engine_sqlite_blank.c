/* The engine for SQLite: a VFS that writes pages to the database file without bytes outside of
 * rows. SQLite writes a page of the database file as a whole, whether it comes from the log or
 * not. A B-tree page tells which of its bytes belong to rows; readers ignore the others. */
#include "store/engine_sqlite_blank.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_page.h"

#define VFS "ctx-blank"
/* Pages of other kinds begin with the number of a page, whose first byte could be taken for
 * the type of a B-tree page if it were twice as large. */
#define PAGES_MAX ((int64_t)1 << 24)
#define PAGE_MIN 512 /* bytes */

/* An open database file. It is placed after the file struct of the system's VFS, whose
 * member pMethods points to the member methods. The methods that are not replaced here
 * are functions of the system's VFS. */
struct blank_file {
	sqlite3_io_methods methods;
	const sqlite3_io_methods *real;
	struct ctx_page_file layout; /* page: 0, not known yet */
	int64_t pages;               /* of the file, at least */
	struct ctx_buf page;         /* a copy of the page that is being written */
};

static struct blank_file *
get_blank_file(sqlite3_file *file)
{
	return (struct blank_file *)file->pMethods;
}

/* ---- pages ---- */

static bool
find_layout(struct blank_file *f, sqlite3_file *file)
{
	unsigned char header[CTX_PAGE_FILE_HEADER];
	sqlite3_int64 size = 0;

	if (f->layout.page == 0 && f->real->xFileSize(file, &size) == SQLITE_OK &&
	    size >= (int)sizeof(header) &&
	    f->real->xRead(file, header, sizeof(header), 0) == SQLITE_OK)
		ctx_page_file_read_header(&f->layout, header);
	if (f->layout.page > 0 && f->pages < size / (int64_t)f->layout.page)
		f->pages = size / (int64_t)f->layout.page;
	return f->layout.page > 0;
}

/* Returns what to write to the file in place of the n bytes at p. */
static const void *
blank_page(
    struct blank_file *f, sqlite3_file *file, const void *p, int n, sqlite3_int64 at)
{
	int64_t number;

	if (at == 0 && n >= CTX_PAGE_FILE_HEADER)
		ctx_page_file_read_header(&f->layout, p);
	if (!find_layout(f, file) || (size_t)n != f->layout.page || at % n != 0)
		return p;
	number = at / n + 1;
	if (f->pages < number)
		f->pages = number;
	if (f->pages >= PAGES_MAX || ctx_page_is_map(&f->layout, number))
		return p;
	ctx_buf_reset(&f->page);
	ctx_buf_add(&f->page, p, (size_t)n);
	ctx_page_free(
	    ctx_buf_span(&f->page), number, ctx_page_blank_part, &f->layout.page);
	return f->page.p;
}

/* ---- an open file ---- */

static int
close_blank(sqlite3_file *file)
{
	struct blank_file *f = get_blank_file(file);

	ctx_buf_release(&f->page);
	return f->real->xClose(file);
}

static int
write_blank(sqlite3_file *file, const void *p, int n, sqlite3_int64 at)
{
	struct blank_file *f = get_blank_file(file);

	return f->real->xWrite(file, blank_page(f, file, p, n, at), n, at);
}

/* Overwrites the bytes that are cut off first, because the file system would keep them. */
static int
truncate_blank(sqlite3_file *file, sqlite3_int64 size)
{
	static const unsigned char zero[1 << 16];
	const sqlite3_io_methods *real = get_blank_file(file)->real;
	sqlite3_int64 end = size;
	int rc = real->xFileSize(file, &end);
	bool shrinks = rc == SQLITE_OK && end > size;

	for (sqlite3_int64 at = size; rc == SQLITE_OK && at < end;) {
		int n = end - at < (int)sizeof(zero) ? (int)(end - at)
						     : (int)sizeof(zero);
		rc = real->xWrite(file, zero, n, at);
		at += n;
	}
	if (rc == SQLITE_OK && shrinks)
		rc = real->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
	return rc == SQLITE_OK ? real->xTruncate(file, size) : rc;
}

/* Returns the size of the file struct of the system's VFS, rounded up to align the struct
 * after it. */
static size_t
get_real_size(const sqlite3_vfs *real)
{
	return ((size_t)real->szOsFile + 7) / 8 * 8;
}

/* Replaces functions of the database file only; other files use the system's functions. */
static int
open_blank(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	sqlite3_vfs *real = vfs->pAppData;
	struct blank_file *f = (void *)((char *)file + get_real_size(real));
	int rc = real->xOpen(real, name, file, flags, out_flags);

	if (file->pMethods == NULL || (flags & SQLITE_OPEN_MAIN_DB) == 0)
		return rc;
	*f = (struct blank_file){.methods = *file->pMethods, .real = file->pMethods};
	f->methods.iVersion = 2; /* without mapping the file into memory */
	f->methods.xClose = close_blank;
	f->methods.xWrite = write_blank;
	f->methods.xTruncate = truncate_blank;
	file->pMethods = &f->methods;
	return rc;
}

/* Registers the VFS on the first call. It is never freed, because SQLite keeps it in its
 * list. The functions of the system's VFS that are not replaced can be shared, because
 * they do not depend on the VFS for which they are called. */
const char *
ctx_blank_vfs(void)
{
	sqlite3_vfs *real, *vfs;

	if (sqlite3_vfs_find(VFS) != NULL)
		return VFS;
	real = sqlite3_vfs_find(NULL);
	if (real == NULL)
		return NULL;
	vfs = ctx_mem_new(sizeof(*vfs));
	*vfs = *real;
	vfs->zName = VFS;
	vfs->pNext = NULL;
	vfs->pAppData = real;
	vfs->szOsFile = (int)(get_real_size(real) + sizeof(struct blank_file));
	vfs->xOpen = open_blank;
	if (sqlite3_vfs_register(vfs, 0) == SQLITE_OK)
		return VFS;
	free(vfs);
	return NULL;
}

/* ---- the mark ---- */

#define MARK "blank\n"

/* The file beside the database with this ending. The name of the database may be a link, the
 * log has that of the file. */
static void
name_beside(const struct ctx_db *db, const char *ending, struct ctx_buf *out)
{
	char *real = realpath(db->path, NULL);

	ctx_buf_addf(out, "%s%s", real != NULL ? real : db->path, ending);
	free(real);
}

void
ctx_blank_doubt(const struct ctx_db *db)
{
	struct ctx_buf log = CTX_BUF_INIT, lock = CTX_BUF_INIT;
	struct stat st;
	int fd;

	name_beside(db, "-wal", &log);
	name_beside(db, "-lock", &lock);
	if (stat(log.p, &st) < 0 && stat(lock.p, &st) == 0 && st.st_size > 0) {
		fd = ctx_io_open_beside(lock.p, db->path);
		if (fd < 0 || ftruncate(fd, 0) < 0)
			unlink(lock.p);
		if (fd >= 0)
			close(fd);
	}
	ctx_buf_release(&log);
	ctx_buf_release(&lock);
}

bool
ctx_blank_is_marked(struct ctx_db *db)
{
	struct ctx_buf path = CTX_BUF_INIT, mark = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t bytes;
	bool marked;

	name_beside(db, "-lock", &path);
	marked = ctx_io_read_found(path.p, &mark, strlen(MARK), &ignored) == 0 &&
		 ctx_span_is(ctx_buf_span(&mark), MARK) &&
		 ctx_db_size(db, &bytes, &ignored) == 0 && bytes < PAGES_MAX * PAGE_MIN;
	ctx_buf_release(&path);
	ctx_buf_release(&mark);
	return marked;
}

void
ctx_blank_mark(struct ctx_db *db)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int fd;

	if (db->scratch)
		return;
	name_beside(db, "-lock", &path);
	fd = ctx_io_open_beside(path.p, db->path);
	if (fd >= 0) {
		if (pwrite(fd, MARK, strlen(MARK), 0) != (ssize_t)strlen(MARK) &&
		    ftruncate(fd, 0) < 0)
			unlink(path.p);
		close(fd);
	}
	ctx_buf_release(&path);
}
