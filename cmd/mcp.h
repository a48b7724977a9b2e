/* Private to ctx-mcp: its state, and the functions that its files share. */
#ifndef CTX_CMD_MCP_H
#define CTX_CMD_MCP_H

#include "cli.h"
#include "mcp/mcp.h"

#define MCP_RUNNING_MAX 16  /* maximum number of calls that run at the same time */
#define MCP_WAITING_MAX 256 /* maximum number of calls that wait to be started */

/* A tool call that the client requested, and the process that executes it. */
struct mcp_running {
	/* the client's request, one line of JSON; the spans in the member "call" point
	 * into this line */
	char *line;
	struct ctx_mcp_call call;
	/* process id; 0: the process is not started yet */
	int pid;
	int fd; /* pipe from which the output of the process is read */
	struct ctx_buf answer;
};

struct mcp_server {
	struct ctx_mcp mcp;
	/* user: the client may access only this user's sessions; project: the client may
	 * access only sessions whose project directory is this directory or below it.
	 * NULL means no restriction. */
	const char *user, *project;
	/* absolute path of the directory "project", without symbolic links; may be
	 * NULL */
	char *resolved;
	struct mcp_running *calls; /* in order of arrival */
	size_t n, cap, n_running;
	struct ctx_store *store; /* open only in the processes that execute tool calls */
};

/* ---- running calls (mcp_calls.c) ---- */

/* Starts the tool call, or queues it if MCP_RUNNING_MAX calls are running. line: the
 * request's text, to which the spans in *call point; the function takes ownership of this
 * text. Appends an error response to *out if too many calls are queued or if an
 * unfinished call has the same id. */
void mcp_calls_add(struct mcp_server *sv, char *line, const struct ctx_mcp_call *call,
    struct ctx_buf *out);
/* Cancels the tool call with this id. Does nothing if there is no such call. */
void mcp_calls_cancel(struct mcp_server *sv, struct ctx_span id);
/* Reads available output of the process that executes sv->calls[i]. If the process has
 * ended, appends the call's response to *out, removes the call, and starts queued
 * calls. */
void mcp_calls_read(struct mcp_server *sv, size_t i, struct ctx_buf *out);
/* Kills the processes of all tool calls. */
void mcp_calls_end(struct mcp_server *sv);
/* Installs a handler for SIGHUP, SIGINT and SIGTERM that kills the processes of all tool
 * calls before this process ends. */
void mcp_calls_catch_signals(void);

/* ---- responses, produced in the process of the tool call ---- */

/* Executes the tool call and appends the response (mcp_answer.c). */
void mcp_answer(
    struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *out);

/* Implements a tool: appends the tool's result, a JSON object, to *value. On error, the
 * error message is sent to the model. */
typedef int mcp_tool_fn(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *value, struct ctx_err *err);
mcp_tool_fn mcp_search, mcp_recall, mcp_show, mcp_list, mcp_entities, mcp_append,
    mcp_note;

/* Implement the requests resources/list and resources/read: append the members of the
 * response's result (mcp_show.c). mcp_read_resource fails with CTX_EANSWER if the
 * resource does not exist. */
int mcp_list_resources(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *out, struct ctx_err *err);
int mcp_read_resource(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *out, struct ctx_err *err);

/* Return the argument of a tool call that has this name. If there is no such argument,
 * mcp_text_argument returns NULL, and mcp_int_argument returns other, the default value.
 * The caller frees the string that mcp_text_argument returns. */
char *mcp_text_argument(const struct ctx_mcp_call *call, const char *name);
int64_t mcp_int_argument(
    const struct ctx_mcp_call *call, const char *name, int64_t other);

/* ---- access to the sessions of one user or project (mcp_limits.c) ---- */

/* Returns the directory in which the session's agent worked (metadata.cwd) as a heap
 * string; NULL if unknown. */
char *mcp_session_project(const struct ctx_session *s);

/* Returns 1 if the client may access the session and the session belongs to the given
 * project (NULL: any project), 0 if not, -1 on error. */
int mcp_is_allowed(struct mcp_server *sv, const struct ctx_session *s,
    const char *project, struct ctx_err *err);

/* Finds a session. Fails with CTX_EANSWER if the session does not exist or the client may
 * not access it. */
int mcp_find_session(struct mcp_server *sv, const char *session_id, struct ctx_session *s,
    struct ctx_err *err);

/* Calls fn with each session that the filter selects, that the client may access, and
 * that belongs to the given project (NULL: any project). The order is that of creation.
 * Stops when fn fails. To keep what the session owns, fn must copy the struct and call
 * ctx_session_init for the original. */
int mcp_each_session(struct mcp_server *sv, const struct ctx_session_filter *f,
    const char *project, ctx_store_session_fn *fn, void *arg, struct ctx_err *err);

/* Finds the sessions to search: the session that the tool call names or, if it names
 * none, the sessions of the project. Sets *nos to an array of the sessions' numbers in
 * the store, which the caller frees, and *n to its length, which may be 0. Sets *nos to
 * NULL if all sessions are to be searched. */
int mcp_call_sessions(struct mcp_server *sv, const struct ctx_mcp_call *call,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Appends the JSON members that describe session s in the results of tools. */
void mcp_put_session(struct ctx_buf *out, const struct ctx_session *s);

#endif
