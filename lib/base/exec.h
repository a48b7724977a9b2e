/* Runs external commands that read lines from stdin and write lines to stdout. */
#ifndef CTX_BASE_EXEC_H
#define CTX_BASE_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_exec_options {
	/* the command line, run by /bin/sh -c; the string must outlive the struct
	 * ctx_exec */
	const char *command;
	/* time limit in ms for one call of ctx_exec_ask or ctx_exec_run, startup
	 * included */
	int64_t timeout_ms;
	size_t max_output; /* maximum length in bytes of one answer; 0 selects 64 MiB */
	/* Called while ctx_exec_ask waits for an answer; may be NULL. Returns true if no
	 * more lines will be sent. The command's input is then closed at once, because
	 * some commands answer only after the end of input. */
	bool (*last)(void *arg);
	void *arg;
};

/* The calling process must ignore SIGPIPE. The command inherits stderr. The functions
 * below fail with CTX_EIO if the command cannot be started, exits with a status other
 * than 0, exceeds the timeout or writes more than max_output bytes. After a timeout, the
 * command and its children are killed. */

/* The command runs in its own process group. While the caller waits for the command,
 * SIGHUP, SIGINT, SIGQUIT and SIGTERM are blocked, except those that the caller ignores.
 * If one of these signals arrives, the command and its children are killed, and then the
 * caller gets the signal. This requires that the caller's process has one thread, or that
 * the other threads block these signals.
 *
 * Between two calls of ctx_exec_ask, no signal is blocked. If the caller dies then, the
 * command reads the end of its input. */

/* Runs the command once and writes the input to the command's stdin. Appends the
 * command's whole output to *out. */
int ctx_exec_run(const struct ctx_exec_options *o, struct ctx_span input,
    struct ctx_buf *out, struct ctx_err *err);

/* A running command that answers many questions. The command must write one line for each
 * line that it reads, in order. */
struct ctx_exec;
struct ctx_exec *ctx_exec_new(const struct ctx_exec_options *o);

/* Writes n lines (each with its newline) to the command, and appends its answer to *out:
 * n lines, or fewer if the command ends early. The first call starts the process; later
 * calls use the same process. If the command writes nothing for a short time, its input
 * is closed, because some commands answer only after the end of input; the next call then
 * starts a new process. */
int ctx_exec_ask(struct ctx_exec *x, struct ctx_span lines, size_t n, struct ctx_buf *out,
    struct ctx_err *err);

/* Closes the command's input and waits for the command to exit. x may be NULL. */
void ctx_exec_free(struct ctx_exec *x);

#endif
