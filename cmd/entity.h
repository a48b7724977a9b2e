/* Private to ctx-entity: its state, and the functions that its files share. */
#ifndef CTX_CMD_ENTITY_H
#define CTX_CMD_ENTITY_H

#include "cli.h"
#include "store/mention.h"
#include "entity/track.h"

/* The state of one run of the program. */
struct entity_work {
	struct {
		struct cli_list session;
		const char *type, *target_type, *resolve, *action;
		int64_t max, timeout, ttl, seq;
		bool remove, replace, sessions, rebuild;
	} opt;
	struct ctx_store *store; /* NULL until it is opened */
	struct ctx_tracker *tracker;
	const char *tenant;            /* tenant of the entities; "": no tenant */
	struct ctx_resolver *resolver; /* may be NULL */
	/* tenant for whose entities the resolver was opened */
	const char *resolver_tenant;
	char **linked; /* names to link or unlink */
	int n_linked;
	bool answered; /* true: at least one record was printed */
	/* bit set, indexed by session number: the sessions printed so far */
	struct ctx_buf printed;
};

int open_tracker(struct entity_work *ent, struct ctx_err *err);
/* Finds the session, and scans its new messages for mentions of entities. Sets
 * ent->tenant and ent->tracker to those of the session's tenant. */
int open_session(struct entity_work *ent, const char *session_id, struct ctx_session *s,
    struct ctx_err *err);

/* Prints the record of an entity. Prints nothing if --type is given and the entity has
 * another type. no: number of the entity in the store; use: how session s mentions the
 * entity. s and use may both be NULL. */
int print_entity(struct entity_work *ent, int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, struct ctx_err *err);

/* The actions that read entities (entity_read.c). arg points to a struct entity_work. */
int list(void *arg, int argc, char **argv, struct ctx_err *err);
int list_session(void *arg, const struct cli_listed *listed, struct ctx_err *err);
int find(void *arg, int argc, char **argv, struct ctx_err *err);
int show(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
