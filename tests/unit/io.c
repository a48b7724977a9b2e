#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

static char dir[] = "/tmp/ctx-io.XXXXXX";

static char *
in_dir(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void
files(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf b = CTX_BUF_INIT;
	struct stat st;
	char *big = malloc(300000);

	memset(big, 'x', 300000);
	CHECK(ctx_io_replace_file(in_dir("f"), big, 300000, &err) == 0);
	CHECK(stat(in_dir("f"), &st) == 0 && (st.st_mode & 07777) == 0600);
	ctx_buf_adds(&b, "kept");
	CHECK(ctx_io_read_file(in_dir("f"), &b, 300000, &err) == 0);
	CHECK_INT(b.n, 300004);
	CHECK(memcmp(b.p, "kept", 4) == 0 && memcmp(b.p + 4, big, 300000) == 0 &&
	      b.p[b.n] == '\0');
	ctx_buf_reset(&b);
	CHECK(ctx_io_read_file(in_dir("f"), &b, 299999, &err) < 0);
	CHECK_INT(err.code, CTX_EINPUT);
	CHECK(ctx_io_replace_file(in_dir("f"), "new", 3, &err) == 0);
	ctx_buf_reset(&b);
	CHECK(ctx_io_read_file(in_dir("f"), &b, 3, &err) == 0);
	CHECK_STR(b.p, "new");
	ctx_buf_release(&b);
	free(big);
}

static void
empty_file(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf b = CTX_BUF_INIT;

	CHECK(ctx_io_replace_file(in_dir("e"), NULL, 0, &err) == 0);
	CHECK(ctx_io_read_file(in_dir("e"), &b, 0, &err) == 0);
	CHECK(b.p != NULL && b.n == 0);
	ctx_buf_release(&b);
}

static void
failures(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf b = CTX_BUF_INIT;

	CHECK(ctx_io_read_file(in_dir("missing"), &b, 10, &err) < 0);
	CHECK_INT(err.code, CTX_EIO);
	CHECK(strstr(err.msg, "missing") != NULL &&
	      strstr(err.msg, strerror(ENOENT)) != NULL);
	err = (struct ctx_err)CTX_ERR_INIT;
	CHECK(ctx_io_read_file(dir, &b, 10, &err) < 0);
	CHECK_INT(err.code, CTX_EIO);
	err = (struct ctx_err)CTX_ERR_INIT;
	CHECK(ctx_io_replace_file(in_dir("no/such/dir"), "x", 1, &err) < 0);
	CHECK_INT(err.code, CTX_EIO);
	err = (struct ctx_err)CTX_ERR_INIT;
	CHECK(ctx_io_replace_file("/dev/full", "x", 1, &err) < 0);
	CHECK_INT(err.code, CTX_EIO);
	CHECK(strstr(err.msg, strerror(ENOSPC)) != NULL);
	ctx_buf_release(&b);
}

/* A writer killed half-way must leave the old content, so nothing may be written under
 * the name itself; and no temporary file may stay when all went well. */
static void
replaced_as_a_whole(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct stat before, after;
	int fd;

	CHECK(ctx_io_replace_file(in_dir("w"), "old", 3, &err) == 0);
	fd = open(in_dir("w"), O_RDONLY);
	CHECK(ctx_io_replace_file(in_dir("w"), "newer", 5, &err) == 0);
	CHECK(fstat(fd, &before) == 0 &&
	      before.st_size == 3); /* who has it open keeps it */
	CHECK(stat(in_dir("w"), &after) == 0 && after.st_size == 5);
	close(fd);
	CHECK(rmdir(dir) < 0);
	unlink(in_dir("w"));
	unlink(in_dir("f"));
	unlink(in_dir("e"));
	CHECK(rmdir(dir) == 0 && mkdir(dir, 0700) == 0);
}

static void
no_file_is_written_in_place(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	char path[40], got[4] = "";
	int p[2];

	CHECK(pipe(p) == 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", p[1]);
	CHECK(ctx_io_replace_file(path, "abc", 3, &err) == 0);
	CHECK(read(p[0], got, 3) == 3);
	CHECK_STR(got, "abc");
	close(p[0]);
	close(p[1]);
}

/* A name in /dev or in a directory of links must not be taken from what it leads to. */
static void
what_leads_to_a_file_stays(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	char path[40], got[8] = "";
	char *link = ctx_mem_str(in_dir("link"));
	struct stat st;
	int fd;

	CHECK(ctx_io_replace_file(in_dir("w"), "old", 3, &err) == 0);
	CHECK(symlink("w", link) == 0);
	CHECK(ctx_io_replace_file(link, "new", 3, &err) == 0);
	CHECK(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(lstat(in_dir("w"), &st) == 0 && S_ISREG(st.st_mode));
	fd = open(link, O_RDWR);
	CHECK(lseek(fd, 0, SEEK_END) == 3);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	CHECK(ctx_io_replace_file(path, "er", 2, &err) == 0);
	CHECK(pread(fd, got, 7, 0) == 5);
	CHECK_STR(got, "newer");
	close(fd);
	unlink(link);
	unlink(in_dir("w"));
	free(link);
}

static void
nothing(int sig)
{
	(void)sig;
}

/* Signals that arrive while a pipe is full or empty must neither lose nor repeat a byte. */
static volatile sig_atomic_t signals;

static void
count_signal(int sig)
{
	(void)sig;
	signals++;
}

static void
interrupted(void)
{
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = nothing};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf b = CTX_BUF_INIT;
	size_t n = 4 << 20;
	char *data = malloc(n);
	pid_t child;
	int p[2];

	for (size_t i = 0; i < n; i++)
		data[i] = (char)(i * 2654435761u >> 24);
	CHECK(pipe(p) == 0 && sigaction(SIGALRM, &sa, NULL) == 0);
	fflush(stdout);
	child = fork();
	setitimer(ITIMER_REAL, &often, NULL); /* the child inherits none */
	if (child == 0) {
		close(p[0]);
		_exit(ctx_io_write(p[1], data, n, "pipe", &err) < 0);
	}
	close(p[1]);
	CHECK(ctx_io_read_fd(p[0], &b, n, "pipe", &err) == 0);
	setitimer(ITIMER_REAL, &never, NULL);
	close(p[0]);
	waitpid(child, NULL, 0);
	CHECK(b.n == n && memcmp(b.p, data, n) == 0);
	ctx_buf_release(&b);
	free(data);
}

/* A signal that is handled while nothing is there to read is no input. */
static void
interrupted_ready(void)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = count_signal};
	long wrong = 0;
	int p[2];

	CHECK(pipe(p) == 0 && sigaction(SIGALRM, &sa, NULL) == 0);
	setitimer(ITIMER_REAL, &often, NULL);
	while (signals < 2000)
		wrong += ctx_io_ready(p[0]);
	setitimer(ITIMER_REAL, &never, NULL);
	CHECK_INT(wrong, 0);
	close(p[0]);
	close(p[1]);
}

static void
broken_pipe(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	int p[2];

	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe(p) == 0);
	close(p[0]);
	CHECK(ctx_io_write(p[1], "x", 1, "stdout", &err) < 0);
	CHECK_INT(err.code, CTX_EIO);
	close(p[1]);
}

static void
ready(void)
{
	int p[2];

	CHECK(pipe(p) == 0);
	CHECK(!ctx_io_ready(p[0]));
	CHECK(write(p[1], "x", 1) == 1);
	CHECK(ctx_io_ready(p[0]));
	CHECK(read(p[0], (char[1]){0}, 1) == 1);
	CHECK(!ctx_io_ready(p[0]));
	close(p[1]);
	CHECK(ctx_io_ready(p[0])); /* the end can be read too */
	close(p[0]);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	RUN(files);
	RUN(empty_file);
	RUN(failures);
	RUN(replaced_as_a_whole);
	RUN(what_leads_to_a_file_stays);
	RUN(no_file_is_written_in_place);
	RUN(interrupted);
	RUN(interrupted_ready);
	RUN(broken_pipe);
	RUN(ready);
	rmdir(dir);
	return TEST_END();
}
