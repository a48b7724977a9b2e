/* Fits the weights of recall to questions whose evidence is known. */
#include "recall/internal.h"

#define FIT_BUDGETS 5
extern const int64_t fit_budgets[FIT_BUDGETS];

/* Adds a question about a conversation. set is the number of the set (0 or 1) that
 * contains the conversation; conversation is its number in the set, from 0. turns has its
 * n turns; evidence[i] is true if turns[i] is evidence. */
void fit_add(int set, int conversation, struct ctx_recall_turn *turns, size_t n,
    struct ctx_span query, const bool *evidence);

/* Fits the weights, with the same total weight for both sets, and prints them. Also
 * prints the share of the evidence that these weights find within each budget, with whole
 * messages and with passages of long messages. Then prints the same for weights that were
 * fitted without the conversations on which they are tested. */
void fit_print(void);
