/* Items are texts and tools that are added to requests: rules, references, tools,
 * prompts. The store contains the definitions of items, for one agent or for all, and the
 * items that each session uses. Each tenant has its own definitions; the tenant "" is for
 * sessions without a tenant. */
#ifndef CTX_STORE_ITEM_H
#define CTX_STORE_ITEM_H

#include "store/store.h"

/* The definition of an item. Strings are owned; NULL means absent. */
struct ctx_definition {
	int64_t no;
	/* name of the agent; "": the definition is for all agents and for sessions
	 * without an agent */
	char *agent;
	/* type of the item: "rule", "reference", "tool", "server", "prompt" or "mode" */
	char *type;
	char *server_name; /* server of a tool; "" for other types */
	char *name;
	char *include; /* "always", "manual" or "agent"; NULL: the default */
	bool enabled;
	/* JSON array of the modes in which the item is used; NULL: all modes */
	char *modes_json;
	char *schema_json; /* JSON schema of a tool's input */
	char *content;
	char *sha256; /* SHA-256 digest of the member "content", in hexadecimal */
	int64_t updated_at;
};
#define CTX_DEFINITION_INIT     \
	{                       \
		.enabled = true \
	}
void ctx_definition_release(struct ctx_definition *d); /* also re-initializes it */

/* Inserts a definition, or replaces the definition with the same agent, type, server and
 * name. Returns 1 if inserted, 0 if replaced, -1 on error. Call inside a write
 * transaction. */
int ctx_definition_put(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err);

/* Removes the definition with the same agent, type, server and name. Returns 1 if the
 * definition was removed, 0 if there was no such definition, -1 on error. Call inside a
 * write transaction. */
int ctx_definition_remove(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err);

/* Lists the tenant's definitions in order of creation. agent: list only the definitions
 * with this agent; NULL: list all definitions. The caller passes *list to
 * ctx_definition_free. */
int ctx_definition_list(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **list, size_t *n, struct ctx_err *err);

/* Lists the definitions that apply to an agent (NULL or "": no agent): the agent's own
 * definitions, and those for all agents. If the agent has a definition with the same
 * type, server and name as a definition for all agents, lists only the agent's own
 * definition.
 *
 * Sets the member "include" of each definition in the list. If no value is stored for a
 * tool, the tool gets the value that is stored for its server or, if there is none,
 * "always". If no value is stored for a definition of another type, it gets "manual". The
 * caller passes *list to ctx_definition_free. */
int ctx_definition_of(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **list, size_t *n, struct ctx_err *err);
void ctx_definition_free(struct ctx_definition *list, size_t n);

/* Appends the name by which models call the tool: "fs__read" for the tool "read" of the
 * server "fs". (Providers accept only one name without a colon; many clients of tool
 * servers use this form.) */
void ctx_definition_called(struct ctx_buf *b, const struct ctx_definition *d);

/* ---- items of a session ---- */

struct ctx_session_item {
	char *type, *server_name, *name;
	char *include_mode; /* "always" or "manual" */
	int64_t added_at;
};

/* Adds an item to a session. Returns 1 if the item was added, 0 if the session already
 * had the item, -1 on error. Call inside a write transaction. */
int ctx_session_item_add(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err);
/* Removes an item from a session. Returns 1 if the item was removed, 0 if the session did
 * not have the item, -1 on error. Call inside a write transaction. */
int ctx_session_item_remove(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err);

/* Adds the items with which a new session of s->agent starts: the rules, references and
 * tools that are enabled and always included. now: the time in ms since the epoch. Call
 * inside a write transaction. */
int ctx_session_item_begin(
    struct ctx_store *st, const struct ctx_session *s, int64_t now, struct ctx_err *err);
/* Adds the items of session *from to session *to. Call inside a write transaction. */
int ctx_session_item_copy(struct ctx_store *st, const struct ctx_session *from,
    const struct ctx_session *to, struct ctx_err *err);

/* Lists the session's items in the order in which they were added. The caller passes
 * *list to ctx_session_item_free. */
int ctx_session_item_list(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session_item **list, size_t *n, struct ctx_err *err);
void ctx_session_item_free(struct ctx_session_item *list, size_t n);

/* ---- use of items in requests ---- */

/* A stored request, borrowed for the call. For texts that are not messages of the
 * session, the member "record" contains only digests (store/content.h). */
struct ctx_item_request {
	const struct ctx_session *session;
	/* sequence number of the message that answers the request; 0: no answer */
	int64_t response_seq;
	struct ctx_span record;
};

typedef int ctx_item_request_fn(
    void *arg, const struct ctx_item_request *r, struct ctx_err *err);
/* Calls fn for each request of session *s. If s is NULL, calls fn for the requests of all
 * sessions that are not deleted, session by session. In each session, the requests with
 * the newest answers come first, and requests without an answer last. All requests are
 * read in one snapshot and in bounded memory. To stop, fn sets err and returns -1. */
int ctx_item_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_item_request_fn *fn, void *arg, struct ctx_err *err);

#endif
