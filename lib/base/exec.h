/* External commands: filters that read lines on their standard input and write lines. */
#ifndef CTX_BASE_EXEC_H
#define CTX_BASE_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_exec_options {
	const char *command; /* run by /bin/sh -c; borrowed as long as the runner lives */
	int64_t timeout_ms;  /* for one ctx_exec_ask or ctx_exec_run, start included */
	size_t max_output;   /* bytes of one answer; 0: 64 MiB */
	/* Returns true if no more questions follow. Called while waiting, so that a
	 * command that answers only at the end of its input gets that end at once. May
	 * be NULL. */
	bool (*last)(void *arg);
	void *arg;
};

/* The calling process must ignore SIGPIPE. The command inherits standard error.
 * Functions fail with CTX_EIO if the command cannot be started, exits with a status
 * other than 0, takes too long (it is then killed, with its children) or writes too
 * much. */

/* The command runs in its own process group. While the caller waits for it, SIGHUP,
 * SIGINT, SIGQUIT and SIGTERM are blocked unless ignored. If one arrives, the command
 * is killed with its children, and the signal is then delivered to the caller. This
 * works for processes with one thread, or whose other threads block these signals.
 * Between two questions no signal is blocked; if the caller dies then, the command
 * sees the end of its input. */

/* Runs the command once with input as its standard input; appends its whole output to
 * out. */
int ctx_exec_run(const struct ctx_exec_options *o, struct ctx_span input,
    struct ctx_buf *out, struct ctx_err *err);

/* One process for many questions: it answers each line of input with one line, in
 * order. */
struct ctx_exec;
struct ctx_exec *ctx_exec_new(const struct ctx_exec_options *o);

/* Writes n lines (with their newlines) and appends the lines of the answer to out: n,
 * or fewer if the command ends early. The process is started on first use and then
 * reused. If it buffers its answers until its input ends, its input is closed after a
 * short silence, and the next question starts it again. */
int ctx_exec_ask(struct ctx_exec *x, struct ctx_span lines, size_t n, struct ctx_buf *out,
    struct ctx_err *err);

/* Closes the command's input and waits for it to exit. NULL is allowed. */
void ctx_exec_free(struct ctx_exec *x);

#endif
