/* The engine on SQLite: a layer over its file functions. All pages get into the database file
 * by writing whole ones, from the log or directly; those of B-trees tell which bytes belong to
 * rows. Readers take no notice of the others. */
#include "store/engine_sqlite_blank.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_free.h"
#include "store/engine_sqlite_overflow.h"

#define VFS "ctx-blank"
#define HEADER 100 /* of the file */
#define HEADER_PAGE_SIZE 16
#define HEADER_RESERVED 20
#define HEADER_LARGEST_ROOT 52
/* Pages of other kinds begin with the number of a page, whose first byte could be taken for
 * the type of a B-tree page if it were twice as large. */
#define PAGES_MAX ((int64_t)1 << 24)
#define PAGE_MIN 512 /* bytes */

struct blank_file {
	sqlite3_file base;
	struct ctx_page_file layout; /* page: 0, not known yet */
	int64_t pages;               /* of the file, at least */
	unsigned char *page;         /* a page that is being changed */
	bool differs;                /* page holds it */
	sqlite3_file *real;          /* behind this struct */
};

static sqlite3_file *
get_real_file(sqlite3_file *file)
{
	return ((struct blank_file *)file)->real;
}

/* ---- pages ---- */

static void
read_layout(struct blank_file *f, const unsigned char *header)
{
	const unsigned char *size = header + HEADER_PAGE_SIZE;
	const unsigned char *root = header + HEADER_LARGEST_ROOT;
	size_t page = (size_t)size[0] << 8 | size[1];

	f->layout.page = page == 1 ? 65536 : page;
	f->layout.usable = f->layout.page - header[HEADER_RESERVED];
	f->layout.has_map = (root[0] | root[1] | root[2] | root[3]) != 0;
}

static bool
find_layout(struct blank_file *f)
{
	unsigned char header[HEADER];
	sqlite3_int64 size = 0;

	if (f->layout.page == 0 &&
	    f->real->pMethods->xFileSize(f->real, &size) == SQLITE_OK && size >= HEADER &&
	    f->real->pMethods->xRead(f->real, header, HEADER, 0) == SQLITE_OK)
		read_layout(f, header);
	if (f->layout.page > 0 && f->pages < size / (int64_t)f->layout.page)
		f->pages = size / (int64_t)f->layout.page;
	return f->layout.page > 0;
}

struct blanking {
	struct blank_file *file;
	struct ctx_span page;
};

static void
blank_part(void *arg, struct ctx_span part)
{
	struct blanking *b = arg;
	struct blank_file *f = b->file;

	if (part.n == 0 || part.n == b->page.n || /* a page that is not understood */
	    ctx_page_is_blank(part))
		return;
	if (!f->differs) {
		if (f->page == NULL)
			f->page = ctx_mem_new(b->page.n);
		memcpy(f->page, b->page.p, b->page.n);
		f->differs = true;
	}
	memset(f->page + (part.p - b->page.p), 0, part.n);
}

/* What is to be written for a piece of the file. */
static const void *
blank_page(struct blank_file *f, const void *p, int n, sqlite3_int64 at)
{
	struct blanking b = {f, {p, (size_t)n}};
	int64_t number;

	if (at == 0 && n >= HEADER)
		read_layout(f, p);
	if (!find_layout(f) || (size_t)n != f->layout.page || at % n != 0)
		return p;
	number = at / n + 1;
	if (f->pages < number)
		f->pages = number;
	if (f->pages >= PAGES_MAX || ctx_page_is_map(&f->layout, number))
		return p;
	f->differs = false;
	ctx_page_free(b.page, number, blank_part, &b);
	return f->differs ? f->page : p;
}

/* ---- an open file ---- */

static int
close_blank(sqlite3_file *file)
{
	struct blank_file *f = (struct blank_file *)file;

	free(f->page);
	f->page = NULL;
	return f->real->pMethods->xClose(f->real);
}

static int
read_blank(sqlite3_file *file, void *p, int n, sqlite3_int64 at)
{
	return get_real_file(file)->pMethods->xRead(get_real_file(file), p, n, at);
}

static int
write_real(sqlite3_file *file, const void *p, int n, sqlite3_int64 at)
{
	return get_real_file(file)->pMethods->xWrite(get_real_file(file), p, n, at);
}

static int
write_blank(sqlite3_file *file, const void *p, int n, sqlite3_int64 at)
{
	struct blank_file *f = (struct blank_file *)file;

	return write_real(file, blank_page(f, p, n, at), n, at);
}

