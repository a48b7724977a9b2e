/* How often each item was sent, at what cost, and how often answers used it. */
#ifndef CTX_STATS_ITEM_USE_H
#define CTX_STATS_ITEM_USE_H

#include "store/store.h"

struct ctx_item_use {
	const char *type, *server_name, *name;
	int64_t requests, always, manual, agent;
	double mean_score; /* over requests with a score; 0: none */
	int64_t tokens;    /* in all of them */
	int64_t answers;   /* requests whose answer could be judged (stats/drawn.h) … */
	int64_t drawn_on;  /* … and of these, answers that used it */
};

/* Calls fn once per item, ordered by type, server and name; strings are borrowed for the
 * call. session NULL: all sessions that are not deleted. Memory grows only with the
 * number of items. */
int ctx_item_uses(struct ctx_store *st, const struct ctx_session *s,
    int (*fn)(void *arg, const struct ctx_item_use *use, struct ctx_err *err), void *arg,
    struct ctx_err *err);

#endif
