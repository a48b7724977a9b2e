/* How often each item went into a request, at what cost and to what use. */
#ifndef CTX_STATS_ITEM_USE_H
#define CTX_STATS_ITEM_USE_H

#include "store/store.h"

struct ctx_item_use {
	const char *type, *server_name, *name;
	int64_t requests, always, manual, agent;
	double mean_score; /* over those with a score; 0 none */
	int64_t tokens;    /* in all of them */
	int64_t answers;   /* requests whose answer could be judged (stats/drawn.h) … */
	int64_t drawn_on;  /* … and drew on it */
};

/* fn is called once per item, by type, server and name; strings are borrowed for the call.
 * session NULL: of all that are not deleted. Memory grows with the items alone. */
int ctx_item_uses(struct ctx_store *st, const struct ctx_session *s,
    int (*fn)(void *arg, const struct ctx_item_use *use, struct ctx_err *err), void *arg,
    struct ctx_err *err);

#endif
