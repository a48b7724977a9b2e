/* What agents define, and what of it is in a session. A tenant ("" for none) has its own
 * definitions. */
#ifndef CTX_STORE_ITEM_H
#define CTX_STORE_ITEM_H

#include "store/store.h"

/* Strings are owned, NULL when absent. */
struct ctx_definition {
	int64_t no;
	char *agent;       /* "": of every agent, and of sessions without one */
	char *type;        /* rule, reference, tool, server, prompt, mode */
	char *server_name; /* of a tool, else "" */
	char *name;
	char *include; /* always, manual, agent; NULL: the default */
	bool enabled;
	char *modes_json;  /* array of names; NULL: in every mode */
	char *schema_json; /* of a tool */
	char *content;
	char *sha256; /* of content */
	int64_t updated_at;
};
void ctx_definition_init(struct ctx_definition *d);
void ctx_definition_release(struct ctx_definition *d); /* and init */

/* Define, or define anew, in a write transaction. 1 when it is new, 0, -1. The content that
 * it had goes, unless requests or other definitions use it. */
int ctx_definition_put(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err);

/* 1 when it was there, 0, -1. In a write transaction. */
int ctx_definition_remove(struct ctx_store *st, const char *tenant,
    const struct ctx_definition *d, struct ctx_err *err);

/* All definitions of the tenant in the order of their making: of one agent (its own) or,
 * NULL, of all. *list is owned by the caller, with what is in it. */
int ctx_definition_list(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **list, size_t *n, struct ctx_err *err);

/* What holds for an agent (NULL or "": none): its own definitions and those of every agent
 * that it does not define itself, with include filled in: of a tool its own, else its
 * server's, else always; of others manual. As above. */
int ctx_definition_of(struct ctx_store *st, const char *tenant, const char *agent,
    struct ctx_definition **list, size_t *n, struct ctx_err *err);
void ctx_definition_free(struct ctx_definition *list, size_t n);

/* Append the name that models call a tool by: "fs__read", as many clients of tool servers do,
 * for providers know one name, and take no "fs:read". */
void ctx_definition_called(struct ctx_buf *b, const struct ctx_definition *d);

/* ---- in a session: by name ---- */

struct ctx_session_item {
	char *type, *server_name, *name;
	char *include_mode; /* always, manual */
	int64_t added_at;
};

/* In a write transaction. add: 1 when it is new, 0 when it is there already, -1. remove: 1
 * when it was there, 0, -1. */
int ctx_session_item_add(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err);
int ctx_session_item_remove(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_session_item *item, struct ctx_err *err);

/* Put in what a new session of the agent begins with: enabled rules, references and tools
 * that are always included. */
int ctx_session_item_begin(
    struct ctx_store *st, const struct ctx_session *s, int64_t now, struct ctx_err *err);
int ctx_session_item_copy(struct ctx_store *st, const struct ctx_session *from,
    const struct ctx_session *to, struct ctx_err *err);

/* In the order of adding. *list is owned by the caller. */
int ctx_session_item_list(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session_item **list, size_t *n, struct ctx_err *err);
void ctx_session_item_free(struct ctx_session_item *list, size_t n);

/* ---- use ---- */

/* A request as it is kept: the texts of its additions are not in the record, but under
 * their sha256 (store/content.h). Borrowed for the call. */
struct ctx_item_request {
	const struct ctx_session *session;
	int64_t response_seq; /* 0: no answer came */
	struct ctx_span record;
};

/* Call fn for each request of the session, or, NULL, of all that are not deleted: session by
 * session, in each those with the newest answers first and those without at the end. It is
 * one snapshot, and memory does not grow with the requests. -1 from fn stops. */
typedef int ctx_item_request_fn(
    void *arg, const struct ctx_item_request *r, struct ctx_err *err);
int ctx_item_requests(struct ctx_store *st, const struct ctx_session *s,
    ctx_item_request_fn *fn, void *arg, struct ctx_err *err);

#endif
