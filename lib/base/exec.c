#include "base/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/time.h"

#define MAX_OUTPUT ((size_t)64 << 20)
#define SILENCE_MS \
	300 /* ms without an answer: then the command seems to wait for end of input */
#define TICK_MS 10
#define CLOSE_MS 2000 /* how long a command may run on after its last answer */

extern char **environ;

struct ctx_exec {
	struct ctx_exec_options o;
	pid_t pid; /* 0: not running */
	int in, out;
	sigset_t held; /* signals blocked until the command is killed */
	sigset_t mask; /* the caller's signal mask */
};

/* ---- signals ---- A signal that would end the caller must end the command first,
 * because the command is in another process group and does not get the signal. The signal
 * is blocked while the caller waits for the command, and polled for. It is delivered
 * after the command was killed; the caller then dies or handles it. */

static void
hold_signals(struct ctx_exec *x)
{
	static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	struct sigaction now;

	sigemptyset(&x->held);
	pthread_sigmask(SIG_SETMASK, NULL, &x->mask);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN &&
		    !sigismember(&x->mask, ending[i]))
			sigaddset(&x->held, ending[i]);
	pthread_sigmask(SIG_BLOCK, &x->held, NULL);
}

static void
let_signals(const struct ctx_exec *x)
{
	pthread_sigmask(SIG_SETMASK, &x->mask, NULL);
}

static bool
is_interrupted(const struct ctx_exec *x)
{
	sigset_t waiting;

	sigpending(&waiting);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(&waiting, sig) == 1 && sigismember(&x->held, sig) == 1)
			return true;
	return false;
}

/* ---- start and end ---- */

static void
close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int
spawn_exec_command(struct ctx_exec *x, int child_in, int child_out, struct ctx_err *err)
{
	char sh[] = "sh", dash_c[] = "-c", *command = ctx_mem_str(x->o.command);
	char *argv[] = {sh, dash_c, command, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t signals;
	int rc;

	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGXFSZ);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, child_in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, child_out, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &signals);
	posix_spawnattr_setpgroup(&attr, 0); /* so that its children can be killed too */
	posix_spawnattr_setsigmask(&attr, &x->mask);
	posix_spawnattr_setflags(&attr,
	    POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&x->pid, "/bin/sh", &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	free(command);
	if (rc == 0)
		return 0;
	x->pid = 0;
	return ctx_err_sys(err, CTX_EIO, rc, "cannot run '%s'", x->o.command);
}

static int
make_pipe(int ends[2], struct ctx_err *err)
{
	if (pipe(ends) < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot create a pipe");
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return 0;
}

static int
start_exec_command(struct ctx_exec *x, struct ctx_err *err)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1}, rc = -1;

	if (make_pipe(to, err) == 0 && make_pipe(from, err) == 0)
		rc = spawn_exec_command(x, to[0], from[1], err);
	close_end(&to[0]);
	close_end(&from[1]);
	if (rc < 0) {
		close_end(&to[1]);
		close_end(&from[0]);
		return -1;
	}
	x->in = to[1];
	x->out = from[0];
	fcntl(x->in, F_SETFL, O_NONBLOCK);
	fcntl(x->out, F_SETFL, O_NONBLOCK);
	return 0;
}

static void
kill_all(struct ctx_exec *x)
{
	int status;

	if (x->pid == 0)
		return;
	kill(-x->pid, SIGKILL);
	while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	x->pid = 0;
	close_end(&x->in);
	close_end(&x->out);
}

/* Waits until the process ends or the deadline passes. */
static int
reap_exec_command(struct ctx_exec *x, int64_t deadline, struct ctx_err *err)
{
	int status = 0;
	pid_t got;

	close_end(&x->in);
	close_end(&x->out);
	while ((got = waitpid(x->pid, &status, WNOHANG)) == 0 ||
	       (got < 0 && errno == EINTR)) {
		bool interrupted = is_interrupted(x);
		if (interrupted || ctx_time_monotonic() >= deadline) {
			kill_all(x);
			return ctx_err_set(err, CTX_EIO,
			    interrupted ? "'%s' was interrupted"
					: "'%s' did not exit in time",
			    x->o.command);
		}
		poll(NULL, 0, 1);
	}
	x->pid = 0;
	if (got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (got > 0 && WIFSIGNALED(status))
		return ctx_err_set(err, CTX_EIO, "'%s' was killed by signal %d",
		    x->o.command, WTERMSIG(status));
	return ctx_err_set(err, CTX_EIO, "'%s' failed with status %d", x->o.command,
	    got > 0 ? WEXITSTATUS(status) : -1);
}

/* ---- the exchange ---- */

struct exchange {
	struct ctx_span rest; /* input not written yet */
	/* lines of the answer: wanted (0: all until end of output), received */
	size_t want, got;
	size_t bytes;
	int64_t deadline, heard;
	bool ended; /* end of output was reached */
};

/* Writes as much as the pipe accepts. EPIPE is not an error, because a command need not
 * read its input. */
static int
feed_command_input(struct ctx_exec *x, struct exchange *e, struct ctx_err *err)
{
	ssize_t n = write(x->in, e->rest.p, e->rest.n);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && errno != EPIPE)
		return ctx_err_sys(
		    err, CTX_EIO, errno, "cannot write to '%s'", x->o.command);
	if (n < 0) {
		e->rest.n = 0;
		close_end(&x->in);
		return 0;
	}
	e->rest.p += n;
	e->rest.n -= (size_t)n;
	e->heard = ctx_time_monotonic();
	return 0;
}

