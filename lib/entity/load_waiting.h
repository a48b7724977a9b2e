/* Private to the loader of entities: the loader itself, and its queue of relations to
 * entities that come in later records. */
#ifndef CTX_ENTITY_LOAD_WAITING_H
#define CTX_ENTITY_LOAD_WAITING_H

#include "entity/load.h"

struct waiting {
	int64_t no;
	char *relation; /* type of the relation; NULL: the relation of parent and child */
	/* type of the other entity; NULL: any type */
	char *type;
	char *name;
	/* used only for the relation of parent and child; true: the other entity is the
	 * child; false: the other entity is the parent */
	bool child;
};

struct ctx_loader {
	struct ctx_store *st;
	char *tenant;
	int64_t now;
	struct waiting *waiting;
	size_t n, cap;
	bool replace;
	int64_t *replaced;
	size_t n_replaced, cap_replaced;
};

/* Decodes a name. json: the name as a JSON string; what: the description of the name for
 * error messages. Returns the name, which the caller frees, or NULL with CTX_EINPUT if
 * json is not a valid name. */
char *ctx_load_name(struct ctx_span json, const char *what, struct ctx_err *err);

/* Queues a relation of the entity in the current record. The caller sets the entity's
 * number later. relation: the type of the relation; absent: the relation of parent and
 * child; target: the other entity, a JSON string with its name or an object {"type",
 * "name"}; type: the type of the other entity, used if target is a string; child: used if
 * relation is absent: whether the other entity is the child (true) or the parent
 * (false). */
int ctx_waiting_add(struct ctx_loader *l, struct ctx_span relation,
    struct ctx_span target, struct ctx_span type, bool child, struct ctx_err *err);
/* Removes all queued relations from index "from" on. */
void ctx_waiting_drop(struct ctx_loader *l, size_t from);
/* Removes the relations of one entity from the first n relations of the queue, so that
 * the relations in the entity's newest record can replace them. no: the number of the
 * entity. Returns the number of removed relations. */
size_t ctx_waiting_take_back(struct ctx_loader *l, int64_t no, size_t n);

#endif