/* What is cut off is overwritten before: the file system keeps it as it is. */
static int
truncate_blank(sqlite3_file *file, sqlite3_int64 size)
{
	static const unsigned char zero[1 << 16];
	sqlite3_file *real = get_real_file(file);
	sqlite3_int64 end = size;
	int rc = real->pMethods->xFileSize(real, &end);
	bool shrinks = rc == SQLITE_OK && end > size;

	for (sqlite3_int64 at = size; rc == SQLITE_OK && at < end;) {
		int n = end - at < (int)sizeof(zero) ? (int)(end - at)
						     : (int)sizeof(zero);
		rc = real->pMethods->xWrite(real, zero, n, at);
		at += n;
	}
	if (rc == SQLITE_OK && shrinks)
		rc = real->pMethods->xSync(
		    real, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
	return rc == SQLITE_OK ? real->pMethods->xTruncate(real, size) : rc;
}

static int
sync_blank(sqlite3_file *file, int flags)
{
	return get_real_file(file)->pMethods->xSync(get_real_file(file), flags);
}

static int
size_blank(sqlite3_file *file, sqlite3_int64 *size)
{
	return get_real_file(file)->pMethods->xFileSize(get_real_file(file), size);
}

static int
lock_blank(sqlite3_file *file, int lock)
{
	return get_real_file(file)->pMethods->xLock(get_real_file(file), lock);
}

static int
unlock_blank(sqlite3_file *file, int lock)
{
	return get_real_file(file)->pMethods->xUnlock(get_real_file(file), lock);
}

static int
is_reserved_blank(sqlite3_file *file, int *out)
{
	return get_real_file(file)->pMethods->xCheckReservedLock(
	    get_real_file(file), out);
}

static int
control_blank(sqlite3_file *file, int op, void *arg)
{
	return get_real_file(file)->pMethods->xFileControl(get_real_file(file), op, arg);
}

static int
sector_of_blank(sqlite3_file *file)
{
	return get_real_file(file)->pMethods->xSectorSize(get_real_file(file));
}

static int
device_of_blank(sqlite3_file *file)
{
	return get_real_file(file)->pMethods->xDeviceCharacteristics(get_real_file(file));
}

static int
map_shm_blank(sqlite3_file *file, int region, int size, int extend, void volatile **out)
{
	return get_real_file(file)->pMethods->xShmMap(
	    get_real_file(file), region, size, extend, out);
}

static int
lock_shm_blank(sqlite3_file *file, int at, int n, int flags)
{
	return get_real_file(file)->pMethods->xShmLock(get_real_file(file), at, n, flags);
}

static void
barrier_shm_blank(sqlite3_file *file)
{
	get_real_file(file)->pMethods->xShmBarrier(get_real_file(file));
}

static int
unmap_shm_blank(sqlite3_file *file, int delete)
{
	return get_real_file(file)->pMethods->xShmUnmap(get_real_file(file), delete);
}

/* Version 2: without mapping the file into memory. */
static const sqlite3_io_methods blank_methods = {
    .iVersion = 2,
    .xClose = close_blank,
    .xRead = read_blank,
    .xWrite = write_blank,
    .xTruncate = truncate_blank,
    .xSync = sync_blank,
    .xFileSize = size_blank,
    .xLock = lock_blank,
    .xUnlock = unlock_blank,
    .xCheckReservedLock = is_reserved_blank,
    .xFileControl = control_blank,
    .xSectorSize = sector_of_blank,
    .xDeviceCharacteristics = device_of_blank,
    .xShmMap = map_shm_blank,
    .xShmLock = lock_shm_blank,
    .xShmBarrier = barrier_shm_blank,
    .xShmUnmap = unmap_shm_blank,
};

/* ---- the log ---- */

/* SQLite writes each new frame of the log with two calls: one for the header of the frame,
 * one for its page. The header is held back, so that one call writes both. If a transaction
 * writes a page into the log again, SQLite later reads the frames after it and writes only
 * their headers; such a header is not held back, because no page follows. */
#define FRAME_HEADER 24

struct log_file {
	struct blank_file file; /* page: a frame whose header is held back */
	sqlite3_int64 at;       /* offset of the header in the log */
	sqlite3_int64 read;     /* offset of the last read */
	size_t size;            /* of the memory at file.page */
	bool held;
};

static int
write_held_header(struct log_file *f)
{
	bool held = f->held;

	f->held = false;
	return held ? write_real(&f->file.base, f->file.page, FRAME_HEADER, f->at)
		    : SQLITE_OK;
}

static int
write_log(sqlite3_file *file, const void *p, int n, sqlite3_int64 at)
{
	struct log_file *f = (struct log_file *)file;
	size_t frame = FRAME_HEADER + (size_t)n;
	int rc;

	if (f->held && at == f->at + FRAME_HEADER) {
		if (f->size < frame) {
			f->file.page = ctx_mem_resize(f->file.page, frame, 1);
			f->size = frame;
		}
		memcpy(f->file.page + FRAME_HEADER, p, (size_t)n);
		f->held = false;
		return write_real(file, f->file.page, (int)frame, f->at);
	}
	rc = write_held_header(f);
	if (rc != SQLITE_OK || n != FRAME_HEADER || at == f->read)
		return rc == SQLITE_OK ? write_real(file, p, n, at) : rc;
	if (f->size < FRAME_HEADER) {
		f->file.page = ctx_mem_new(FRAME_HEADER);
		f->size = FRAME_HEADER;
	}
	memcpy(f->file.page, p, FRAME_HEADER);
	f->at = at;
	f->held = true;
	return SQLITE_OK;
}

static int
read_log_file(sqlite3_file *file, void *p, int n, sqlite3_int64 at)
{
	struct log_file *f = (struct log_file *)file;
	int rc = write_held_header(f);

	f->read = at;
	return rc == SQLITE_OK ? read_blank(file, p, n, at) : rc;
}

static int
truncate_log(sqlite3_file *file, sqlite3_int64 size)
{
	int rc = write_held_header((struct log_file *)file);

	return rc == SQLITE_OK
		   ? get_real_file(file)->pMethods->xTruncate(get_real_file(file), size)
		   : rc;
}

static int
sync_log(sqlite3_file *file, int flags)
{
	int rc = write_held_header((struct log_file *)file);

	return rc == SQLITE_OK ? sync_blank(file, flags) : rc;
}

static int
size_of_log(sqlite3_file *file, sqlite3_int64 *size)
{
	int rc = write_held_header((struct log_file *)file);

	return rc == SQLITE_OK ? size_blank(file, size) : rc;
}

/* Version 1: a log has no shared memory of its own. */
static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = close_blank,
    .xRead = read_log_file,
    .xWrite = write_log,
    .xTruncate = truncate_log,
    .xSync = sync_log,
    .xFileSize = size_of_log,
    .xLock = lock_blank,
    .xUnlock = unlock_blank,
    .xCheckReservedLock = is_reserved_blank,
    .xFileControl = control_blank,
    .xSectorSize = sector_of_blank,
    .xDeviceCharacteristics = device_of_blank,
};

