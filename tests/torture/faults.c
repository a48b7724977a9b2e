/* Preloaded into a dynamically linked program (LD_PRELOAD), makes one of its calls of the
 * C library fail. Settings, all from the environment:
 *
 * FAULT_CALLS  names of calls ("write,pwrite"); none: all but the allocations
 * FAULT_AT     which of them fails, counted from 1 in each process; 0: none
 * FAULT_HOW    EIO, ENOSPC, EINTR, EACCES, EMFILE, ENOMEM, or short: half is read or written
 * FAULT_ON     "forever": all the following fail too, but those of standard streams, as on
 *              a full disk
 * FAULT_LOG    a file that takes a line per counted call: the process, the call's name and
 *              what it was about
 *
 * Only processes whose name begins with "ctx" are meant. What goes to stderr never fails:
 * a test wants to read it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* glibc's own names: finding the next malloc by dlsym() would allocate */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static struct {
	bool active, forever, is_short;
	int error, log;
	long at;
	char calls[256]; /* ",write,pwrite," */
} fault = {.log = -1};
static atomic_long counted;

static int
error_of(const char *name)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR},
	    {"EACCES", EACCES}, {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM},
	    {"ENOLCK", ENOLCK}};

	for (size_t i = 0; name != NULL && i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(name, errors[i].name) == 0)
			return errors[i].error;
	return EIO;
}

__attribute__((constructor)) static void
start(void)
{
	const char *calls = getenv("FAULT_CALLS"), *at = getenv("FAULT_AT");
	const char *how = getenv("FAULT_HOW"), *log = getenv("FAULT_LOG");
	const char *on = getenv("FAULT_ON");

	if (strncmp(program_invocation_short_name, "ctx", 3) != 0)
		return;
	if (calls != NULL && *calls != '\0')
		snprintf(fault.calls, sizeof(fault.calls), ",%s,", calls);
	fault.at = at == NULL ? 0 : atol(at);
	fault.is_short = how != NULL && strcmp(how, "short") == 0;
	fault.error = error_of(how);
	fault.forever = on != NULL && strcmp(on, "forever") == 0;
	if (log != NULL && *log != '\0') {
		int fd = (int)syscall(SYS_openat, AT_FDCWD, log,
		    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		/* out of the way of tests for closed streams, and of low numbers */
		fault.log = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
		syscall(SYS_close, fd);
	}
	fault.active = true;
}

static bool
is_meant(const char *call)
{
	char want[40];

	if (!fault.active)
		return false;
	if (fault.calls[0] == '\0')
		return strstr("malloc calloc realloc", call) == NULL;
	snprintf(want, sizeof(want), ",%s,", call);
	return strstr(fault.calls, want) != NULL;
}

static void
note(const char *call, const char *about, int fd)
{
	char line[512], path[64], target[300];
	int saved = errno, n;

	if (about == NULL && fd >= 0) {
		long got;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		got = syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof(target) - 1);
		target[got < 0 ? 0 : got] = '\0';
		about = target;
	}
	n = snprintf(line, sizeof(line), "%d %s %s\n", (int)getpid(), call,
	    about == NULL ? "" : about);
	if (syscall(SYS_write, fault.log, line, (size_t)n) < 0) {
		/* a test will miss the line */
	}
	errno = saved;
}

/* Is this call to fail? Then errno is set. */
static bool
fails(const char *call, const char *about, int fd)
{
	long n;

	if (fd == STDERR_FILENO || !is_meant(call) ||
	    (fault.forever && fd >= 0 && fd <= 2))
		return false;
	n = atomic_fetch_add(&counted, 1) + 1;
	if (fault.log >= 0)
		note(call, about, fd);
	if (fault.at == 0 || n < fault.at || (n > fault.at && !fault.forever))
		return false;
	errno = fault.error;
	return true;
}

