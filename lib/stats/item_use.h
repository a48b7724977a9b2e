/* Counts how often each item (a rule, reference, tool or prompt of ctx-item) was sent,
 * how many tokens it cost, and how often answers used it. */
#ifndef CTX_STATS_ITEM_USE_H
#define CTX_STATS_ITEM_USE_H

#include "store/store.h"

struct ctx_item_use {
	const char *type, *server_name, *name;
	/* requests: number of requests that contained the item; always, manual, agent:
	 * number of these requests in which the item had this include mode */
	int64_t requests, always, manual, agent;
	/* mean of the item's similarity scores in the requests in which the item has a
	 * score; 0 if there are no such requests */
	double mean_score;
	/* total number of tokens of the item in all requests that contained it */
	int64_t tokens;
	/* number of requests for which it is known whether the answer used the item
	 * (stats/drawn.h) */
	int64_t answers;
	int64_t drawn_on; /* number of requests whose answer used the item */
};

/* Counts the items in the requests of the session *s or, if s is NULL, of all sessions
 * that are not deleted. Then calls fn once for each item, ordered by type, server and
 * name. The strings in *use are valid only during the call of fn. Returns 0, or -1 on
 * error. The memory needed grows with the number of items, not with the number of
 * requests. */
int ctx_item_uses(struct ctx_store *st, const struct ctx_session *s,
    int (*fn)(void *arg, const struct ctx_item_use *use, struct ctx_err *err), void *arg,
    struct ctx_err *err);

#endif
