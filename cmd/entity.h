/* Private to ctx-entity: its state, and the functions that its files share. */
#ifndef CTX_CMD_ENTITY_H
#define CTX_CMD_ENTITY_H

#include "cli.h"
#include "store/mention.h"
#include "entity/track.h"

/* The state of one run. */
struct entity_work {
	struct {
		struct cli_list session;
		const char *type, *target_type, *resolve, *action;
		int64_t max, timeout, ttl, seq;
		bool remove, replace, sessions, rebuild;
	} opt;
	struct ctx_store *store; /* once it is open */
	struct ctx_tracker *tracker;
	const char *tenant;            /* tenant of the entities; "": none */
	struct ctx_resolver *resolver; /* or NULL */
	const char *resolver_tenant;   /* whose it is */
	char **linked;                 /* names to link or unlink */
	int n_linked;
	bool answered;          /* something was printed */
	struct ctx_buf printed; /* bit set of the sessions printed so far, by number */
};

int open_tracker(struct entity_work *ent, struct ctx_err *err);
/* Finds the session and updates its mentions; tracker and tenant become its tenant's. */
int open_session(struct entity_work *ent, const char *session_id, struct ctx_session *s,
    struct ctx_err *err);

/* Prints the record of an entity if it has the wanted type; s and use describe its use in
 * a session, or are NULL. */
int print_entity(struct entity_work *ent, int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, struct ctx_err *err);

/* What is known (entity_read.c). */
int list(void *arg, int argc, char **argv, struct ctx_err *err);
int list_session(void *arg, const struct cli_listed *listed, struct ctx_err *err);
int find(void *arg, int argc, char **argv, struct ctx_err *err);
int show(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
