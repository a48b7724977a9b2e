#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

long
ctx_io_read(int fd, void *p, size_t n)
{
	ssize_t r;

	do
		r = read(fd, p, n);
	while (r < 0 && errno == EINTR);
	return (long)r;
}

int
ctx_io_write(int fd, const void *p, size_t n, const char *what, struct ctx_err *err)
{
	const char *s = p;

	while (n > 0) {
		ssize_t r = write(fd, s, n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			struct pollfd pf = {fd, POLLOUT, 0};
			poll(&pf, 1, -1);
			continue;
		}
		if (r < 0)
			return ctx_err_sys(err, CTX_EIO, errno, "cannot write %s", what);
		s += r;
		n -= (size_t)r;
	}
	return 0;
}

int
ctx_io_read_fd(
    int fd, struct ctx_buf *b, size_t max, const char *what, struct ctx_err *err)
{
	size_t start = b->n;
	long r;

	for (;;) {
		ctx_buf_reserve(b, 65536);
		r = ctx_io_read(fd, b->p + b->n, b->cap - b->n - 1);
		if (r < 0)
			return ctx_err_sys(err, CTX_EIO, errno, "cannot read %s", what);
		if (r == 0)
			break;
		b->n += (size_t)r;
		if (b->n - start > max)
			return ctx_err_set(
			    err, CTX_EINPUT, "%s is larger than %zu bytes", what, max);
	}
	b->p[b->n] = '\0';
	return 0;
}

int
ctx_io_read_file(const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err)
{
	bool std = strcmp(path, "-") == 0;
	int fd, rc;

	fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	rc = ctx_io_read_fd(fd, b, max, std ? "stdin" : path, err);
	if (!std)
		close(fd);
	return rc;
}

int
ctx_io_open_found(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || S_ISFIFO(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		fd = -1;
	}
	return fd;
}

int
ctx_io_read_found(const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err)
{
	int fd = ctx_io_open_found(path), rc;

	if (fd < 0 && errno == EINVAL)
		return ctx_err_set(err, CTX_EIO, "'%s' is not a regular file", path);
	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	rc = ctx_io_read_fd(fd, b, max, path, err);
	close(fd);
	return rc;
}

static int
write_in_place(const char *path, const void *p, size_t n, struct ctx_err *err)
{
	int fd, rc;

	fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);
	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	rc = ctx_io_write(fd, p, n, path, err);
	if (close(fd) < 0 && rc == 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot write %s", path);
	return rc;
}

void
ctx_io_sync_parent(const char *path)
{
	char *copy = ctx_mem_str(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(copy);
}

/* Returns the descriptor of this process that the path names, or -1. */
static int
own_descriptor(const char *path)
{
	static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		const char *n = path + strlen(dirs[i]);
		if (strncmp(path, dirs[i], strlen(dirs[i])) == 0 && *n != '\0' &&
		    strlen(n) < 9 && n[strspn(n, "0123456789")] == '\0')
			return atoi(n);
	}
	return -1;
}

/* Returns true if the file may be given to another owner: it belongs to root, and is
 * empty or a SQLite database. Another file that somebody put in its place must not be
 * given away. */
static bool
is_left_by_root(int fd, const struct stat *st)
{
	char head[16];

	return geteuid() == 0 && st->st_uid == 0 && st->st_nlink == 1 &&
	       (st->st_size == 0 ||
		   (pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
		       memcmp(head, "SQLite format 3", sizeof(head)) == 0));
}

static void
set_owner(int fd, const struct stat *of, const char *like, bool made)
{
	struct stat main;
	mode_t mode;

	if (stat(like, &main) < 0 || !S_ISREG(of->st_mode))
		return;
	mode = main.st_mode & 0666;
	if (of->st_uid == main.st_uid && of->st_gid == main.st_gid &&
	    (of->st_mode & 07777) == mode)
		return;
	if (!made && (geteuid() == 0 || of->st_uid != geteuid()) &&
	    !is_left_by_root(fd, of))
		return;
	/* if the owner cannot be set, set the group only */
	if (fchown(fd, main.st_uid, main.st_gid) < 0 &&
	    fchown(fd, (uid_t)-1, main.st_gid) < 0 && of->st_gid != main.st_gid)
		mode &= ~(mode_t)077;
	fchmod(fd, mode);
}

int
ctx_io_check_beside(const char *path)
{
	char *copy = ctx_mem_str(path);
	int why = access(dirname(copy), W_OK) < 0 ? errno : 0;

	free(copy);
	return why;
}

int
ctx_io_open_beside(const char *path, const char *like)
{
	struct stat st;
	bool made = false;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		made = fd >= 0;
		if (fd < 0 && errno == EEXIST) /* another process was faster */
			fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	}
	if (fd >= 0 && fstat(fd, &st) == 0)
		set_owner(fd, &st, like, made);
	return fd;
}

void
ctx_io_mend_beside(const char *path, const char *like)
{
	struct stat main, is;
	int fd;

	if (lstat(path, &is) < 0 || stat(like, &main) < 0 ||
	    (is.st_uid == main.st_uid && is.st_gid == main.st_gid &&
		((is.st_mode ^ main.st_mode) & 0666) == 0))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	if (fstat(fd, &is) == 0)
		set_owner(fd, &is, like, false);
	close(fd);
}

