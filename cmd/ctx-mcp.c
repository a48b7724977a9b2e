#include "mcp.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/reader.h"

static struct mcp_server server;
static int64_t max_record = (int64_t)CTX_READER_MAX;

static struct cli_option options[] = {
    {"write", 0, NULL, "also offer the tools that store messages: append and note",
	CLI_FLAG, &server.mcp.write, NULL},
    {"user", 'u', "ID", "only sessions of this user or shared with this user", CLI_STRING,
	&server.user, NULL},
    {"project", 0, "DIR", "only sessions of agents that worked in this directory",
	CLI_STRING, &server.project, NULL},
    {"max-record", 0, "BYTES", "maximum size of a message (default 64 MiB)", CLI_INT,
	&max_record, "CTX_MAX_RECORD"},
    CLI_REDACT_OPTIONS,
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

/* ---- messages ---- */

static void
take_client_message(struct mcp_server *sv, struct ctx_span message)
{
	struct ctx_mcp_call call;
	char *line = ctx_span_dup(message); /* freed when the call ends */

	ctx_mcp_take(&sv->mcp, (struct ctx_span){line, message.n}, &cli_out.buf, &call);
	if (call.action == CTX_MCP_CANCEL)
		mcp_calls_cancel(sv, call.id);
	if (call.action == CTX_MCP_NOTHING || call.action == CTX_MCP_CANCEL)
		free(line);
	else
		mcp_calls_add(sv, line, &call, &cli_out.buf);
}

/* Processes the messages that are available. Returns 1, 0 at the end of the input, -1 on
 * error. */
static int
take_client_messages(struct mcp_server *sv, struct ctx_reader *r, struct ctx_err *err)
{
	while (ctx_reader_ready(r)) {
		struct ctx_span line;
		int rc = ctx_reader_next(r, &line, err);
		if (rc == 0)
			return 0;
		if (rc == 1) {
			take_client_message(sv, line);
			/* the message was too long and was skipped */
		} else if (err->code == CTX_EINPUT) {
			ctx_mcp_error(&cli_out.buf, CTX_SPAN_NONE,
			    CTX_MCP_INVALID_REQUEST, "%s", err->msg);
			err->code = CTX_OK;
		} else {
			return -1;
		}
		if (cli_flush(err) < 0)
			return -1;
	}
	return 1;
}

static bool
is_reader_gone(const struct pollfd *out)
{
	return (out->revents & (POLLERR | POLLHUP)) != 0;
}

/* Waits for input or for a running call, and sends the replies of calls that have ended.
 * Returns 0; 1 if the client has gone, no call is left and no input is available; -1 on
 * error. */
static int
wait_for_events(struct mcp_server *sv, int input, struct ctx_err *err)
{
	struct pollfd *fds = ctx_mem_new((sv->n + 2) * sizeof(*fds));
	size_t n = 0, n_calls = sv->n;
	int rc = 0;

	for (size_t i = 0; i < n_calls; i++)
		fds[n++] = (struct pollfd){
		    sv->calls[i].pid > 0 ? sv->calls[i].fd : -1, POLLIN, 0};
	fds[n++] = (struct pollfd){input, POLLIN, 0};
	/* reports whether the reader of stdout has gone */
	fds[n++] = (struct pollfd){STDOUT_FILENO, 0, 0};
	if (poll(fds, n, -1) < 0) {
		if (errno != EINTR)
			rc = ctx_err_sys(err, CTX_EIO, errno, "cannot wait for input");
	} else if (is_reader_gone(&fds[n - 1]) && n_calls == 0) {
		rc = fds[n - 2].revents == 0; /* end once no input is left */
	} else if (is_reader_gone(&fds[n - 1])) {
		cli_out.failed = cli_out.gone = true;
		rc = ctx_err_set(
		    err, CTX_EIO, "stdout: the client has closed the connection");
	} else {
		/* backward, because calls that have ended are removed */
		for (size_t i = n_calls; i-- > 0;)
			if (fds[i].revents != 0)
				mcp_calls_read(sv, i, &cli_out.buf);
		rc = cli_flush(err);
	}
	free(fds);
	return rc;
}

/* Runs until the input has ended and each call has its reply, or the client has gone. */
static int
serve_client(struct mcp_server *sv, struct ctx_err *err)
{
	struct ctx_reader *r = ctx_reader_new(STDIN_FILENO, "stdin", (size_t)max_record);
	int more = 1, rc = 0;

	while (rc == 0) {
		if (more == 1)
			more = take_client_messages(sv, r, err);
		if (more < 0)
			rc = -1;
		else if (more == 0 && sv->n == 0)
			break;
		else
			rc = wait_for_events(sv, more == 1 ? STDIN_FILENO : -1, err);
	}
	mcp_calls_end(sv);
	ctx_reader_free(r);
	return rc < 0 ? -1 : 0;
}

/* ---- main ---- */

/* A relative directory is relative to the directory of the client, which started this
 * server. */
static int
resolve_project(struct mcp_server *sv, struct ctx_err *err)
{
	if (sv->project == NULL)
		return 0;
	sv->resolved = realpath(sv->project, NULL);
	if (sv->project[0] == '/')
		return 0;
	if (sv->resolved == NULL)
		return ctx_err_sys(
		    err, CTX_EUSAGE, errno, "--project: '%s'", sv->project);
	sv->project = sv->resolved;
	return 0;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct mcp_server *sv = &server;
	int rc;

	sv->mcp.software = CTX_VERSION;
	if (cli_no_operands(argc, argv, err) < 0 ||
	    (sv->mcp.write && cli_check_tenant(err) < 0) ||
	    (sv->user != NULL && cli_check_id(sv->user, "--user", err) < 0) ||
	    resolve_project(sv, err) < 0 || cli_redact_start(err) < 0)
		return -1;
	if (max_record < 1024)
		return ctx_err_set(err, CTX_EUSAGE, "--max-record must be at least 1024");
	cli_note_terminal();
	mcp_calls_catch_signals();
	rc = serve_client(sv, err);
	free(sv->resolved);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-mcp",
    .synopsis = "[--write] [-u USER] [--tenant ID] [--project DIR] [OPTION ...]",
    .about =
	"Serves the store to agents over the Model Context Protocol, on standard input and output.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
