/* Copies input and output that must wait to unnamed files in TMPDIR. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

int
cli_spool_new(struct ctx_err *err)
{
	const char *dir = getenv("TMPDIR");
	struct ctx_buf path = CTX_BUF_INIT;
	int fd;

	ctx_buf_addf(&path, "%s/ctx-spool.XXXXXX", dir != NULL && *dir ? dir : "/tmp");
	fd = mkstemp(path.p);
	if (fd < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path.p);
	else {
		unlink(path.p);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	ctx_buf_release(&path);
	return fd;
}

/* Copies all data from a descriptor to a temporary file, which is rewound. */
static int
spool_descriptor(int from, const char *name, struct ctx_err *err)
{
	static char chunk[65536];
	int fd = cli_spool_new(err), rc = 0;
	long n = 0;

	if (fd < 0)
		return -1;
	while (rc == 0 && (n = ctx_io_read(from, chunk, sizeof(chunk))) > 0)
		rc = ctx_io_write(fd, chunk, (size_t)n, "the spool", err);
	if (n < 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot read %s", name);
	if (rc == 0 && lseek(fd, 0, SEEK_SET) < 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot read the spool");
	if (rc == 0)
		return fd;
	close(fd);
	return -1;
}

int
cli_input_spool(struct cli_input *in, struct ctx_err *err)
{
	in->fds = ctx_mem_new((size_t)in->argc * sizeof(*in->fds));
	for (int i = 0; i < in->argc; i++)
		in->fds[i] = -1;
	for (int i = 0; i < in->argc; i++) {
		const char *path = in->argv[i];
		bool std = strcmp(path, "-") == 0;
		struct stat st;
		int fd;
		if (!std && (stat(path, &st) < 0 || S_ISREG(st.st_mode)))
			continue;
		fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
		in->fds[i] = spool_descriptor(fd, std ? "stdin" : path, err);
		if (!std)
			close(fd);
		if (in->fds[i] < 0)
			return -1;
	}
	return 0;
}
