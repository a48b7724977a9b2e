/* Fitting weights to questions whose evidence is known. */
#include "recall/internal.h"

#define FIT_BUDGETS 5
extern const int64_t fit_budgets[FIT_BUDGETS];

/* A question to a conversation (its number, from 0) of a set (0 or 1), all turns of it, and
 * which of them are evidence. */
void fit_add(int set, int conversation, struct ctx_recall_turn *turns, size_t n,
    struct ctx_span query, const bool *evidence);

/* Print the weights, fitted so that both sets count alike, and what share of the evidence
 * they find within the budgets, with conversations left out of the fit: whole messages, and
 * with passages of those that are long. */
void fit_print(void);
