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
	/* Called while ctx_exec_ask waits for an answer. Returns true if no question will
	 * follow; the command's input is then closed at once, for commands that answer
	 * only at end of input. May be NULL. */
	bool (*last)(void *arg);
	void *arg;
};

/* The calling process must ignore SIGPIPE. The command inherits stderr. The functions
 * below fail with CTX_EIO if the command cannot be started, exits with a status other
 * than 0, exceeds the timeout or writes more than max_output bytes. After a timeout, the
 * command and its children are killed. */

/* The command runs in its own process group. While the caller waits for the command,
 * SIGHUP, SIGINT, SIGQUIT and SIGTERM are blocked, unless the caller ignores them. If one
 * of these signals arrives, the command and its children are killed, and then the signal
 * is delivered to the caller. This works only if the caller's process has one thread, or
 * if its other threads block these signals. Between two questions no signal is blocked;
 * if the caller dies between two questions, the command sees the end of its input. */

/* Runs the command once with input on its stdin. Appends the command's whole output to
 * *out. */
int ctx_exec_run(const struct ctx_exec_options *o, struct ctx_span input,
    struct ctx_buf *out, struct ctx_err *err);

/* A runner: one process that answers many questions. The command writes one line for each
 * line that it reads, in order. */
struct ctx_exec;
struct ctx_exec *ctx_exec_new(const struct ctx_exec_options *o);

/* Writes n lines (each with its newline) to the command. Appends the command's answer to
 * *out: n lines, or fewer if the command ends early. The process is started by the first
 * call and reused by later calls. If the command holds back its answers until end of
 * input, its input is closed after a short silence, and the next question starts a new
 * process. */
int ctx_exec_ask(struct ctx_exec *x, struct ctx_span lines, size_t n, struct ctx_buf *out,
    struct ctx_err *err);

/* Closes the command's input and waits for the command to exit. x may be NULL. */
void ctx_exec_free(struct ctx_exec *x);

#endif
