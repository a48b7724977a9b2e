/* ctx-mcp: runs calls, each in a separate process, so that no call waits for another. */
#include "mcp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

/* Process groups of the running calls, for the signal handler; 0: unused. */
static volatile sig_atomic_t running[MCP_RUNNING_MAX];
static const int fatal[] = {SIGHUP, SIGINT, SIGTERM};
#define N_FATAL (sizeof(fatal) / sizeof(fatal[0]))

/* ---- signals ---- */

static void
end_by_signal(int sig)
{
	for (size_t i = 0; i < MCP_RUNNING_MAX; i++)
		if (running[i] > 0)
			kill(-running[i], SIGKILL);
	signal(sig, SIG_DFL);
	raise(sig);
}

void
mcp_calls_catch_signals(void)
{
	struct sigaction act, old;

	memset(&act, 0, sizeof(act));
	act.sa_handler = end_by_signal;
	for (size_t i = 0; i < N_FATAL; i++) {
		sigaction(fatal[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(fatal[i], &act, NULL);
	}
}

static void
set_running(int from, int to)
{
	for (size_t i = 0; i < MCP_RUNNING_MAX; i++)
		if (running[i] == from) {
			running[i] = to;
			return;
		}
}

/* ---- the process of a call ---- */

static void
run_call(struct mcp_server *sv, const struct ctx_mcp_call *call, int fd)
{
	struct ctx_buf reply = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int null = open("/dev/null", O_RDWR);

	/* nothing in this process may access the client's streams */
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(4);
	mcp_answer(sv, call, &reply);
	if (ctx_io_write(fd, reply.p, reply.n, "the reply", &err) < 0)
		_exit(4);
	_exit(0);
}

/* Starts the process of a call. Signals are blocked until the handler knows the
 * process. */
static int
fork_call(struct mcp_server *sv, struct mcp_running *c, int fds[2])
{
	sigset_t block, before;
	int pid;

	sigemptyset(&block);
	for (size_t i = 0; i < N_FATAL; i++)
		sigaddset(&block, fatal[i]);
	sigprocmask(SIG_BLOCK, &block, &before);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		for (size_t i = 0; i < N_FATAL; i++)
			signal(fatal[i], SIG_DFL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		for (size_t i = 0; i < sv->n; i++)
			if (sv->calls[i].pid > 0)
				close(sv->calls[i].fd);
		close(fds[0]);
		run_call(sv, &c->call, fds[1]);
	}
	if (pid > 0) {
		setpgid(pid, pid);
		set_running(0, pid);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* ---- the table of calls ---- */

static void
remove_call(struct mcp_server *sv, size_t i)
{
	free(sv->calls[i].line);
	ctx_buf_release(&sv->calls[i].answer);
	memmove(&sv->calls[i], &sv->calls[i + 1], (sv->n - i - 1) * sizeof(sv->calls[i]));
	sv->n--;
}

/* Waits for the process to end. Returns true if it succeeded. */
static bool
reap_call(struct mcp_server *sv, struct mcp_running *c)
{
	int status, rc;

	close(c->fd);
	do
		rc = waitpid(c->pid, &status, 0);
	while (rc < 0 && errno == EINTR);
	set_running(c->pid, 0);
	sv->n_running--;
	return rc > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
start_call(struct mcp_server *sv, struct mcp_running *c, struct ctx_buf *out)
{
	int fds[2];

	if (pipe(fds) < 0) {
		ctx_mcp_error(out, c->call.id, CTX_MCP_INTERNAL_ERROR,
		    "cannot start a process for the call: %s", strerror(errno));
		remove_call(sv, (size_t)(c - sv->calls));
		return;
	}
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	c->pid = fork_call(sv, c, fds);
	close(fds[1]);
	if (c->pid < 0) {
		ctx_mcp_error(out, c->call.id, CTX_MCP_INTERNAL_ERROR,
		    "cannot start a process for the call: %s", strerror(errno));
		close(fds[0]);
		remove_call(sv, (size_t)(c - sv->calls));
		return;
	}
	c->fd = fds[0];
	sv->n_running++;
}

static void
start_waiting_calls(struct mcp_server *sv, struct ctx_buf *out)
{
	for (size_t i = 0; i < sv->n && sv->n_running < MCP_RUNNING_MAX;) {
		size_t before = sv->n;
		if (sv->calls[i].pid == 0)
			start_call(sv, &sv->calls[i], out);
		i += sv->n == before;
	}
}

static struct mcp_running *
find_call(struct mcp_server *sv, struct ctx_span id)
{
	for (size_t i = 0; i < sv->n; i++)
		if (ctx_span_eq(sv->calls[i].call.id, id))
			return &sv->calls[i];
	return NULL;
}

void
mcp_calls_add(struct mcp_server *sv, char *line, const struct ctx_mcp_call *call,
    struct ctx_buf *out)
{
	if (find_call(sv, call->id) != NULL) {
		ctx_mcp_error(out, call->id, CTX_MCP_INVALID_REQUEST,
		    "a request with this id is still running");
		free(line);
		return;
	}
	if (sv->n >= MCP_RUNNING_MAX + MCP_WAITING_MAX) {
		ctx_mcp_error(out, call->id, CTX_MCP_INTERNAL_ERROR,
		    "the server is busy: %d calls are running or waiting", (int)sv->n);
		free(line);
		return;
	}
	CTX_MEM_GROW(sv->calls, sv->n, sv->cap);
	sv->calls[sv->n++] = (struct mcp_running){.line = line, .call = *call, .fd = -1};
	start_waiting_calls(sv, out);
}

static void
kill_call(struct mcp_server *sv, struct mcp_running *c)
{
	if (c->pid > 0) {
		kill(-c->pid, SIGKILL);
		reap_call(sv, c);
	}
	remove_call(sv, (size_t)(c - sv->calls));
}

void
mcp_calls_cancel(struct mcp_server *sv, struct ctx_span id)
{
	struct mcp_running *c = find_call(sv, id);
	struct ctx_buf *out = &cli_out.buf;

	if (c == NULL)
		return;
	kill_call(sv, c);
	start_waiting_calls(sv, out);
}

void
mcp_calls_read(struct mcp_server *sv, size_t i, struct ctx_buf *out)
{
	struct mcp_running *c = &sv->calls[i];
	long got;

	if (c->pid == 0)
		return; /* the call is still queued */
	do {
		ctx_buf_reserve(&c->answer, (size_t)64 << 10);
		got = ctx_io_read(c->fd, c->answer.p + c->answer.n, (size_t)64 << 10);
		if (got > 0)
			c->answer.n += (size_t)got;
	} while (got > 0);
	if (got < 0 && errno == EAGAIN)
		return;
	if (reap_call(sv, c) && c->answer.n > 0 && c->answer.p[c->answer.n - 1] == '\n')
		ctx_buf_addspan(out, ctx_buf_span(&c->answer));
	else
		ctx_mcp_error(out, c->call.id, CTX_MCP_INTERNAL_ERROR,
		    "the process of the call ended without a result");
	remove_call(sv, i);
	start_waiting_calls(sv, out);
}

void
mcp_calls_end(struct mcp_server *sv)
{
	while (sv->n > 0)
		kill_call(sv, &sv->calls[sv->n - 1]);
	free(sv->calls);
	sv->calls = NULL;
	sv->cap = 0;
}
