/* Private to ctx-mcp: its state, and the functions that its files share. */
#ifndef CTX_CMD_MCP_H
#define CTX_CMD_MCP_H

#include "cli.h"
#include "mcp/mcp.h"

#define MCP_RUNNING_MAX 16  /* maximum number of calls that run at the same time */
#define MCP_WAITING_MAX 256 /* maximum number of calls that wait to be started */

/* A tool call of the client, and the process that runs it. */
struct mcp_running {
	/* the client's request, one line; the spans in the member call point into this
	 * line */
	char *line;
	struct ctx_mcp_call call;
	/* id of the process that runs the call; 0: the call waits to be started */
	int pid;
	int fd; /* read end of the process's output */
	struct ctx_buf answer;
};

struct mcp_server {
	struct ctx_mcp mcp;
	/* only sessions of this user and of this project directory are accessible; a
	 * member that is NULL sets no limit */
	const char *user, *project;
	/* project with its symbolic links resolved; may be NULL */
	char *resolved;
	struct mcp_running *calls; /* in order of arrival */
	size_t n, cap, n_running;
	struct ctx_store *store; /* set only in a process that runs a call */
};

/* ---- running calls (mcp_calls.c) ---- */

/* Starts the call, or queues it. Takes ownership of line, into which the spans in *call
 * point. Appends an error response to out if too many calls wait or another call has the
 * same id. */
void mcp_calls_add(struct mcp_server *sv, char *line, const struct ctx_mcp_call *call,
    struct ctx_buf *out);
/* Cancels the call with this id, if there is such a call. */
void mcp_calls_cancel(struct mcp_server *sv, struct ctx_span id);
/* Reads the output of the process that runs sv->calls[i]. If the process has ended,
 * appends the call's response to out. */
void mcp_calls_read(struct mcp_server *sv, size_t i, struct ctx_buf *out);
/* Kills the processes of all calls. */
void mcp_calls_end(struct mcp_server *sv);
/* Makes signals that end this process also end the processes of all calls. */
void mcp_calls_catch_signals(void);

/* ---- responses, made in the process that runs the call ---- */

/* Appends the response to the call (mcp_answer.c). */
void mcp_answer(
    struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *out);

/* Implements a tool: appends the tool's result, a JSON object, to value. On error, the
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

/* Return the argument of the call with this name. If the call has no such argument,
 * mcp_text_argument returns NULL and mcp_int_argument returns other. The caller frees the
 * string that mcp_text_argument returns. */
char *mcp_text_argument(const struct ctx_mcp_call *call, const char *name);
int64_t mcp_int_argument(
    const struct ctx_mcp_call *call, const char *name, int64_t other);

/* ---- limits to a user or project (mcp_limits.c) ---- */

/* Returns the directory in which the session's agent worked (metadata.cwd) as a heap
 * string; NULL if unknown. */
char *mcp_session_project(const struct ctx_session *s);

/* Returns 1 if the session is within the limits of the server (sv->user and sv->project)
 * and belongs to the given project (NULL: any project), 0 if not, -1 on error. */
int mcp_is_allowed(struct mcp_server *sv, const struct ctx_session *s,
    const char *project, struct ctx_err *err);

/* Finds a session among those that the server sv may access. Fails with CTX_EANSWER if there is no such
 * session. */
int mcp_find_session(struct mcp_server *sv, const char *session_id, struct ctx_session *s,
    struct ctx_err *err);

/* Calls fn with each session that the filter selects and that is within the limits of sv,
 * in order of creation, until fn fails. If fn takes over the contents of the session, it
 * must initialize the session again. */
int mcp_each_session(struct mcp_server *sv, const struct ctx_session_filter *f,
    const char *project, ctx_store_session_fn *fn, void *arg, struct ctx_err *err);

/* Finds the sessions that a search covers: the session that the call names, or the
 * sessions of the project. Sets *nos to an array of the sessions' numbers in the store,
 * and *n to its length, which may be 0. The caller frees the array. Sets *nos to NULL if
 * the search covers all sessions. */
int mcp_call_sessions(struct mcp_server *sv, const struct ctx_mcp_call *call,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Appends the JSON members that describe session s in the results of tools. */
void mcp_put_session(struct ctx_buf *out, const struct ctx_session *s);

#endif
