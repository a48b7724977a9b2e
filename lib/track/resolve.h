/* Asking a command what is known of entities. Results are cached. */
#ifndef CTX_TRACK_RESOLVE_H
#define CTX_TRACK_RESOLVE_H

#include "base/exec.h"
#include "store/entity.h"

/* Is it known at now (ms), so that nobody need be asked? It has data that has not expired,
 * or an id and no data. */
bool ctx_entity_known(const struct ctx_entity *e, int64_t now);

struct ctx_resolver_options {
	struct ctx_exec_options exec; /* the command */
	const char *tenant;           /* "" none */
	int64_t now;
	int64_t ttl_ms; /* for how long an answer holds */
};
#define CTX_RESOLVE_TTL ((int64_t)3600 * 1000)
#define CTX_RESOLVE_TTL_NONE ((int64_t)600 * 1000)   /* of "there is none" */
#define CTX_RESOLVE_TTL_FAILURE ((int64_t)60 * 1000) /* of a command that failed */

/* What to ask for. record becomes an entity record (JSON) or stays empty. */
struct ctx_candidate {
	const char *type, *name;
	struct ctx_buf record;
	bool done, failed; /* failed: the command could not tell just now */
};

struct ctx_resolver;
struct ctx_resolver *ctx_resolver_new(
    struct ctx_store *st, const struct ctx_resolver_options *o);
void ctx_resolver_free(struct ctx_resolver *r);

/* Fill in the candidates. The command reads a line {"type", "name"} for each that the
 * cache does not know, and writes an entity record, or null, for each. It may leave lines
 * out for what it does not know, when the others have the name, or the member "query",
 * equal to the name asked for. A line {"error": …} says that it could not tell just now,
 * which holds no longer than a failure does. session_no: whose messages name them (0: nobody's).
 * A failure of the command or of the cache is -1 with err set; what is known by then is
 * filled in. */
int ctx_resolver_ask(struct ctx_resolver *r, int64_t session_no,
    struct ctx_candidate *list, size_t n, struct ctx_err *err);

/* How often the command was asked something. */
size_t ctx_resolver_asked(const struct ctx_resolver *r);

#endif
