#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "store/derived.h"
#include "store/engine_sqlite_page.h"
#include "store/stmt.h"

#define PAGE 4096 /* SQLite's default page size in bytes */

static int
open_file(const char *path, const char *end)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int fd;

	ctx_buf_addf(&b, "%s-derived%s", path, end);
	fd = ctx_io_open_found(b.p);
	ctx_buf_release(&b);
	return fd;
}

/* Returns true if the log has a transaction that creates tables: from byte 4, its last
 * frame has the number of pages of the file
 * (https://sqlite.org/fileformat2.html#walformat), which is 1 after settings alone. */
static bool
has_derived_log_tables(int log)
{
	unsigned char header[32], frame[24];
	off_t at = sizeof(header), size;

	if (pread(log, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return false;
	size = (off_t)sizeof(frame) + (off_t)ctx_be32(header + 8);
	for (; pread(log, frame, sizeof(frame), at) == (ssize_t)sizeof(frame); at += size)
		if (ctx_be32(frame + 4) > 1)
			return true;
	return false;
}

/* Returns true if the file has no tables yet. The application id (from byte 68) is
 * written with the first transaction that is copied from the log. Before that, the file
 * is empty or, once it was switched to using a log, has one page. */
static bool
is_blank_derived_file(int file, const char *path)
{
	unsigned char id[4];
	struct stat st;
	int log;
	bool blank;

	if (fstat(file, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > PAGE)
		return false;
	if (st.st_size > 0 &&
	    (pread(file, id, sizeof(id), 68) != (ssize_t)sizeof(id) || ctx_be32(id) != 0))
		return false;
	log = open_file(path, "-wal");
	blank = log < 0 || !has_derived_log_tables(log);
	if (log >= 0)
		close(log);
	return blank;
}

/* A full disk can leave the beginning of a derived file. SQLite cannot always open it,
 * and a purge that frees space must not have to complete it first. */
bool
ctx_derived_exists(struct ctx_store *st)
{
	bool there;
	int fd;

	if (ctx_db_is_whole(&st->db))
		return true;
	if (st->derived != NULL || st->db.scratch)
		return st->derived != NULL;
	fd = open_file(st->db.path, "");
	if (fd < 0)
		return errno != ENOENT;
	there = !is_blank_derived_file(fd, st->db.path);
	close(fd);
	return there;
}
