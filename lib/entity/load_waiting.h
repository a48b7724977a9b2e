/* Private to the loading of entities: the loader, and relations to entities in later
 * records. */
#ifndef CTX_ENTITY_LOAD_WAITING_H
#define CTX_ENTITY_LOAD_WAITING_H

#include "entity/load.h"

struct waiting {
	int64_t no;
	char *relation; /* NULL: the entity no is a child of the parent */
	char *type;     /* type of the other end, or NULL */
	char *name;
	bool child; /* the other end is a child of the entity no */
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

/* Returns a name that the caller frees; NULL with CTX_EINPUT when it is invalid. what
 * names it in the message. */
char *ctx_load_name(struct ctx_span json, const char *what, struct ctx_err *err);

/* Queues a relation of the entity in the current record, whose number is set later. A
 * target or a parent is "name" or {"type", "name"}. */
int ctx_waiting_add(struct ctx_loader *l, struct ctx_span relation,
    struct ctx_span target, struct ctx_span type, bool child, struct ctx_err *err);
/* Removes the queued relations from index from on. */
void ctx_waiting_drop(struct ctx_loader *l, size_t from);
/* Removes, among the first n, the relations that earlier records of the entity queued.
 * Returns their number. */
size_t ctx_waiting_take_back(struct ctx_loader *l, int64_t no, size_t n);

#endif
