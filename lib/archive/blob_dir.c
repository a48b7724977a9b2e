#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/blob_dir.h"
#include "base/io.h"
#include "base/mem.h"

#define MAX_DEPTH 16

struct dir_get {
	struct ctx_blob_get base;
	int fd;
	char *address;
};

static const struct ctx_blob_ops ops;

static void
dir_close(struct ctx_blobs *blobs)
{
	struct dir_blobs *d = (struct dir_blobs *)blobs;

	close(d->fd);
	free(d->path);
	free(d->ready);
	free(d);
}

static void
dir_address(const struct ctx_blobs *blobs, const char *name, struct ctx_buf *out)
{
	const char *path = ((const struct dir_blobs *)blobs)->path;
	size_t n = strlen(path);

	ctx_buf_addf(out, "%s%s%s", path, n > 0 && path[n - 1] == '/' ? "" : "/", name);
}

static char *
make_dir_blob_address(struct dir_blobs *d, const char *name)
{
	struct ctx_buf b = CTX_BUF_INIT;

	dir_address(&d->base, name, &b);
	return ctx_buf_detach(&b);
}

int
ctx_blob_dir_fail(
    struct dir_blobs *d, const char *what, const char *name, struct ctx_err *err)
{
	int errnum = errno;
	char *a = make_dir_blob_address(d, name);

	ctx_err_sys(err, CTX_EIO, errnum, "cannot %s '%s'", what, a);
	free(a);
	return -1;
}

/* Opens the directory that holds name, component by component and without following
 * links; *leaf becomes the last component. Returns the file descriptor, or -1 with errno
 * set. */
static int
walk_to_parent(struct dir_blobs *d, const char *name, bool create, const char **leaf)
{
	int fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 0);
	const char *slash;

	while (fd >= 0 && (slash = strchr(name, '/')) != NULL) {
		char *part = ctx_mem_dup(name, (size_t)(slash - name));
		bool made = create && mkdirat(fd, part, 0700) == 0;
		int up = fd, saved;

		/* A new directory is durable only after its parent was synced; the
		 * process that created it may have died before that. */
		if (made || (create && errno == EEXIST))
			fsync(up);
		fd = openat(up, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		saved = errno;
		if (made && fd >= 0)
			ctx_io_take_after(fd, up, true);
		close(up);
		free(part);
		errno = saved;
		name = slash + 1;
	}
	*leaf = name;
	return fd;
}

/* The directory that was created last is not created and synced again while it exists. */
int
ctx_blob_dir_parent(struct dir_blobs *d, const char *name, bool create, const char **leaf)
{
	const char *end = strrchr(name, '/');
	size_t n = end == NULL ? 0 : (size_t)(end - name);
	bool ready = d->ready != NULL && strlen(d->ready) == n &&
		     memcmp(d->ready, name, n) == 0;
	struct stat st;
	int fd;

	if (!create || n == 0)
		return walk_to_parent(d, name, false, leaf);
	if (ready && (fd = walk_to_parent(d, name, false, leaf)) >= 0) {
		if (fstat(fd, &st) == 0 && st.st_ino == d->ready_ino)
			return fd;
		close(fd);
	}
	fd = walk_to_parent(d, name, true, leaf);
	free(d->ready);
	d->ready = NULL;
	if (fd >= 0 && fstat(fd, &st) == 0) {
		d->ready = ctx_mem_dup(name, n);
		d->ready_ino = st.st_ino;
	}
	return fd;
}

/* ---- reading ---- */

static bool
is_absent(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR;
}

static int
dir_get_open(struct ctx_blobs *blobs, const char *name, struct ctx_blob_get **get,
    struct ctx_err *err)
{
	struct dir_blobs *d = (struct dir_blobs *)blobs;
	const char *leaf;
	int dir = ctx_blob_dir_parent(d, name, false, &leaf), fd = -1, rc = 1;
	struct dir_get *g;
	struct stat st;

	/* O_NONBLOCK: a FIFO in place of the file must not block us */
	if (dir >= 0)
		fd = openat(dir, leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		rc = is_absent(errno) ? 0 : ctx_blob_dir_fail(d, "open", name, err);
	if (dir >= 0)
		close(dir);
	if (fd < 0)
		return rc;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		errno = EINVAL;
		ctx_blob_dir_fail(d, "read", name, err);
		close(fd);
		return -1;
	}
	g = ctx_mem_new(sizeof(*g));
	g->base.ops = &ops;
	g->fd = fd;
	g->address = make_dir_blob_address(d, name);
	*get = &g->base;
	return 1;
}

