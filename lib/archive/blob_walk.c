#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/blob_ops.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/time.h"

#define MAX_DEPTH 16

/* A walk over all files of a directory tree, in byte order of their names. */
struct walk {
	const char *path; /* path of the root, for messages */
	const char *prefix;
	ctx_blob_each *fn;
	void *arg;
	struct ctx_buf name;
	bool temporaries; /* delete temporary files instead of listing blobs */
	int64_t before, n;
};

static int
fail_walk_read(const struct walk *w, struct ctx_err *err)
{
	return ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s/%s'", w->path,
	    w->name.n > 0 ? w->name.p : "");
}

struct entries {
	char **names;
	size_t n, cap;
};

/* Reads the sorted names in the directory fd, which is closed. Names of directories get a
 * '/' appended. */
static int
read_entries(int fd, struct entries *e)
{
	DIR *dir = fdopendir(fd);
	struct dirent *de;
	struct stat st;
	int errnum;

	if (dir == NULL) {
		close(fd);
		return -1;
	}
	while ((errno = 0, de = readdir(dir)) != NULL) {
		struct ctx_buf b = CTX_BUF_INIT;

		if (strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(dir), de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno == ENOENT)
				continue; /* deleted meanwhile */
			break;
		}
		if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
			continue;
		ctx_buf_addf(&b, "%s%s", de->d_name, S_ISDIR(st.st_mode) ? "/" : "");
		CTX_MEM_GROW(e->names, e->n, e->cap);
		e->names[e->n++] = ctx_buf_detach(&b);
	}
	errnum = errno;
	closedir(dir);
	errno = errnum;
	if (errnum == 0 && e->n > 0)
		/* Names of directories already end with '/', so that names sort as the
		 * keys of a bucket do. */
		qsort(e->names, e->n, sizeof(*e->names), ctx_compare_strings);
	return errnum == 0 ? 0 : -1;
}

/* Deletes a temporary file if it can be locked, which means that no writer has it.
 * Returns whether it was deleted. */
static bool
remove_unheld(int dir, const char *leaf)
{
	int fd = openat(dir, leaf, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool removed = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		       unlinkat(dir, leaf, 0) == 0;

	if (fd >= 0)
		close(fd);
	return removed;
}

static int
visit_file(struct walk *w, int dir, const char *leaf, struct ctx_err *err)
{
	struct ctx_blob blob = {w->name.p, 0, CTX_TIME_NONE};
	struct stat st;

	if (fstatat(dir, leaf, &st, AT_SYMLINK_NOFOLLOW) < 0)
		/* deleted meanwhile */
		return errno == ENOENT ? 0 : fail_walk_read(w, err);
	blob.size = (int64_t)st.st_size;
	blob.modified = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	if (w->temporaries) {
		if (strncmp(leaf, CTX_BLOB_TEMPORARY, sizeof(CTX_BLOB_TEMPORARY) - 1) ==
			0 &&
		    (remove_unheld(dir, leaf) ||
			(blob.modified < w->before && unlinkat(dir, leaf, 0) == 0)))
			w->n++;
		return 0;
	}
	if (!ctx_blob_name_ok(w->name.p) ||
	    strncmp(w->name.p, w->prefix, strlen(w->prefix)) != 0)
		return 0;
	return w->fn(w->arg, &blob, err);
}

static int walk_dir(struct walk *w, int fd, int depth, struct ctx_err *err);

static int
visit_walk_entry(struct walk *w, int dir, char *entry, int depth, struct ctx_err *err)
{
	size_t n = w->name.n, len = strlen(entry), common, prefix = strlen(w->prefix);
	int rc = 0, fd;

	ctx_buf_adds(&w->name, entry);
	common = w->name.n < prefix ? w->name.n : prefix;
	if (entry[len - 1] != '/') {
		rc = visit_file(w, dir, entry, err);
	} else if (depth < MAX_DEPTH && entry[0] != '.' &&
		   strncmp(w->name.p, w->prefix, common) == 0) {
		entry[len - 1] = '\0';
		fd = openat(dir, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			rc = walk_dir(w, fd, depth + 1, err);
		else if (errno != ENOENT)
			rc = fail_walk_read(w, err);
	}
	w->name.n = n;
	if (w->name.p != NULL)
		w->name.p[n] = '\0';
	return rc;
}

/* Walks over the directory fd, and closes fd. */
static int
walk_dir(struct walk *w, int fd, int depth, struct ctx_err *err)
{
	struct entries e = {NULL, 0, 0};
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), rc = 0;

	if (copy < 0 || read_entries(copy, &e) < 0)
		rc = fail_walk_read(w, err);
	for (size_t i = 0; i < e.n; i++) {
		if (rc == 0)
			rc = visit_walk_entry(w, fd, e.names[i], depth, err);
		free(e.names[i]);
	}
	free(e.names);
	close(fd);
	return rc;
}

static int
walk_all(struct walk *w, int root, struct ctx_err *err)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return fail_walk_read(w, err);
	rc = walk_dir(w, fd, 0, err);
	ctx_buf_release(&w->name);
	return rc;
}

int
ctx_blob_walk(int root, const char *path, const char *prefix, ctx_blob_each *fn,
    void *arg, struct ctx_err *err)
{
	struct walk w = {.path = path, .prefix = prefix, .fn = fn, .arg = arg};

	return walk_all(&w, root, err);
}

int
ctx_blob_walk_sweep(
    int root, const char *path, int64_t before, int64_t *n, struct ctx_err *err)
{
	struct walk w = {
	    .path = path, .prefix = "", .temporaries = true, .before = before};
	int rc = walk_all(&w, root, err);

	*n = w.n;
	return rc;
}
