/* Asks a command for data of entities. Results are cached. */
#ifndef CTX_ENTITY_RESOLVE_H
#define CTX_ENTITY_RESOLVE_H

#include "base/exec.h"
#include "store/entity.h"

/* True if the command need not be asked about the entity at now (ms): it has data that
 * has not expired, or an id and no data. */
bool ctx_entity_known(const struct ctx_entity *e, int64_t now);

struct ctx_resolver_options {
	struct ctx_exec_options exec; /* the command */
	const char *tenant;           /* "" none */
	int64_t now;
	int64_t ttl_ms; /* lifetime of an answer */
};
#define CTX_RESOLVE_TTL ((int64_t)3600 * 1000)
#define CTX_RESOLVE_TTL_NONE ((int64_t)600 * 1000)   /* if the entity does not exist */
#define CTX_RESOLVE_TTL_FAILURE ((int64_t)60 * 1000) /* after a failure of the command */

/* An entity to ask for. record receives an entity record (JSON) or stays empty. */
struct ctx_candidate {
	const char *type, *name;
	struct ctx_buf record;
	bool done, failed; /* failed: the command had a temporary failure */
};

struct ctx_resolver;
struct ctx_resolver *ctx_resolver_new(
    struct ctx_store *st, const struct ctx_resolver_options *o);
void ctx_resolver_free(struct ctx_resolver *r);

/* Fills in the candidates. The command reads a line {"type", "name"} for each one that
 * is not in the cache, and writes an entity record or null for each. It may omit the
 * lines of unknown entities if the other lines have the name asked for, as name or in
 * the member "query". A line {"error": …} reports a temporary failure, which is cached
 * only briefly. session_no is the session whose messages name the candidates (0:
 * none). Returns -1 with err set if the command or the cache fails; results obtained
 * by then are filled in. */
int ctx_resolver_ask(struct ctx_resolver *r, int64_t session_no,
    struct ctx_candidate *list, size_t n, struct ctx_err *err);

#endif
