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

/* Returns a copy of the name in the JSON string json; the caller frees the copy. Returns
 * NULL with CTX_EINPUT if json is not a valid name. what: the word for the JSON value in
 * the error message. */
char *ctx_load_name(struct ctx_span json, const char *what, struct ctx_err *err);

/* Queues a relation between the entity in the current record, whose number the caller
 * sets later, and another entity. target describes the other entity: a string with its
 * name, or an object {"type", "name"}. If relation is absent, the other entity is a child
 * (child = true) or the parent of the first one. */
int ctx_waiting_add(struct ctx_loader *l, struct ctx_span relation,
    struct ctx_span target, struct ctx_span type, bool child, struct ctx_err *err);
/* Removes queued relations. from: index of the first relation to remove; all after it are
 * removed too. */
void ctx_waiting_drop(struct ctx_loader *l, size_t from);
/* The first n queued relations were queued by earlier records. Removes those that belong
 * to entity no. Returns the number of removed relations. */
size_t ctx_waiting_take_back(struct ctx_loader *l, int64_t no, size_t n);

#endif
