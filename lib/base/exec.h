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
	/* Will nothing more be asked? Looked at while waiting, so that a command that gives
	 * its answers at the end of its input need not be waited for. May be NULL. */
	bool (*last)(void *arg);
	void *arg;
};

/* The caller's process must ignore SIGPIPE. The command's standard error is the caller's.
 * Errors are CTX_EIO: it cannot be started, ends with another status than 0, takes too
 * long (then it is killed, with its children) or writes too much. */

/* The command has a process group of its own. While it is waited for, SIGHUP, SIGINT, SIGQUIT
 * and SIGTERM are held back, unless ignored: one that comes has the command killed, with its
 * children, and then takes its course in the caller, so that it need not outlive one. That
 * is for processes with one thread, or whose others block these signals. Between two
 * questions nothing is held back; the command then sees the end of its input. */

/* Run once: all of input in, all of its output appended to out. */
int ctx_exec_run(const struct ctx_exec_options *o, struct ctx_span input,
    struct ctx_buf *out, struct ctx_err *err);

/* One process for many questions: a line in, a line out, in order. */
struct ctx_exec;
struct ctx_exec *ctx_exec_new(const struct ctx_exec_options *o);

/* Write n lines (with their newlines) and append the lines of the answer to out: n, or
 * fewer when the command ends before. The process is started on first use and goes on
 * afterwards. One that holds its answers back until its input ends (no flush after each
 * line) is given that end after a short silence, and started again by the next question. */
int ctx_exec_ask(struct ctx_exec *x, struct ctx_span lines, size_t n, struct ctx_buf *out,
    struct ctx_err *err);

/* Close its input and wait for its end. NULL is fine. */
void ctx_exec_free(struct ctx_exec *x);

#endif
