/* Inside of ctx-mcp: what the parts of the program share. */
#ifndef CTX_CMD_MCP_H
#define CTX_CMD_MCP_H

#include "cli.h"
#include "mcp/mcp.h"

#define MCP_RUNNING_MAX 16  /* calls that run at the same time */
#define MCP_WAITING_MAX 256 /* calls that wait for one of those to end */

/* A call, and the process that runs it. */
struct mcp_running {
	char *line; /* the request; what call points to */
	struct ctx_mcp_call call;
	int pid; /* 0: waits */
	int fd;  /* its answer */
	struct ctx_buf answer;
};

struct mcp_server {
	struct ctx_mcp mcp;
	const char *user, *project; /* limits; NULL: none */
	char *resolved;             /* the project without symbolic links, or NULL */
	struct mcp_running *calls;  /* in the order of their arrival */
	size_t n, cap, n_running;
	struct ctx_store *store; /* only in a process that runs a call */
};

/* ---- calls: mcp_calls.c ---- */

/* Starts the call, or lets it wait; takes the line, which the call points into. Appends an
 * error if there are too many or the id is in use. */
void mcp_calls_add(struct mcp_server *sv, char *line, const struct ctx_mcp_call *call,
    struct ctx_buf *out);
/* Ends the call with that id, if there is one. */
void mcp_calls_cancel(struct mcp_server *sv, struct ctx_span id);
/* Reads what has come from running call i; appends its reply when it has ended. */
void mcp_calls_read(struct mcp_server *sv, size_t i, struct ctx_buf *out);
/* Ends all calls. */
void mcp_calls_end(struct mcp_server *sv);
/* Ends all calls when a signal ends this process. */
void mcp_calls_catch_signals(void);

/* ---- answers: in the process of a call ---- */

/* Appends the reply to the call (mcp_answer.c). */
void mcp_answer(
    struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *out);

/* A tool: appends its value, a JSON object. An error is for the model. */
typedef int mcp_tool_fn(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *value, struct ctx_err *err);
mcp_tool_fn mcp_search, mcp_recall, mcp_show, mcp_list, mcp_entities, mcp_append,
    mcp_note;

/* Append the members of the result (mcp_show.c). mcp_read_resource: CTX_EANSWER if there
 * is no such resource. */
int mcp_list_resources(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *out, struct ctx_err *err);
int mcp_read_resource(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *out, struct ctx_err *err);

/* An argument: text is owned, NULL if absent. */
char *mcp_text_argument(const struct ctx_mcp_call *call, const char *name);
int64_t mcp_int_argument(
    const struct ctx_mcp_call *call, const char *name, int64_t other);

/* ---- limits: mcp_limits.c ---- */

/* The directory that a session's agent worked in (metadata.cwd); owned, NULL if unknown. */
char *mcp_session_project(const struct ctx_session *s);

/* Is the session within the limits, and of the project (NULL: any)? 1, 0, -1. */
int mcp_is_allowed(struct mcp_server *sv, const struct ctx_session *s,
    const char *project, struct ctx_err *err);

/* Finds a session within the limits; CTX_EANSWER if there is none. */
int mcp_find_session(struct mcp_server *sv, const char *session_id, struct ctx_session *s,
    struct ctx_err *err);

/* Calls fn with each session within the limits, in order of creation, until it fails; fn may
 * take the contents and leave an initialised session. */
typedef int mcp_session_fn(void *arg, struct ctx_session *s, struct ctx_err *err);
int mcp_each_session(struct mcp_server *sv, const struct ctx_session_filter *f,
    const char *project, mcp_session_fn *fn, void *arg, struct ctx_err *err);

/* The numbers of the sessions that a search covers: one if the call names it, those of the
 * project, or *nos NULL for all. *nos is owned by the caller; n may be 0 with *nos set. */
int mcp_call_sessions(struct mcp_server *sv, const struct ctx_mcp_call *call,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Adds the members of a session that tools print. */
void mcp_put_session(struct ctx_buf *out, const struct ctx_session *s);

#endif
