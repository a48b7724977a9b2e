/* Counts how often each item (a rule, reference, tool or prompt of ctx-item) was sent,
 * how many tokens it cost, and how often answers used it. */
#ifndef CTX_STATS_ITEM_USE_H
#define CTX_STATS_ITEM_USE_H

#include "store/store.h"

struct ctx_item_use {
	const char *type, *server_name, *name;
	int64_t requests, always, manual, agent;
	/* mean similarity score of the item in the requests in which it has a score; 0 if
	 * there are no such requests */
	double mean_score;
	/* total number of tokens of the item in all requests that contained it */
	int64_t tokens;
	/* number of requests for which it is known whether the answer used the item
	 * (stats/drawn.h) */
	int64_t answers;
	int64_t drawn_on; /* number of requests whose answer used the item */
};

/* Calls fn once for each item, ordered by type, server and name. The strings in *use are
 * valid during the call of fn only. If s is NULL, counts the requests of all sessions
 * that are not deleted. Returns 0, or -1 on error. Memory grows with the number of items,
 * not of requests. */
int ctx_item_uses(struct ctx_store *st, const struct ctx_session *s,
    int (*fn)(void *arg, const struct ctx_item_use *use, struct ctx_err *err), void *arg,
    struct ctx_err *err);

#endif
