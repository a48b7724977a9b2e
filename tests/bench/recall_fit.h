/* Fitting weights to questions whose evidence is known. */
#include "recall/internal.h"

/* A question to a conversation (its number, from 0), all turns of it, and which of them are
 * evidence. */
void fit_add(int conversation, struct ctx_recall_turn *turns, size_t n,
    struct ctx_span query, const bool *evidence);

/* Print the weights, and how well they do on what they were not fitted on. */
void fit_print(int conversations);
