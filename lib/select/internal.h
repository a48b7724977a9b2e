/* Private to lib/select: the state of one call of ctx_select. */
#ifndef CTX_SELECT_INTERNAL_H
#define CTX_SELECT_INTERNAL_H

#include "select/select.h"

/* The state of one selection. Costs are counted in quarters of a token, because a tool
 * result that is cut costs exactly a quarter of p->cut_base (see struct ctx_policy). */
struct ctx_selection {
	struct ctx_history *h;
	const struct ctx_policy *p;
	int64_t budget; /* in tokens; -1: no limit */
	bool over;      /* true: treat the budget as exceeded, whatever the items cost */
	/* for each item: index of the next item in the same group; h->n: no next item */
	size_t *next;
	/* for each item: index of the item that starts the turn to which the item
	 * belongs; h->n: the item does not belong to a turn */
	size_t *turn;
	bool *required; /* for each item: true if the item must be kept */
};

/* Initializes *s: links the items of each group, and marks the items that must be
 * kept. */
void ctx_selection_init(
    struct ctx_selection *s, struct ctx_history *h, const struct ctx_policy *p);
void ctx_selection_release(struct ctx_selection *s);

/* Loops over the items of the group that contains item i. k: name of the loop variable,
 * which gets the index of each item in turn. */
#define CTX_EACH_OF_GROUP(s, i, k) \
	for (size_t k = (s)->h->items[i].group; (k) != (s)->h->n; (k) = (s)->next[k])

bool ctx_selection_group_required(const struct ctx_selection *s, size_t i);
/* Drops all items of the group of item i; why: the reason. */
void ctx_selection_drop(struct ctx_selection *s, size_t i, enum ctx_reason why);
/* Replaces the message of item i with the message in *b. why: the reason. Does nothing if
 * the two messages are equal, or if an earlier request of the run already contained the
 * item. */
void ctx_selection_change(
    struct ctx_selection *s, size_t i, const struct ctx_buf *b, enum ctx_reason why);

/* Returns the cost of item i in quarters of a token. A tool result that is too large is
 * counted at the size to which it will be cut. */
int64_t ctx_selection_cost(const struct ctx_selection *s, size_t i);

/* Returns the number of tokens that the message costs in a request, or -1 if the message
 * is invalid. */
int64_t ctx_selection_count(struct ctx_selection *s, struct ctx_span message);

/* Appends a copy of the text to *out. In the copy, a marker that says how much was cut
 * replaces the bytes from the offset head up to, but not including, the offset tail. end:
 * string to add after the marker, a newline or "". */
void ctx_put_cut(
    struct ctx_buf *out, struct ctx_span text, size_t head, size_t tail, const char *end);

/* One strategy. A strategy works on the items that are still kept. The array
 * ctx_strategies is indexed by enum ctx_strategy. */
struct ctx_strategy_row {
	const char *name;
	bool fits; /* true: the strategy is skipped if the items fit into the budget */
	int (*run)(struct ctx_selection *s, struct ctx_err *err);
};
extern const struct ctx_strategy_row ctx_strategies[CTX_STRATEGY_COUNT];
int ctx_strategy_recent(struct ctx_selection *s, struct ctx_err *err);

#endif