#define NEXT(call)                     \
	static __typeof__(call) *next; \
	if (next == NULL)              \
	*(void **)(&next) = dlsym(RTLD_NEXT, #call)

/* A call that is only to fail or to go on, counted under a name. */
#define PLAIN(type, bad, call, name, about, fd, params, ...)               \
	type call params                                                   \
	{                                                                  \
		NEXT(call);                                                \
		return fails(name, about, fd) ? (bad) : next(__VA_ARGS__); \
	}

/* ---- transfers ---- */

#define TRANSFER(call, name, params, ...)      \
	ssize_t call params                    \
	{                                      \
		NEXT(call);                    \
		if (fails(name, NULL, fd)) {   \
			if (!fault.is_short)   \
				return -1;     \
			n = n > 1 ? n / 2 : n; \
		}                              \
		return next(__VA_ARGS__);      \
	}

TRANSFER(read, "read", (int fd, void *p, size_t n), fd, p, n)
TRANSFER(write, "write", (int fd, const void *p, size_t n), fd, p, n)
TRANSFER(pread, "pread", (int fd, void *p, size_t n, off_t at), fd, p, n, at)
TRANSFER(pread64, "pread", (int fd, void *p, size_t n, off64_t at), fd, p, n, at)
TRANSFER(pwrite, "pwrite", (int fd, const void *p, size_t n, off_t at), fd, p, n, at)
TRANSFER(pwrite64, "pwrite", (int fd, const void *p, size_t n, off64_t at), fd, p, n, at)

/* ---- opening and closing ---- */

#define OPEN(call, name, dir, params, ...)                             \
	int call params                                                \
	{                                                              \
		NEXT(call);                                            \
		int mode = 0;                                          \
		if (flags & (O_CREAT | O_TMPFILE)) {                   \
			va_list ap;                                    \
			va_start(ap, flags);                           \
			mode = va_arg(ap, int);                        \
			va_end(ap);                                    \
		}                                                      \
		return fails(name, path, -1) ? -1 : next(__VA_ARGS__); \
	}

OPEN(open, "open", AT_FDCWD, (const char *path, int flags, ...), path, flags, mode)
OPEN(open64, "open", AT_FDCWD, (const char *path, int flags, ...), path, flags, mode)
OPEN(openat, "openat", dir, (int dir, const char *path, int flags, ...), dir, path, flags,
    mode)
OPEN(openat64, "openat", dir, (int dir, const char *path, int flags, ...), dir, path,
    flags, mode)

/* the descriptor is gone, whatever it says */
int
close(int fd)
{
	NEXT(close);
	bool fail = fails("close", NULL, fd);
	int rc = next(fd);

	if (fail)
		errno = fault.error;
	return fail ? -1 : rc;
}

/* ---- files ---- */

PLAIN(int, -1, mkstemp, "mkstemp", path, -1, (char *path), path)
PLAIN(int, -1, fsync, "fsync", NULL, fd, (int fd), fd)
PLAIN(int, -1, fdatasync, "fdatasync", NULL, fd, (int fd), fd)
PLAIN(int, -1, ftruncate, "ftruncate", NULL, fd, (int fd, off_t n), fd, n)
PLAIN(int, -1, ftruncate64, "ftruncate", NULL, fd, (int fd, off64_t n), fd, n)
PLAIN(int, fault.error, posix_fallocate, "fallocate", NULL, fd,
    (int fd, off_t at, off_t n), fd, at, n)
PLAIN(int, fault.error, posix_fallocate64, "fallocate", NULL, fd,
    (int fd, off64_t at, off64_t n), fd, at, n)
PLAIN(int, -1, rename, "rename", to, -1, (const char *from, const char *to), from, to)
PLAIN(int, -1, renameat, "rename", to, -1,
    (int dir, const char *from, int dir_to, const char *to), dir, from, dir_to, to)
PLAIN(int, -1, link, "link", to, -1, (const char *from, const char *to), from, to)
PLAIN(int, -1, linkat, "link", to, -1,
    (int dir, const char *from, int dir_to, const char *to, int flags), dir, from, dir_to,
    to, flags)
PLAIN(int, -1, unlink, "unlink", path, -1, (const char *path), path)
PLAIN(int, -1, unlinkat, "unlink", path, -1, (int dir, const char *path, int flags), dir,
    path, flags)
PLAIN(int, -1, mkdir, "mkdir", path, -1, (const char *path, mode_t mode), path, mode)
PLAIN(int, -1, mkdirat, "mkdir", path, -1, (int dir, const char *path, mode_t mode), dir,
    path, mode)
PLAIN(int, -1, access, "access", path, -1, (const char *path, int how), path, how)
PLAIN(int, -1, stat, "stat", path, -1, (const char *path, struct stat *st), path, st)
PLAIN(int, -1, stat64, "stat", path, -1, (const char *path, struct stat64 *st), path, st)
PLAIN(int, -1, lstat, "stat", path, -1, (const char *path, struct stat *st), path, st)
PLAIN(int, -1, lstat64, "stat", path, -1, (const char *path, struct stat64 *st), path, st)
PLAIN(int, -1, fstat, "fstat", NULL, fd, (int fd, struct stat *st), fd, st)
PLAIN(int, -1, fstat64, "fstat", NULL, fd, (int fd, struct stat64 *st), fd, st)
PLAIN(int, -1, fstatat, "stat", path, -1,
    (int dir, const char *path, struct stat *st, int flags), dir, path, st, flags)
PLAIN(int, -1, fchmod, "fchmod", NULL, fd, (int fd, mode_t mode), fd, mode)
PLAIN(int, -1, flock, "flock", NULL, fd, (int fd, int how), fd, how)
PLAIN(DIR *, NULL, opendir, "opendir", path, -1, (const char *path), path)
PLAIN(DIR *, NULL, fdopendir, "opendir", NULL, fd, (int fd), fd)
PLAIN(struct dirent *, NULL, readdir, "readdir", NULL, -1, (DIR * d), d)
PLAIN(struct dirent64 *, NULL, readdir64, "readdir", NULL, -1, (DIR * d), d)
PLAIN(void *, MAP_FAILED, mmap, "mmap", NULL, fd,
    (void *p, size_t n, int prot, int flags, int fd, off_t at), p, n, prot, flags, fd, at)
PLAIN(void *, MAP_FAILED, mmap64, "mmap", NULL, fd,
    (void *p, size_t n, int prot, int flags, int fd, off64_t at), p, n, prot, flags, fd,
    at)

#define FCNTL(call)                                                                 \
	int call(int fd, int cmd, ...)                                              \
	{                                                                           \
		NEXT(call);                                                         \
		va_list ap;                                                         \
		void *arg;                                                          \
		va_start(ap, cmd);                                                  \
		arg = va_arg(ap, void *);                                           \
		va_end(ap);                                                         \
		if ((cmd == F_SETLK || cmd == F_SETLKW) && fails("lock", NULL, fd)) \
			return -1;                                                  \
		return next(fd, cmd, arg);                                          \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

/* ---- processes ---- */

PLAIN(
    int, -1, poll, "poll", NULL, -1, (struct pollfd * fds, nfds_t n, int ms), fds, n, ms)
PLAIN(int, -1, pipe, "pipe", NULL, -1, (int fds[2]), fds)
PLAIN(int, -1, pipe2, "pipe", NULL, -1, (int fds[2], int flags), fds, flags)
PLAIN(int, -1, socketpair, "socketpair", NULL, -1,
    (int domain, int type, int protocol, int fds[2]), domain, type, protocol, fds)

pid_t
fork(void)
{
	NEXT(fork);
	return fails("fork", NULL, -1) ? -1 : next();
}

PLAIN(pid_t, -1, waitpid, "waitpid", NULL, -1, (pid_t pid, int *status, int options), pid,
    status, options)
PLAIN(int, fault.error, posix_spawn, "spawn", path, -1,
    (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
    pid, path, actions, attr, argv, envp)
PLAIN(int, fault.error, posix_spawnp, "spawn", path, -1,
    (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
    pid, path, actions, attr, argv, envp)
PLAIN(int, fault.error, pthread_create, "thread", NULL, -1,
    (pthread_t * thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg),
    thread, attr, fn, arg)
PLAIN(ssize_t, -1, getrandom, "getrandom", NULL, -1,
    (void *p, size_t n, unsigned int flags), p, n, flags)

/* ---- memory ---- */

void *
malloc(size_t n)
{
	return fails("malloc", NULL, -1) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails("calloc", NULL, -1) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails("realloc", NULL, -1) ? NULL : __libc_realloc(p, n);
}
