/* Private to the loading of entities: the loader, and relations that wait for what later
 * records bring. */
#ifndef CTX_TRACK_LOAD_WAITING_H
#define CTX_TRACK_LOAD_WAITING_H

#include "track/load.h"

struct waiting {
	int64_t no;
	char *relation; /* NULL: no is the parent's child */
	char *type;     /* of the other end, or NULL */
	char *name;
	bool child; /* the other end is a child of no */
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

/* An owned name; NULL with CTX_EINPUT when it is none. what: it is called in the error. */
char *ctx_load_name(struct ctx_span json, const char *what, struct ctx_err *err);

/* Let one wait for the entity of the record at hand, whose number comes later. A target or a
 * parent is "name" or {"type", "name"}. */
int ctx_waiting_add(struct ctx_loader *l, struct ctx_span relation,
    struct ctx_span target, struct ctx_span type, bool child, struct ctx_err *err);
/* Forget those from there on. */
void ctx_waiting_drop(struct ctx_loader *l, size_t from);
/* Forget what earlier records of the entity said, of the first n; how many that was. */
size_t ctx_waiting_take_back(struct ctx_loader *l, int64_t no, size_t n);

#endif
