/* Inside of ctx-entity: its state, and what the parts of the program do. */
#ifndef CTX_CMD_ENTITY_H
#define CTX_CMD_ENTITY_H

#include "cli.h"
#include "store/mention.h"
#include "track/track.h"

/* What one run of the program works with. */
struct entity_work {
	struct {
		struct cli_list session;
		const char *type, *target_type, *resolve, *action;
		int64_t max, timeout, ttl, seq;
		bool remove, replace, sessions, rebuild;
	} opt;
	struct ctx_store *store; /* once it is open */
	struct ctx_tracker *tracker;
	const char *tenant;            /* whose entities they are, "": nobody's */
	struct ctx_resolver *resolver; /* or NULL */
	const char *resolver_tenant;   /* whose it is */
	char **linked;                 /* names to link, or to unlink */
	int n_linked;
	bool answered;          /* something was printed */
	struct ctx_buf printed; /* sessions that were, a bit each, by number */
};

int open_tracker(struct entity_work *ent, struct ctx_err *err);
/* The session, caught up; tracker and tenant become its tenant's. */
int open_session(struct entity_work *ent, const char *session_id, struct ctx_session *s,
    struct ctx_err *err);

/* The record of an entity of the type that is wanted; s and use: in a session, or NULL. */
int print_entity(struct entity_work *ent, int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, struct ctx_err *err);

/* What is known (entity_read.c). */
int list(void *arg, int argc, char **argv, struct ctx_err *err);
int list_session(void *arg, const struct cli_listed *listed, struct ctx_err *err);
int find(void *arg, int argc, char **argv, struct ctx_err *err);
int show(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
