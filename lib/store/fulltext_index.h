/* Private to full-text search: the index of words. Each database engine has functions of
 * the types below, as members of db->engine (store/engine_table.h). The parameter "db" of
 * these functions is the derived database. The index has a row for each message, with the
 * message's row id, and contains words, but no texts. A text must be passed through
 * ctx_words_space before it is given to these functions. */
#ifndef CTX_STORE_FULLTEXT_INDEX_H
#define CTX_STORE_FULLTEXT_INDEX_H

#include "store/stmt.h"

/* ---- changes: call inside a write transaction on db ---- */

typedef int ctx_index_add_fn(
    struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err);

/* Removes all rows from the index. */
typedef int ctx_index_clear_fn(struct ctx_db *db, struct ctx_err *err);

/* Supplies the texts of the rows that ctx_index_erase_fn removes. The functions "each"
 * and "words" call fn with texts that are borrowed for the call; fn returns 0, or -1 with
 * err set. Both functions return -1 on error.
 *
 * The function "each" is exact. It calls fn with the id of every row and the text that
 * was indexed. It returns 1 after the last row, or 0 if the text of a row is not known.
 *
 * The function "words" is faster, but not exact. It calls fn with texts that contain the
 * words of the rows, session by session in ascending order. These texts can contain
 * additional words, and in rare cases lack words of the rows. The function returns 1 on
 * success. */
typedef int ctx_index_row_fn(
    void *arg, int64_t id, struct ctx_span text, struct ctx_err *err);
struct ctx_index_rows {
	int (*each)(void *arg, ctx_index_row_fn *fn, void *fn_arg, struct ctx_err *err);
	int (*words)(void *arg, ctx_index_row_fn *fn, void *fn_arg, struct ctx_err *err);
	void *arg;
};

/* Removes the rows of n sessions, so that none of their words is left in the database.
 * sessions: numbers of the sessions, in ascending order. Sets *erased to the number of
 * removed rows. Returns 1 on success; 0 if texts are missing, in which case the caller
 * must rebuild the index; -1 on error. */
typedef int ctx_index_erase_fn(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, int64_t *erased, struct ctx_err *err);

/* Overwrites the bytes of rows that ctx_index_erase_fn could only mark as deleted. If
 * again is true, also overwrites rows that another version of ctx may have marked as
 * deleted. Must not be called inside a transaction. */
int ctx_index_scrub(struct ctx_db *db, bool again, struct ctx_err *err);

/* ---- search ---- */

/* The score that a new match must reach to be among the best matches found so far. The
 * score rises during a search. set: false as long as fewer matches were found than were
 * asked for; there is no such score then. */
struct ctx_score_floor {
	bool set;
	double score;
};

/* A query of the index. */
struct ctx_index_query {
	const char *query;
	int64_t first_id, last_id;
	/* the score that a match must reach; NULL: any match is wanted; borrowed for the
	 * call */
	const struct ctx_score_floor *floor;
	/* true: the same query was run before, so the index pages need not be checked for
	 * damage again */
	bool again;
};
typedef int ctx_index_hit_fn(void *arg, int64_t id, double score, struct ctx_err *err);
/* Calls fn for each row from first_id to last_id that matches the query (in FTS5's
 * syntax). The argument "score" of fn is the BM25 score of the row; a greater score is
 * better. Rows whose score is less than query->floor may be left out. fn returns 0, or -1
 * with err set. Fails with CTX_EUSAGE if the query is invalid, and with CTX_ESTORE if an
 * index page that contains words of the query is damaged. */
typedef int ctx_index_search_fn(struct ctx_db *db, const struct ctx_index_query *query,
    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err);

/* Counts the rows that match the query, and stores the number in *n. Stops counting when
 * the number reaches max. Returns 0 or -1. */
typedef int ctx_index_count_fn(struct ctx_db *db, const struct ctx_index_query *query,
    int64_t max, int64_t *n, struct ctx_err *err);

#endif
