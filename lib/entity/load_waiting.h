/* Private to the loader of entities: the loader itself, and its queue of relations to
 * entities that come in later records. */
#ifndef CTX_ENTITY_LOAD_WAITING_H
#define CTX_ENTITY_LOAD_WAITING_H

#include "entity/load.h"

struct waiting {
	int64_t no;
	char *relation; /* NULL if the relation is that of child and parent */
	char *type;     /* type of the other entity, or NULL for any type */
	char *name;
	bool child; /* the other entity is a child of entity no, otherwise its parent */
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

/* Returns the name that a JSON value holds, to be freed by the caller. Returns NULL with
 * CTX_EINPUT if it is not valid as a name; what names the value in the error message. */
char *ctx_load_name(struct ctx_span json, const char *what, struct ctx_err *err);

/* Queues a relation of the entity in the current record; the number of that entity is set
 * later. target is a string with a name, or an object {"type", "name"}. Without a
 * relation, target is a child (if child is true) or the parent. */
int ctx_waiting_add(struct ctx_loader *l, struct ctx_span relation,
    struct ctx_span target, struct ctx_span type, bool child, struct ctx_err *err);
/* Removes the queued relations from index from to the end. */
void ctx_waiting_drop(struct ctx_loader *l, size_t from);
/* Removes, among the first n queued relations, those of entity no, which earlier records
 * queued. Returns how many it removed. */
size_t ctx_waiting_take_back(struct ctx_loader *l, int64_t no, size_t n);

#endif
