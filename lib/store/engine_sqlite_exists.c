#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "store/derived.h"
#include "store/stmt.h"

#define PAGE 4096 /* SQLite's default */

static uint32_t
read_derived_be32(const unsigned char p[4])
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

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

/* Is a transaction in the log that makes tables? From byte 4 its last frame tells the pages
 * of the file: https://sqlite.org/fileformat2.html#walformat. Settings alone need one. */
static bool
has_derived_log_tables(int log)
{
	unsigned char header[32], frame[24];
	off_t at = sizeof(header), size;

	if (pread(log, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return false;
	size = (off_t)sizeof(frame) + (off_t)read_derived_be32(header + 8);
	for (; pread(log, frame, sizeof(frame), at) == (ssize_t)sizeof(frame); at += size)
		if (read_derived_be32(frame + 4) > 1)
			return true;
	return false;
}

/* The application id, from byte 68, comes with the first transaction that leaves the log;
 * before it the file is empty or, switched to having a log, one page. */
static bool
is_blank_derived_file(int file, const char *path)
{
	unsigned char id[4];
	struct stat st;
	int log;
	bool blank;

	if (fstat(file, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > PAGE)
		return false;
	if (st.st_size > 0 && (pread(file, id, sizeof(id), 68) != (ssize_t)sizeof(id) ||
				  read_derived_be32(id) != 0))
		return false;
	log = open_file(path, "-wal");
	blank = log < 0 || !has_derived_log_tables(log);
	if (log >= 0)
		close(log);
	return blank;
}

/* Where the disk is full, what was to become the file may lie there. SQLite cannot always
 * open that; and whoever frees space must not have to make the file first. */
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
