/* Private to full-text search: computes match scores, so that a search can skip matches
 * that are not among the best. */
#ifndef CTX_STORE_ENGINE_SQLITE_SCORE_H
#define CTX_STORE_ENGINE_SQLITE_SCORE_H

#include "store/fulltext_index.h"

/* The SQL function ctx_bm25(fulltext, floor) returns the Okapi BM25 score of a match,
 * with SQLite's constants (k1 = 1.2, b = 0.75) but with greater values for better
 * matches. floor: the score that a match must reach, bound with ctx_score_bind. The SQL
 * function returns NULL if the match cannot reach this score. This saves time, because
 * the length of the message need not be read in most such cases. */

/* Registers the SQL function ctx_bm25 with the connection. */
int ctx_score_register(struct ctx_db *db, struct ctx_err *err);
/* Binds the score that a match must reach (*floor) to a parameter of the statement. at:
 * number of the parameter (1 for ?1). *floor is borrowed until the statement is
 * closed. */
void ctx_score_bind(struct ctx_stmt *q, int at, const struct ctx_score_floor *floor);

#endif
