/* Scores how closely texts are related to a message, by the words that they share. */
#ifndef CTX_RECALL_SIMILAR_H
#define CTX_RECALL_SIMILAR_H

#include <stddef.h>

#include "base/buf.h"

/* Items to compare with. Texts are compared by the stems of their words (words/stems.h).
 *
 * The score of an item for a message is Okapi BM25 (k1 = 0.5, b = 0.75; Robertson and
 * Zaragoza 2009) divided by the most that any item could reach, hence 0 … 1:
 *
 *   sum over the message's distinct words t of  w(t) · s(t)   /   sum of w(t)
 *
 *   w(t) = ln(1 + (n - d + 0.5) / (d + 0.5)), d of n items hold t; a word in no item
 *          weighs a quarter of a word in one: it tells little about which item
 *   s(t) = f / (f + 0.5 · (0.25 + 0.75 · length / mean length)), f times in the item,
 *          words of its name counted three times
 *
 * 0 when no word is shared. Equal input gives equal scores. */
struct ctx_similar;

struct ctx_similar *ctx_similar_new(void);
void ctx_similar_free(struct ctx_similar *s);

/* Adds an item; nothing is kept of the spans. Items are numbered from 0. */
void ctx_similar_add(struct ctx_similar *s, struct ctx_span name, struct ctx_span text);

/* Writes the score of each item, in the order in which they were added. */
void ctx_similar_score(
    const struct ctx_similar *s, struct ctx_span message, double scores[]);

#endif
