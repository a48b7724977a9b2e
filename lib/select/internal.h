/* Private to lib/select: the state of one ctx_select. */
#ifndef CTX_SELECT_INTERNAL_H
#define CTX_SELECT_INTERNAL_H

#include "select/select.h"

/* Costs are in quarters of a token, because a cut result is charged exactly a quarter of
 * cut_base. */
struct ctx_selection {
	struct ctx_history *h;
	const struct ctx_policy *p;
	int64_t budget; /* tokens, -1: none */
	bool over;      /* the budget is exceeded regardless of the items' costs */
	size_t *next;   /* next item of the same group; h->n: none */
	size_t *turn;   /* index of the item that begins the item's turn; h->n: none */
	bool *required; /* by item: must stay */
};

/* Links the items of each group and marks what must be kept. */
void ctx_selection_init(
    struct ctx_selection *s, struct ctx_history *h, const struct ctx_policy *p);
void ctx_selection_release(struct ctx_selection *s);

/* Loops over the items k of the group of item i. */
#define CTX_EACH_OF_GROUP(s, i, k) \
	for (size_t k = (s)->h->items[i].group; (k) != (s)->h->n; (k) = (s)->next[k])

bool ctx_selection_is_system(const struct ctx_item *it);
bool ctx_selection_group_required(const struct ctx_selection *s, size_t i);
void ctx_selection_drop(
    struct ctx_selection *s, size_t i, enum ctx_reason why); /* whole group */
/* Replaces the message of item i by the content of b, if it differs. */
void ctx_selection_change(
    struct ctx_selection *s, size_t i, const struct ctx_buf *b, enum ctx_reason why);

/* The least that the item costs within a stretch of recent messages, in quarters of a
 * token. */
int64_t ctx_selection_cost(const struct ctx_selection *s, size_t i);

/* The strategies; each works on the items still kept. */
int ctx_strategy_recent(struct ctx_selection *s, struct ctx_err *err);
void ctx_strategy_score(struct ctx_selection *s);
void ctx_strategy_filter(struct ctx_selection *s);
void ctx_strategy_system(struct ctx_selection *s);
void ctx_strategy_important(struct ctx_selection *s);
void ctx_strategy_tools(struct ctx_selection *s);
void ctx_strategy_truncate(struct ctx_selection *s);

#endif
