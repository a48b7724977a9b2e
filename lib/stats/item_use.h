/* Counts how often each item was sent, its tokens, and how often answers used it. */
#ifndef CTX_STATS_ITEM_USE_H
#define CTX_STATS_ITEM_USE_H

#include "store/store.h"

struct ctx_item_use {
	const char *type, *server_name, *name;
	int64_t requests, always, manual, agent;
	double mean_score; /* over the requests with a score; 0 if none has one */
	int64_t tokens;    /* total over all these requests */
	int64_t answers;   /* requests whose answer could be judged (stats/drawn.h) */
	int64_t drawn_on;  /* of these, requests whose answer used the item */
};

/* Calls fn once for each item, ordered by type, server and name. Strings are valid during
 * the call only. If s is NULL, counts over all sessions that are not deleted. Memory
 * grows with the number of items, not of requests. */
int ctx_item_uses(struct ctx_store *st, const struct ctx_session *s,
    int (*fn)(void *arg, const struct ctx_item_use *use, struct ctx_err *err), void *arg,
    struct ctx_err *err);

#endif