/* like may be NULL here. */
int
ctx_io_replace_beside(
    const char *path, const char *like, const void *p, size_t n, struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct stat st;
	mode_t mask;
	int fd, rc = -1;

	ctx_buf_addf(&tmp, "%s.tmp.XXXXXX", path);
	fd = mkstemp(tmp.p);
	if (fd < 0) {
		ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path);
		goto done;
	}
	mask = umask(0);
	umask(mask);
	if (fchmod(fd, 0600 & ~mask) < 0 || ctx_io_write(fd, p, n, path, err) < 0 ||
	    fsync(fd) < 0) {
		if (err->code == CTX_OK)
			ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", path);
		close(fd);
		unlink(tmp.p);
		goto done;
	}
	if (like != NULL && fstat(fd, &st) == 0)
		set_owner(fd, &st, like, true);
	if (close(fd) < 0 || rename(tmp.p, path) < 0) {
		ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", path);
		unlink(tmp.p);
		goto done;
	}
	ctx_io_sync_parent(path);
	rc = 0;
done:
	ctx_buf_release(&tmp);
	return rc;
}

int
ctx_io_replace_file(const char *path, const void *p, size_t n, struct ctx_err *err)
{
	int fd = own_descriptor(path), rc;
	struct stat st;
	char *real = NULL;

	if (strcmp(path, "-") == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "'-' cannot be written to (use /dev/stdout or /dev/stderr, or ./- for a file named '-')");
	if (fd >= 0)
		return ctx_io_write(fd, p, n, path, err);
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			return write_in_place(path, p, n, err);
		/* replace the target of a symbolic link, not the link */
		real = realpath(path, NULL);
	}
	rc = ctx_io_replace_beside(real != NULL ? real : path, NULL, p, n, err);
	free(real);
	return rc;
}

int
ctx_io_find_refused(const char *database, bool write, struct ctx_buf *path)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	int mode = R_OK | (write ? W_OK : 0), why;
	char *copy = ctx_mem_str(database);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		ctx_buf_reset(path);
		ctx_buf_addf(path, "%s%s", database, ends[i]);
		if (faccessat(AT_FDCWD, path->p, mode, AT_EACCESS) == 0)
			continue;
		why = errno;
		if (why != ENOENT)
			goto done;
	}
	ctx_buf_reset(path);
	ctx_buf_adds(path, dirname(copy));
	mode = X_OK | (write ? W_OK : 0);
	why = faccessat(AT_FDCWD, path->p, mode, AT_EACCESS) < 0 ? errno : 0;
done:
	free(copy);
	return why;
}

void
ctx_io_take_after(int fd, int directory, bool group)
{
	const mode_t everybodys = S_ISVTX | S_IWOTH;
	struct stat of, in;
	mode_t mode;

	if (fstat(fd, &of) < 0 || fstat(directory, &in) < 0 ||
	    (in.st_mode & everybodys) == everybodys)
		return;
	mode = of.st_mode & 07777;
	if (group && (in.st_mode & (S_ISGID | S_IWGRP)) != 0)
		mode |= S_ISDIR(of.st_mode) ? in.st_mode & 02070 : in.st_mode & 0060;
	if (geteuid() == 0 && fchown(fd, in.st_uid, in.st_gid) == 0)
		of.st_gid = in.st_gid;
	else if (of.st_gid != in.st_gid && mode != (of.st_mode & 07777) &&
		 fchown(fd, (uid_t)-1, in.st_gid) == 0)
		of.st_gid = in.st_gid;
	if (of.st_gid == in.st_gid && mode != (of.st_mode & 07777))
		fchmod(fd, mode);
}

/* Adjusts the directory at path, which was just created. */
static void
give_directory(const char *path, bool group)
{
	const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char *copy = ctx_mem_str(path);
	int fd = open(path, how), up = open(dirname(copy), how & ~O_NOFOLLOW);

	if (fd >= 0 && up >= 0)
		ctx_io_take_after(fd, up, group);
	if (fd >= 0)
		close(fd);
	if (up >= 0)
		close(up);
	free(copy);
}

int
ctx_io_make_dirs(const char *path, bool group, struct ctx_err *err)
{
	char *dir = ctx_mem_str(path);
	int rc = 0;

	for (char *slash = strchr(dir + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash != NULL)
			*slash = '\0';
		if (mkdir(dir, 0700) == 0) {
			give_directory(dir, group);
			ctx_io_sync_parent(dir);
		} else if (errno != EEXIST) {
			rc = ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", dir);
			break;
		}
		if (slash == NULL)
			break;
		*slash = '/';
	}
	free(dir);
	return rc;
}

bool
ctx_io_ready(int fd)
{
	struct pollfd pf = {fd, POLLIN, 0};
	int n;

	/* a pending signal interrupts even a poll that does not wait */
	do
		n = poll(&pf, 1, 0);
	while (n < 0 && errno == EINTR);
	return n != 0;
}
