/* Definitions of agents (rules, references, tools, prompts), and the items of a session.
 * Each tenant ("": none) has its own definitions. */
#ifndef CTX_STORE_ITEM_H
#define CTX_STORE_ITEM_H

#include "store/store.h"

/* Strings are owned, NULL when absent. */
struct ctx_definition {
	int64_t no;
	char *agent;       /* "": valid for every agent and for sessions without one */
	char *type;        /* rule, reference, tool, server, prompt, mode */
	char *server_name; /* the tool's server, or "" */
	char *name;
	char *include; /* always, manual, agent; NULL: the default */
	bool enabled;
	char *modes_json;  /* JSON array of mode names; NULL: all modes */
	char *schema_json; /* of a tool */
	char *content;
	char *sha256; /* of content */
	int64_t updated_at;
};
void ctx_definition_init(struct ctx_definition *d);
void ctx_definition_release(struct ctx_definition *d); /* and init */

/* Inserts or replaces a definition; call inside a write transaction. Returns 1 if
 * inserted, 0 if replaced, -1 on error. The old content is deleted unless requests or
 * other definitions use it. */
int ctx_definition_put(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err);

/* Returns 1 if it existed, 0 if not, -1 on error. Call inside a write transaction. */
int ctx_definition_remove(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err);

/* Lists the definitions of the tenant in order of creation: those of one agent or, with
 * NULL, of all agents. The caller owns *list and its contents. */
int ctx_definition_list(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **list, size_t *n, struct ctx_err *err);

/* Lists the definitions that apply to an agent (NULL or "": none): its own, and those of
 * every agent that it does not override. include is filled in: a tool's own value, else
 * its server's, else always; for other types manual by default. The caller owns *list and
 * its contents. */
int ctx_definition_of(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **list, size_t *n, struct ctx_err *err);
void ctx_definition_free(struct ctx_definition *list, size_t n);

/* Appends the name under which models call the tool: "fs__read" for fs:read. Providers
 * allow one name without a colon, and many clients of tool servers use this form. */
void ctx_definition_called(struct ctx_buf *b, const struct ctx_definition *d);

/* ---- items of a session, by name ---- */

struct ctx_session_item {
	char *type, *server_name, *name;
	char *include_mode; /* always, manual */
	int64_t added_at;
};

/* Call inside a write transaction. ctx_session_item_add returns 1 if added, 0 if it was
 * present; ctx_session_item_remove returns 1 if removed, 0 if it was absent; both -1 on
 * error. */
int ctx_session_item_add(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err);
int ctx_session_item_remove(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err);

/* Adds the items that a new session of the agent starts with: enabled rules, references
 * and tools that are always included. */
int ctx_session_item_begin(
    struct ctx_store *st, const struct ctx_session *s, int64_t now, struct ctx_err *err);
int ctx_session_item_copy(struct ctx_store *st, const struct ctx_session *from,
    const struct ctx_session *to, struct ctx_err *err);

/* Lists the items in the order in which they were added. The caller owns *list. */
int ctx_session_item_list(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session_item **list, size_t *n, struct ctx_err *err);
void ctx_session_item_free(struct ctx_session_item *list, size_t n);

/* ---- use ---- */

/* A stored request. Its record holds the digests of the added texts, not the texts
 * (store/content.h). Borrowed for the call. */
struct ctx_item_request {
	const struct ctx_session *session;
	int64_t response_seq; /* 0: no answer came */
	struct ctx_span record;
};

/* Calls fn for each request of the session or, with s NULL, of all sessions that are not
 * deleted: session by session, requests with the newest answers first, those without an
 * answer last. Reads one snapshot in bounded memory. fn returns -1 to stop. */
typedef int ctx_item_request_fn(
    void *arg, const struct ctx_item_request *r, struct ctx_err *err);
int ctx_item_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_item_request_fn *fn, void *arg, struct ctx_err *err);

#endif
