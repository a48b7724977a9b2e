/* Inside of ctx-entity: options, what is open, and what the parts of the program do. */
#ifndef CTX_CMD_ENTITY_H
#define CTX_CMD_ENTITY_H

#include "cli.h"
#include "store/mention.h"
#include "track/track.h"

extern struct entity_options {
	struct cli_list session;
	const char *type, *target_type, *resolve, *action;
	int64_t max, timeout, ttl, seq;
	bool remove, replace, sessions, rebuild;
} opt;

extern struct ctx_store *store; /* once it is open */
extern struct ctx_tracker *tracker;
extern const char *tenant; /* whose entities they are, "": nobody's */

int open_tracker(struct ctx_err *err);
/* The session, caught up; tracker and tenant become its tenant's. */
int open_session(const char *session_id, struct ctx_session *s, struct ctx_err *err);

/* The record of an entity of the type that is wanted; s and use: in a session, or NULL. */
int print_entity(int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, struct ctx_err *err);

/* What is known (entity_read.c). */
int list(void *arg, int argc, char **argv, struct ctx_err *err);
int list_session(void *arg, const struct cli_listed *listed, struct ctx_err *err);
int find(void *arg, int argc, char **argv, struct ctx_err *err);
int show(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