static int
read_command_output(
    struct ctx_exec *x, struct exchange *e, struct ctx_buf *out, struct ctx_err *err)
{
	char chunk[16384];
	ssize_t n = read(x->out, chunk, sizeof(chunk));
	size_t max = x->o.max_output == 0 ? MAX_OUTPUT : x->o.max_output;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		return ctx_err_sys(
		    err, CTX_EIO, errno, "cannot read from '%s'", x->o.command);
	if (n == 0) {
		e->ended = true;
		return 0;
	}
	e->bytes += (size_t)n;
	if (e->bytes > max)
		return ctx_err_set(
		    err, CTX_EIO, "'%s' wrote more than %zu bytes", x->o.command, max);
	e->got += ctx_span_count((struct ctx_span){chunk, (size_t)n}, '\n');
	ctx_buf_add(out, chunk, (size_t)n);
	e->heard = ctx_time_monotonic();
	return 0;
}

/* Closes the command's input once everything is written: at once if no question follows,
 * otherwise after the command was silent for a while. */
static void
end_input(struct ctx_exec *x, const struct exchange *e)
{
	if (x->in < 0 || e->rest.n > 0)
		return;
	if (e->want == 0 || (x->o.last != NULL && x->o.last(x->o.arg)) ||
	    ctx_time_monotonic() - e->heard >= SILENCE_MS)
		close_end(&x->in);
}

static int
step_command_exchange(
    struct ctx_exec *x, struct exchange *e, struct ctx_buf *out, struct ctx_err *err)
{
	struct pollfd fds[2] = {{x->out, POLLIN, 0}, {x->in, POLLOUT, 0}};
	int n;

	end_input(x, e);
	n = poll(fds, e->rest.n > 0 && x->in >= 0 ? 2 : 1, x->in >= 0 ? TICK_MS : 100);
	if (n < 0 && errno != EINTR)
		return ctx_err_sys(
		    err, CTX_EIO, errno, "cannot wait for '%s'", x->o.command);
	if (n > 0 && fds[0].revents != 0 && read_command_output(x, e, out, err) < 0)
		return -1;
	if (n > 0 && fds[1].revents != 0 && feed_command_input(x, e, err) < 0)
		return -1;
	if (is_interrupted(x))
		return ctx_err_set(err, CTX_EIO, "'%s' was interrupted", x->o.command);
	if (ctx_time_monotonic() >= e->deadline)
		return ctx_err_set(err, CTX_EIO, "'%s' took longer than %lld ms",
		    x->o.command, (long long)x->o.timeout_ms);
	return 0;
}

static int
exchange_with_command(struct ctx_exec *x, struct ctx_span input, size_t want,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct exchange e = {.rest = input, .want = want};
	int rc = 0;

	e.heard = ctx_time_monotonic();
	e.deadline = e.heard + x->o.timeout_ms;
	if (x->pid == 0 && start_exec_command(x, err) < 0)
		return -1;
	while (rc == 0 && !e.ended && (want == 0 || e.got < want))
		rc = step_command_exchange(x, &e, out, err);
	if (rc == 0 && (e.ended || x->in < 0)) {
		close_end(&x->in);
		while (rc == 0 && !e.ended)
			rc = step_command_exchange(x, &e, out, err);
		if (rc == 0)
			return reap_exec_command(x, e.deadline, err);
	}
	if (rc < 0)
		kill_all(x);
	return rc;
}

/* ---- */

struct ctx_exec *
ctx_exec_new(const struct ctx_exec_options *o)
{
	struct ctx_exec *x = ctx_mem_new(sizeof(*x));

	x->o = *o;
	x->in = x->out = -1;
	return x;
}

int
ctx_exec_ask(struct ctx_exec *x, struct ctx_span lines, size_t n, struct ctx_buf *out,
    struct ctx_err *err)
{
	int rc = 0;

	if (n > 0) {
		hold_signals(x);
		rc = exchange_with_command(x, lines, n, out, err);
		let_signals(x);
	}
	return rc;
}

int
ctx_exec_run(const struct ctx_exec_options *o, struct ctx_span input, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_exec *x = ctx_exec_new(o);
	int rc;

	hold_signals(x);
	rc = exchange_with_command(x, input, 0, out, err);
	let_signals(x);
	ctx_exec_free(x);
	return rc;
}

void
ctx_exec_free(struct ctx_exec *x)
{
	struct ctx_err ignored;

	if (x == NULL)
		return;
	hold_signals(x);
	if (x->pid != 0)
		reap_exec_command(x, ctx_time_monotonic() + CLOSE_MS, &ignored);
	kill_all(x);
	let_signals(x);
	free(x);
}