static int
open_log(
    sqlite3_vfs *real, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	struct log_file *f = (struct log_file *)file;
	int rc;

	*f = (struct log_file){.file = {.real = (sqlite3_file *)(f + 1)}};
	rc = real->xOpen(real, name, f->file.real, flags, out_flags);
	if (f->file.real->pMethods != NULL)
		f->file.base.pMethods = &log_methods;
	return rc;
}

/* ---- files ---- */

/* Temporary files are the real ones. */
static int
open_blank(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	sqlite3_vfs *real = vfs->pAppData;
	struct blank_file *f = (struct blank_file *)file;
	int rc;

	if ((flags & SQLITE_OPEN_WAL) != 0)
		return open_log(real, name, file, flags, out_flags);
	if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
		return real->xOpen(real, name, file, flags, out_flags);
	*f = (struct blank_file){.real = (sqlite3_file *)(f + 1)};
	rc = real->xOpen(real, name, f->real, flags, out_flags);
	if (f->real->pMethods != NULL)
		f->base.pMethods = &blank_methods;
	return rc;
}

/* ---- */

/* SQLite keeps the list of VFSs. The other functions of the system's one do not look at which
 * they are called for. */
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
	vfs->szOsFile = (int)sizeof(struct log_file) +
			real->szOsFile; /* the larger one */
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
	struct ctx_buf path = CTX_BUF_INIT;
	char mark[sizeof(MARK)] = "";
	int64_t bytes;
	struct ctx_err ignored = CTX_ERR_INIT;
	bool marked = false;
	int fd;

	name_beside(db, "-lock", &path);
	fd = ctx_io_open_found(path.p);
	if (fd >= 0) {
		marked = read(fd, mark, sizeof(mark)) == (ssize_t)strlen(MARK) &&
			 strcmp(mark, MARK) == 0;
		close(fd);
	}
	ctx_buf_release(&path);
	return marked && ctx_db_size(db, &bytes, &ignored) == 0 &&
	       bytes < PAGES_MAX * PAGE_MIN;
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
