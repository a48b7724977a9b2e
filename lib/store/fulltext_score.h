/* Private to the full text: scores of matches, for the best of many. */
#ifndef CTX_STORE_FULLTEXT_SCORE_H
#define CTX_STORE_FULLTEXT_SCORE_H

#include "store/stmt.h"

/* What a match must reach to be of interest; raised while a search goes on. Bound as a
 * parameter, with ctx_score_bind, it is the second argument of the SQL function
 *
 *   ctx_bm25(fulltext, ?)
 *
 * Okapi BM25 as SQLite's bm25() has it (k1 = 1.2, b = 0.75), but greater is better, and
 * NULL for a match that cannot reach the floor. Most of many matches can't, which shows
 * without a look at how long they are. */
struct ctx_score_floor {
	bool set;
	double score;
};

/* Make the function known to the connection. */
int ctx_score_register(struct ctx_db *db, struct ctx_err *err);
/* floor is borrowed until the statement is finalized. */
void ctx_score_bind(sqlite3_stmt *q, int at, const struct ctx_score_floor *floor);

#endif
