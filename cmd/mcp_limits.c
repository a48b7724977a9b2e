/* ctx-mcp: determines which sessions the client may see. */
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

char *
mcp_session_project(const struct ctx_session *s)
{
	return ctx_json_strdup(ctx_json_find(ctx_span_of(s->metadata_json), "cwd"));
}

/* Returns whether directory is top, or below it. */
static bool
is_below(const char *directory, const char *top)
{
	size_t n = top == NULL ? 0 : strlen(top);

	while (n > 1 && top[n - 1] == '/')
		n--;
	return n > 0 && strncmp(directory, top, n) == 0 &&
	       (directory[n] == '\0' || directory[n] == '/' || top[n - 1] == '/');
}

static bool
is_of_project(
    const struct mcp_server *sv, const struct ctx_session *s, const char *project)
{
	char *directory;
	bool is;

	if (sv->project == NULL && project == NULL)
		return true;
	directory = mcp_session_project(s);
	is = directory != NULL &&
	     (sv->project == NULL || is_below(directory, sv->project) ||
		 is_below(directory, sv->resolved)) &&
	     (project == NULL || is_below(directory, project));
	free(directory);
	return is;
}

/* Returns whether the session belongs to the user or is shared with the user, by listing
 * it with a filter. */
static int
is_of_user(struct mcp_server *sv, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	struct ctx_session found = CTX_SESSION_INIT;
	int n;

	if (sv->user == NULL)
		return 1;
	f.user_id = sv->user;
	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	f.no = s->no;
	n = ctx_store_session_list(sv->store, &f, &found, 1, err);
	ctx_session_release(&found);
	return n;
}

int
mcp_is_allowed(struct mcp_server *sv, const struct ctx_session *s, const char *project,
    struct ctx_err *err)
{
	if (s->status == CTX_STATUS_DELETED || !is_of_project(sv, s, project))
		return 0;
	return is_of_user(sv, s, err);
}

int
mcp_find_session(struct mcp_server *sv, const char *session_id, struct ctx_session *s,
    struct ctx_err *err)
{
	int rc = ctx_store_session_find(sv->store, session_id, s, err);

	if (rc == 1)
		rc = mcp_is_allowed(sv, s, NULL, err);
	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "no session '%s'", session_id);
	return rc < 0 ? -1 : 0;
}

struct project_walk {
	struct mcp_server *sv;
	const char *project;
	ctx_store_session_fn *fn;
	void *arg;
};

static int
visit_of_project(void *arg, struct ctx_session *s, struct ctx_err *err)
{
	const struct project_walk *w = arg;

	return is_of_project(w->sv, s, w->project) ? w->fn(w->arg, s, err) : 0;
}

int
mcp_each_session(struct mcp_server *sv, const struct ctx_session_filter *filter,
    const char *project, ctx_store_session_fn *fn, void *arg, struct ctx_err *err)
{
	struct project_walk w = {sv, project, fn, arg};
	struct ctx_session_filter f = *filter;

	f.user_id = sv->user;
	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	return ctx_store_each_session(sv->store, &f, visit_of_project, &w, err);
}

struct session_numbers {
	int64_t *list;
	size_t n, cap;
};

static int
take_session_number(void *arg, struct ctx_session *s, struct ctx_err *err CTX_UNUSED)
{
	struct session_numbers *nos = arg;

	CTX_MEM_GROW(nos->list, nos->n, nos->cap);
	nos->list[nos->n++] = s->no;
	return 0;
}

int
mcp_call_sessions(struct mcp_server *sv, const struct ctx_mcp_call *call, int64_t **nos,
    size_t *n, struct ctx_err *err)
{
	struct session_numbers found = {NULL, 0, 0};
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	char *sid = mcp_text_argument(call, "session_id");
	char *project = mcp_text_argument(call, "project");
	int rc = 0;

	*nos = NULL;
	*n = 0;
	CTX_MEM_GROW(found.list, found.n, found.cap);
	if (sid != NULL) {
		rc = mcp_find_session(sv, sid, &s, err);
		if (rc == 0)
			rc = mcp_is_allowed(sv, &s, project, err);
		if (rc == 1)
			rc = take_session_number(&found, &s, err);
	} else if (project != NULL || sv->project != NULL) {
		rc = mcp_each_session(sv, &f, project, take_session_number, &found, err);
	} else {
		free(found.list);
		found.list = NULL;
	}
	ctx_session_release(&s);
	free(sid);
	free(project);
	*nos = found.list;
	*n = found.n;
	return rc;
}

void
mcp_put_session(struct ctx_buf *out, const struct ctx_session *s)
{
	char *project = mcp_session_project(s);

	ctx_json_print(out,
	    "'session_id':%s,'title':%s,'agent':%s,'user_id':%s,'project':%s",
	    s->session_id, s->title, s->agent, s->user_id, project);
	ctx_json_print(out, "'created_at':%m,'last_message_at':%m,'message_count':%d",
	    s->created_at, s->last_message_at, s->message_count);
	free(project);
}
