/* Private to the loader of entities: the loader itself, and its queue of relations to
 * entities that come in later records. */
#ifndef CTX_ENTITY_LOAD_WAITING_H
#define CTX_ENTITY_LOAD_WAITING_H

#include "entity/load.h"

struct waiting {
	int64_t no;
	char *relation; /* type of the relation; NULL: the relation of child and parent */
	/* type of the entity that the relation refers to; NULL: any type */
	char *type;
	char *name;
	/* for a relation of child and parent: true if the relation refers to the child of
	 * entity "no", false if it refers to the parent */
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

/* Queues a relation between the entity in the current record (the first entity) and
 * another entity. The caller sets the number of the first entity later. target is the
 * other entity: a JSON string with its name, or an object {"type", "name"}. type is the
 * type of the other entity if target is a string. If relation is absent, the other entity
 * is a child of the first entity if child is true; it is the parent of the first entity
 * if child is false. */
int ctx_waiting_add(struct ctx_loader *l, struct ctx_span relation,
    struct ctx_span target, struct ctx_span type, bool child, struct ctx_err *err);
/* Removes the queued relations from the index "from" to the end of the queue. */
void ctx_waiting_drop(struct ctx_loader *l, size_t from);
/* Removes the relations of entity number no from the first n relations of the queue,
 * which come from earlier records. Returns the number of removed relations. */
size_t ctx_waiting_take_back(struct ctx_loader *l, int64_t no, size_t n);

#endif