static long
dir_get_read(struct ctx_blob_get *get, void *p, size_t n, struct ctx_err *err)
{
	struct dir_get *g = (struct dir_get *)get;
	long got = ctx_io_read(g->fd, p, n);

	if (got < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot read %s", g->address);
	return got;
}

static void
dir_get_close(struct ctx_blob_get *get)
{
	struct dir_get *g = (struct dir_get *)get;

	close(g->fd);
	free(g->address);
	free(g);
}

/* ---- listing and deleting ---- */

static int
dir_exists(struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err)
{
	struct dir_blobs *d = (struct dir_blobs *)blobs;
	const char *leaf;
	int dir = ctx_blob_dir_parent(d, name, false, &leaf), rc = 1;
	struct stat st;

	if (dir < 0 || fstatat(dir, leaf, &st, AT_SYMLINK_NOFOLLOW) < 0)
		rc = is_absent(errno) ? 0 : ctx_blob_dir_fail(d, "look for", name, err);
	else if (!S_ISREG(st.st_mode))
		rc = 0;
	else if (size != NULL)
		*size = (int64_t)st.st_size;
	if (dir >= 0)
		close(dir);
	return rc;
}

/* Deletes a temporary file unless a living writer has locked it. Returns 0 or -1 with
 * errno. */
static int
delete_unheld(int dir, const char *leaf)
{
	int fd = openat(dir, leaf, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	int rc = held || unlinkat(dir, leaf, 0) == 0 || errno == ENOENT ? 0 : -1;

	if (fd >= 0)
		close(fd);
	return rc;
}

static int
delete_temporaries(int dir, const char *leaf)
{
	int copy = fcntl(dir, F_DUPFD_CLOEXEC, 0), rc = 0;
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *de;
	char prefix[40];

	if (entries == NULL) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	ctx_blob_dir_temporary(leaf, prefix);
	rewinddir(entries);
	while (rc == 0 && (errno = 0, de = readdir(entries)) != NULL)
		if (strncmp(de->d_name, prefix, strlen(prefix)) == 0)
			rc = delete_unheld(dir, de->d_name);
	if (errno != 0 && errno != ENOENT)
		rc = -1;
	closedir(entries);
	return rc;
}

/* Removes the directories of a deleted blob that are empty now, but not the place itself.
 * A writer whose directory is removed creates it again. */
static void
remove_empty_directories(struct dir_blobs *d, const char *name)
{
	char *path = ctx_mem_str(name), *slash;

	while ((slash = strrchr(path, '/')) != NULL) {
		*slash = '\0';
		if (unlinkat(d->fd, path, AT_REMOVEDIR) < 0)
			break;
	}
	free(path);
}

static int
dir_delete(
    struct ctx_blobs *blobs, const char *name, bool unfinished_only, struct ctx_err *err)
{
	struct dir_blobs *d = (struct dir_blobs *)blobs;
	const char *leaf;
	int dir = ctx_blob_dir_parent(d, name, false, &leaf), rc = 0;

	if (dir < 0 || (!unfinished_only && unlinkat(dir, leaf, 0) < 0))
		rc = is_absent(errno) ? 0 : ctx_blob_dir_fail(d, "delete", name, err);
	if (dir >= 0) {
		if (rc == 0 && delete_temporaries(dir, leaf) < 0)
			rc = ctx_blob_dir_fail(
			    d, "delete the temporary files of", name, err);
		if (rc == 0 && fsync(dir) < 0)
			rc = ctx_blob_dir_fail(d, "sync the directory of", name, err);
		close(dir);
		if (rc == 0)
			remove_empty_directories(d, name);
	}
	return rc;
}

static int
dir_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn, void *arg,
    struct ctx_err *err)
{
	struct dir_blobs *d = (struct dir_blobs *)blobs;

	return ctx_blob_walk(d->fd, d->path, prefix, fn, arg, err);
}

static int
dir_sweep(struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err)
{
	struct dir_blobs *d = (struct dir_blobs *)blobs;

	return ctx_blob_walk_sweep(d->fd, d->path, before, n, err);
}

/* ---- opening ---- */

static const struct ctx_blob_ops ops = {
    .close = dir_close,
    .address = dir_address,
    .put_open = ctx_blob_dir_put_open,
    .put_write = ctx_blob_dir_put_write,
    .puts_commit = ctx_blob_dir_puts_commit,
    .put_abort = ctx_blob_dir_put_abort,
    .get_open = dir_get_open,
    .get_read = dir_get_read,
    .get_close = dir_get_close,
    .exists = dir_exists,
    .list = dir_list,
    .remove = dir_delete,
    .sweep = dir_sweep,
};

int
ctx_blobs_open_dir(
    struct ctx_blobs **blobs, const char *path, bool create, struct ctx_err *err)
{
	struct dir_blobs *d;
	int fd = -1;

	*blobs = NULL;
	if (path[0] == '\0')
		return ctx_err_set(err, CTX_EUSAGE, "the directory name is empty");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && create) {
		if (ctx_io_make_dirs(path, true, err) < 0)
			return -1;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0)
		return ctx_err_sys(
		    err, CTX_EIO, errno, "cannot open directory '%s'", path);
	d = ctx_mem_new(sizeof(*d));
	d->base.ops = &ops;
	d->path = ctx_mem_str(path);
	d->fd = fd;
	*blobs = &d->base;
	return 0;
}
