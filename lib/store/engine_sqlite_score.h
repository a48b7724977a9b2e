/* Private to the full text: match scores, so that a search can skip matches that are not
 * among the best. */
#ifndef CTX_STORE_ENGINE_SQLITE_SCORE_H
#define CTX_STORE_ENGINE_SQLITE_SCORE_H

#include "store/fulltext_index.h"

/* Bound with ctx_score_bind, a floor is the second argument of the SQL function
 * ctx_bm25(fulltext, ?): Okapi BM25 with SQLite's constants (k1 = 1.2, b = 0.75), where
 * greater is better and NULL means that the match cannot reach the floor. Most matches are
 * rejected without reading their length. */

/* Registers the SQL function with the connection. */
int ctx_score_register(struct ctx_db *db, struct ctx_err *err);
/* floor is borrowed until the statement is finalized. */
void ctx_score_bind(struct ctx_stmt *q, int at, const struct ctx_score_floor *floor);

#endif
