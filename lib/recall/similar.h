/* Scores how closely each of several items is related to a message. The score depends on
 * the words that the item and the message have in common. */
#ifndef CTX_RECALL_SIMILAR_H
#define CTX_RECALL_SIMILAR_H

#include <stddef.h>

#include "base/buf.h"

/* A set of items that can be compared with messages. Words are compared by their stems
 * (words/stems.h).
 *
 * The score of an item for a message is Okapi BM25 (k1 = 0.5, b = 0.75; Robertson and
 * Zaragoza 2009) divided by the highest possible score, and so between 0 and 1:
 *
 *   sum over the message's distinct words t of  w(t) · s(t)   /   sum of w(t)
 *
 *   w(t) = ln(1 + (n - d + 0.5) / (d + 0.5)), where d of n items contain t; a word in no
 *          item has a quarter of the weight of a word in one item
 *   s(t) = f / (f + 0.5 · (0.25 + 0.75 · length / mean length)), where f is the number
 *          of times that t occurs in the item; words of the item's name count threefold
 *
 * The score is 0 if no word is shared. Equal input gives equal scores. */
struct ctx_similar;

struct ctx_similar *ctx_similar_new(void);
void ctx_similar_free(struct ctx_similar *s);

/* Adds an item; the spans are not used after the call. Items are numbered from 0. */
void ctx_similar_add(struct ctx_similar *s, struct ctx_span name, struct ctx_span text);

/* Computes the scores of all items of the set for the message. Sets scores[i] to the
 * score of item number i. */
void ctx_similar_score(
    const struct ctx_similar *s, struct ctx_span message, double scores[]);

#endif
