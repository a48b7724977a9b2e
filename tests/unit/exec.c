#include "test.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exec.h"

static int
run(const char *command, int64_t timeout, const char *input, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_exec_options o = {.command = command, .timeout_ms = timeout};

	ctx_buf_reset(out);
	ctx_buf_adds(out, "");
	*err = (struct ctx_err)CTX_ERR_INIT;
	return ctx_exec_run(&o, ctx_span_of(input), out, err);
}

static void
runs_once(void)
{
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err;

	CHECK_INT(run("tr a-z A-Z", 10000, "abc\nx\n", &out, &err), 0);
	CHECK_STR(out.p, "ABC\nX\n");
	CHECK_INT(run("cat >/dev/null; exit 3", 10000, "abc\n", &out, &err), -1);
	CHECK_INT(err.code, CTX_EIO);
	CHECK(strstr(err.msg, "status 3") != NULL);
	CHECK_INT(run("kill -9 $$", 10000, "", &out, &err), -1);
	CHECK(strstr(err.msg, "signal 9") != NULL);
	CHECK_INT(run("sleep 60 & sleep 60", 100, "abc\n", &out, &err), -1);
	CHECK(strstr(err.msg, "longer than") != NULL);
	/* a command that never reads must neither hang nor fail us */
	CHECK_INT(run("echo done", 10000, "abc\n", &out, &err), 0);
	CHECK_STR(out.p, "done\n");
	ctx_buf_release(&out);
}

static void
passes_much_both_ways(void)
{
	struct ctx_buf in = CTX_BUF_INIT, out = CTX_BUF_INIT;
	struct ctx_err err;

	for (int i = 0; i < 300000; i++)
		ctx_buf_addf(&in, "line %d\n", i);
	CHECK_INT(run("cat", 60000, in.p, &out, &err), 0);
	CHECK(ctx_span_eq(ctx_buf_span(&in), ctx_buf_span(&out)));
	struct ctx_exec_options o = {
	    .command = "cat", .timeout_ms = 60000, .max_output = 1000};
	CHECK_INT(ctx_exec_run(&o, ctx_buf_span(&in), &out, &err), -1);
	CHECK(strstr(err.msg, "more than 1000 bytes") != NULL);
	ctx_buf_release(&in);
	ctx_buf_release(&out);
}

/* Lines that carry the number of the process which answered. */
static void
asks_one_process(void)
{
	struct ctx_exec_options o = {
	    .command = "while read -r l; do echo $$ \"$l\"; done", .timeout_ms = 10000};
	struct ctx_exec *x = ctx_exec_new(&o);
	struct ctx_buf a = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	size_t pid;

	CHECK_INT(ctx_exec_ask(x, ctx_span_of("one\ntwo\n"), 2, &a, &err), 0);
	CHECK_INT(ctx_exec_ask(x, ctx_span_of("three\n"), 1, &b, &err), 0);
	pid = strcspn(a.p, " ");
	CHECK(strncmp(a.p + pid, " one\n", 5) == 0 && strstr(a.p, " two\n") != NULL);
	CHECK(strncmp(a.p, b.p, pid) == 0 && strcmp(b.p + pid, " three\n") == 0);
	ctx_exec_free(x);
	ctx_buf_release(&a);
	ctx_buf_release(&b);
}

/* sort answers only at the end of its input. */
static void
asks_what_holds_back(void)
{
	struct ctx_exec_options o = {.command = "sort", .timeout_ms = 10000};
	struct ctx_exec *x = ctx_exec_new(&o);
	struct ctx_buf a = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	CHECK_INT(ctx_exec_ask(x, ctx_span_of("b\na\n"), 2, &a, &err), 0);
	CHECK_INT(ctx_exec_ask(x, ctx_span_of("d\nc\n"), 2, &a, &err), 0);
	CHECK_STR(a.p, "a\nb\nc\nd\n");
	ctx_exec_free(x);
	ctx_buf_release(&a);
}

/* Run a command in a process of its own, which ignores SIGHUP; its status. 0 in *outlived
 * when nothing of the command is left. */
static int
status_of(const char *command, bool asks, int *outlived)
{
	struct pollfd end = {.events = POLLIN};
	int fds[2], status = -1;
	char c;
	pid_t pid;

	CHECK_INT(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		struct ctx_exec_options o = {.command = command, .timeout_ms = 60000};
		struct ctx_exec *x = ctx_exec_new(&o);
		struct ctx_buf out = CTX_BUF_INIT;
		struct ctx_err err = CTX_ERR_INIT;
		struct rlimit no_core = {0, 0};
		int rc;
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGHUP, SIG_IGN);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		rc = asks ? ctx_exec_ask(x, ctx_span_of("a\n"), 1, &out, &err)
			  : ctx_exec_run(&o, ctx_span_of("a\n"), &out, &err);
		ctx_exec_free(x);
		_exit(rc == 0 ? 0 : 1);
	}
	close(fds[1]);
	waitpid(pid, &status, 0);
	end.fd = fds[0]; /* whoever lives on holds the other end */
	*outlived = !(poll(&end, 1, 20000) == 1 && read(fds[0], &c, 1) == 0);
	close(fds[0]);
	return status;
}

static void
dies_after_its_command(void)
{
	static const struct {
		const char *command;
		int signal;
	} cases[] = {{"kill -INT $PPID; sleep 6543", SIGINT},
	    {"kill -TERM $PPID; sleep 6543; echo", SIGTERM},
	    {"sleep 6543 & kill -QUIT $PPID; wait", SIGQUIT},
	    {"exec >/dev/null; kill -TERM $PPID; sleep 6543; :", SIGTERM},
	    {"kill -HUP $PPID; echo", 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int asks = 0; asks < 2; asks++) {
			int outlived,
			    status = status_of(cases[i].command, asks, &outlived);
			CHECK_INT(outlived, 0);
			CHECK_INT(
			    WIFSIGNALED(status) ? WTERMSIG(status) : 0, cases[i].signal);
			CHECK(cases[i].signal != 0 || status == 0);
		}
}

/* The command has the caller's mask, not one with what is held back. */
static void
leaves_signals_to_the_command(void)
{
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_exec_options o = {
	    .command = "(kill -TERM $(exec sh -c 'echo $PPID'); echo no); echo yes",
	    .timeout_ms = 10000};
	sigset_t before, after;

	sigprocmask(SIG_SETMASK, NULL, &before);
	CHECK_INT(ctx_exec_run(&o, CTX_SPAN_NONE, &out, &err), 0);
	CHECK_STR(out.p, "yes\n");
	sigprocmask(SIG_SETMASK, NULL, &after);
	CHECK(sigismember(&before, SIGTERM) == sigismember(&after, SIGTERM));
	ctx_buf_release(&out);
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	RUN(runs_once);
	RUN(passes_much_both_ways);
	RUN(asks_one_process);
	RUN(asks_what_holds_back);
	RUN(dies_after_its_command);
	RUN(leaves_signals_to_the_command);
	return TEST_END();
}
