/* Asks a command of the user for data about entities, and caches the results. */
#ifndef CTX_ENTITY_RESOLVE_H
#define CTX_ENTITY_RESOLVE_H

#include "base/exec.h"
#include "store/entity.h"

/* Returns true if the command need not be run for the entity: it has data that has not
 * expired, or it was stored with an id and without data. now: the current time in ms
 * since the epoch. */
bool ctx_entity_known(const struct ctx_entity *e, int64_t now);

struct ctx_resolver_options {
	struct ctx_exec_options exec; /* the command and how to run it */
	const char *tenant;           /* "" for no tenant */
	int64_t now;
	int64_t ttl_ms; /* how long a record from the command is cached, in ms */
};
#define CTX_RESOLVE_TTL ((int64_t)3600 * 1000)
/* The command may answer that it does not know an entity. Such an answer is cached for
 * this time, in ms. */
#define CTX_RESOLVE_TTL_NONE ((int64_t)600 * 1000)
/* how long a temporary failure of the command is cached, in ms */
#define CTX_RESOLVE_TTL_FAILURE ((int64_t)60 * 1000)

/* An entity to ask about. record: receives an entity record (JSON); stays empty if the
 * command does not know the entity. */
struct ctx_candidate {
	const char *type, *name;
	struct ctx_buf record;
	/* done: true if the result is known; failed: true if the command reported a
	 * temporary failure */
	bool done, failed;
};

struct ctx_resolver;
struct ctx_resolver *ctx_resolver_new(
    struct ctx_store *st, const struct ctx_resolver_options *o);
void ctx_resolver_free(struct ctx_resolver *r);

/* Fills in the results for the n candidates, from the cache or from the command. The
 * command reads a line {"type", "name"} for each candidate that is not in the cache, and
 * answers with a line for each candidate, in the same order: an entity record, null for
 * an unknown entity, or {"error": …} for a temporary failure, which is cached only
 * briefly. The command may also write fewer lines. Each line must then contain the
 * requested name in the member "name" or "query"; candidates without a line are unknown
 * entities.
 *
 * session_no: the number of the session whose messages name the candidates; 0: no
 * session. Returns -1 with err set if the command or the cache fails, or if the command
 * reported a temporary failure. Even then, the results that were obtained are filled
 * in. */
int ctx_resolver_ask(struct ctx_resolver *r, int64_t session_no,
    struct ctx_candidate *list, size_t n, struct ctx_err *err);

#endif
