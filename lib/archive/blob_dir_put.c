/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _GNU_SOURCE /* for sync_file_range */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/blob_dir.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"

struct dir_put {
	struct ctx_blob_put base;
	int dir, fd;
	bool exclusive;
	char tmp[64];
	char *leaf;    /* last component of the name */
	char *address; /* for messages */
};

static void
free_dir_put(struct dir_put *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->dir >= 0)
		close(p->dir);
	free(p->leaf);
	free(p->address);
	free(p);
}

void
ctx_blob_dir_temporary(const char *leaf, char out[40])
{
	char hex[CTX_HASH_HEX + 1];

	ctx_hash_sha256(leaf, strlen(leaf), hex);
	snprintf(out, 40, CTX_BLOB_TEMPORARY "%.16s-", hex);
}

/* Locks a temporary file, which tells a sweep that its writer is alive. Returns false if
 * a sweep has locked or deleted it first. On file systems without locks, a sweep judges
 * by age only. */
static bool
lock_put_file(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	return fstat(fd, &st) < 0 || st.st_nlink > 0;
}

static int
open_temporary(struct dir_put *p, const char *leaf)
{
	char prefix[40];
	uint64_t random;

	ctx_blob_dir_temporary(leaf, prefix);
	for (int tries = 0; tries < 100; tries++) {
		if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return -1;
		snprintf(p->tmp, sizeof(p->tmp), "%s%016llx", prefix,
		    (unsigned long long)random);
		p->fd = openat(p->dir, p->tmp,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (p->fd < 0 && errno != EEXIST)
			return -1;
		if (p->fd >= 0 && lock_put_file(p->fd))
			return p->fd;
		if (p->fd >= 0)
			close(p->fd);
		p->fd = -1;
	}
	return -1;
}

/* Opens a temporary file in the blob's directory. If the directory is removed meanwhile,
 * because its last blob was deleted, it is created again. */
static int
open_put_file(struct dir_blobs *d, struct dir_put *p, const char *name, const char **leaf)
{
	for (int tries = 0; tries < 100; tries++) {
		p->dir = ctx_blob_dir_parent(d, name, true, leaf);
		if (p->dir >= 0 && open_temporary(p, *leaf) >= 0)
			return 0;
		if (errno != ENOENT)
			return -1;
		if (p->dir >= 0)
			close(p->dir);
		p->dir = -1;
		errno = ENOENT;
	}
	return -1;
}

int
ctx_blob_dir_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err)
{
	struct dir_blobs *d = (struct dir_blobs *)blobs;
	struct dir_put *p = ctx_mem_new(sizeof(*p));
	struct ctx_buf whole = CTX_BUF_INIT;
	const char *leaf;

	p->base.ops = d->base.ops;
	p->fd = -1;
	p->exclusive = exclusive;
	if (open_put_file(d, p, name, &leaf) < 0) {
		ctx_blob_dir_fail(d, "create", name, err);
		free_dir_put(p);
		return -1;
	}
	p->leaf = ctx_mem_str(leaf);
	blobs->ops->address(blobs, name, &whole);
	p->address = ctx_buf_detach(&whole);
	ctx_io_take_after(p->fd, p->dir, true);
	*put = &p->base;
	return 0;
}

int
ctx_blob_dir_put_write(
    struct ctx_blob_put *put, const void *p, size_t n, struct ctx_err *err)
{
	struct dir_put *d = (struct dir_put *)put;

	return ctx_io_write(d->fd, p, n, d->address, err);
}

void
ctx_blob_dir_put_abort(struct ctx_blob_put *put)
{
	struct dir_put *p = (struct dir_put *)put;

	unlinkat(p->dir, p->tmp, 0);
	free_dir_put(p);
}

/* Gives the temporary file its name. Returns 0 if done, 1 if the put is exclusive and the
 * name exists, -1 with errno. On file systems without hard links, two concurrent
 * exclusive writers can both succeed. */
static int
claim_put_name(struct dir_put *p)
{
	if (!p->exclusive)
		return renameat(p->dir, p->tmp, p->dir, p->leaf);
	if (linkat(p->dir, p->tmp, p->dir, p->leaf, 0) == 0)
		return unlinkat(p->dir, p->tmp, 0);
	if (errno == EEXIST)
		return 1;
	if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
		return faccessat(p->dir, p->leaf, F_OK, AT_SYMLINK_NOFOLLOW) == 0
			   ? 1
			   : renameat(p->dir, p->tmp, p->dir, p->leaf);
	return -1;
}

static int
fail_write(const struct dir_put *p, struct ctx_err *err)
{
	return ctx_err_sys(err, CTX_EIO, errno, "cannot write %s", p->address);
}

/* Starts writing a file's data to the disk without waiting. With a group of files, the
 * first sync then finds all writes under way, and the other syncs have little left to
 * wait for. */
static void
begin_sync(const struct dir_put *p CTX_UNUSED)
{
#ifdef SYNC_FILE_RANGE_WRITE
	sync_file_range(p->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
#endif
}

/* Syncs and closes the file. A duplicate of its descriptor keeps the lock until the file
 * has its name. */
static int
sync_file(struct dir_put *p, struct ctx_err *err)
{
	int fd = p->fd;

	p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fsync(fd) < 0) {
		fail_write(p, err);
		close(fd);
		return -1;
	}
	return close(fd) < 0 ? fail_write(p, err) : 0;
}

static bool
is_same_put_dir(const struct dir_put *a, const struct dir_put *b)
{
	size_t n = strlen(a->address) - strlen(a->leaf);

	return n == strlen(b->address) - strlen(b->leaf) &&
	       memcmp(a->address, b->address, n) == 0;
}

/* Syncs the directories of the files that have got their names. A directory is synced
 * once, for the last of its files. */
static void
sync_directories(struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[])
{
	for (size_t i = n; i-- > 0;) {
		struct dir_put *p = (struct dir_put *)puts[i];
		size_t j = i + 1;

		if (done[i].rc != 0)
			continue;
		while (j < n && (done[j].named == false ||
				    !is_same_put_dir((struct dir_put *)puts[j], p)))
			j++;
		done[i].named = true;
		if (j < n)
			done[i] = done[j];
		else if (fsync(p->dir) < 0)
			done[i].rc = ctx_err_sys(&done[i].err, CTX_EIO, errno,
			    "cannot sync the directory of %s", p->address);
	}
}

void
ctx_blob_dir_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[])
{
	for (size_t i = 0; i < n; i++)
		begin_sync((struct dir_put *)puts[i]);
	for (size_t i = 0; i < n; i++)
		done[i].rc = sync_file((struct dir_put *)puts[i], &done[i].err);
	for (size_t i = 0; i < n; i++) {
		struct dir_put *p = (struct dir_put *)puts[i];
		if (done[i].rc == 0 && (done[i].rc = claim_put_name(p)) < 0)
			fail_write(p, &done[i].err);
		if (done[i].rc != 0)
			unlinkat(p->dir, p->tmp, 0);
	}
	sync_directories(puts, n, done);
	for (size_t i = 0; i < n; i++)
		free_dir_put((struct dir_put *)puts[i]);
}
