/* ctx-import: opens files; packed files through the command that unpacks them. */
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

static const struct {
	char magic[4];
	size_t n;
	const char *command;
} packers[] = {
    {"\x1f\x8b", 2, "gzip"}, {"\x28\xb5\x2f\xfd", 4, "zstd"}, {"BZh", 3, "bzip2"}};

static const char *
find_unpacker(int fd)
{
	char head[4];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (n >= (ssize_t)packers[i].n &&
		    memcmp(head, packers[i].magic, packers[i].n) == 0)
			return packers[i].command;
	return NULL;
}

/* Replaces the file's descriptor by one that yields the unpacked bytes. */
static int
start_unpacker(struct opened *o, struct ctx_err *err)
{
	int ends[2];

	if (pipe(ends) < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot create a pipe");
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	o->child = fork();
	if (o->child == 0) {
		if (dup2(o->fd, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0)
			execlp(o->unpacker, o->unpacker, "-dcq", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (o->child < 0) {
		close(ends[0]);
		return ctx_err_sys(err, CTX_EIO, errno, "cannot start %s", o->unpacker);
	}
	close(o->fd);
	o->fd = ends[0];
	return 0;
}

int
open_input(struct opened *o, const char *path, struct ctx_err *err)
{
	*o = (struct opened){.fd = open(path, O_RDONLY | O_CLOEXEC), .child = -1};
	if (o->fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	o->unpacker = find_unpacker(o->fd);
	if (o->unpacker == NULL || start_unpacker(o, err) == 0)
		return 0;
	close(o->fd);
	o->fd = -1;
	return -1;
}

int
close_input(struct opened *o, const char *path, struct ctx_err *err)
{
	char rest[512];
	int status = 0;
	int fd = o->fd;
	bool left;

	o->fd = -1;
	if (o->child < 0)
		return close(fd);
	/* the input was not read to the end */
	left = ctx_io_read(fd, rest, sizeof(rest)) > 0;
	close(fd);
	while (waitpid(o->child, &status, 0) < 0 && errno == EINTR)
		;
	if (left || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return ctx_err_set(err, CTX_EINPUT,
		    "%s: %s(1) is needed to unpack the file", path, o->unpacker);
	return ctx_err_set(err, CTX_EINPUT, "%s: %s(1) could not unpack the whole file",
	    path, o->unpacker);
}

int
spool_database(struct opened *o, struct ctx_buf *path, struct ctx_err *err)
{
	const char *dir = getenv("TMPDIR");
	char chunk[65536];
	int fd, rc = 0;
	long n;

	ctx_buf_addf(path, "%s/ctx-spool.XXXXXX", dir != NULL && *dir ? dir : "/tmp");
	fd = mkstemp(path->p);
	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path->p);
	while (rc == 0 && (n = ctx_io_read(o->fd, chunk, sizeof(chunk))) > 0)
		rc = ctx_io_write(fd, chunk, (size_t)n, "the spool", err);
	close(fd);
	return rc;
}
