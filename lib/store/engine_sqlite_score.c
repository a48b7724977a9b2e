/* The engine for SQLite: full-text match scores. */
#include "store/engine_sqlite_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/engine_sqlite.h"

#define K1 1.2
#define B 0.75
#define POINTER "ctx_score_floor"

/* The figures of one query that scoring needs. */
struct scorer {
	double mean_length;
	int n;
	struct phrase {
		double rarity;
		double count; /* occurrences in the current match */
	} phrases[];
};

static int
count_row(const Fts5ExtensionApi *api CTX_UNUSED, Fts5Context *fts CTX_UNUSED, void *arg)
{
	sqlite3_int64 *n = arg;

	++*n;
	return SQLITE_OK;
}

static void
free_scorer(void *s)
{
	free(s);
}

/* Returns the scorer of the query; it is created at the query's first match. */
static int
get_scorer(const Fts5ExtensionApi *api, Fts5Context *fts, struct scorer **out)
{
	sqlite3_int64 rows = 0, words = 0;
	int n = api->xPhraseCount(fts), rc;
	struct scorer *s = api->xGetAuxdata(fts, 0);

	*out = s;
	if (s != NULL)
		return SQLITE_OK;
	rc = api->xRowCount(fts, &rows);
	if (rc == SQLITE_OK)
		rc = api->xColumnTotalSize(fts, -1, &words);
	if (rc != SQLITE_OK)
		return rc;
	*out = s = ctx_mem_new(sizeof(*s) + (size_t)n * sizeof(s->phrases[0]));
	s->n = n;
	s->mean_length = rows > 0 ? (double)words / (double)rows : 1;
	for (int i = 0; rc == SQLITE_OK && i < n; i++) {
		sqlite3_int64 with = 0;
		rc = api->xQueryPhrase(fts, i, &with, count_row);
		s->phrases[i].rarity = log(
		    ((double)(rows - with) + 0.5) / ((double)with + 0.5));
		/* the phrase is in more than half of the messages */
		if (s->phrases[i].rarity <= 0)
			s->phrases[i].rarity = 1e-6;
	}
	if (rc == SQLITE_OK)
		return api->xSetAuxdata(fts, s, free_scorer);
	free(s);
	return rc;
}

/* Counts each phrase in the match. *length is raised to the number of words that the
 * match has at least. */
static int
count_phrases(
    const Fts5ExtensionApi *api, Fts5Context *fts, struct scorer *s, double *length)
{
	for (int i = 0; i < s->n; i++) {
		Fts5PhraseIter it;
		int column = -1, offset = -1, rc;
		double n = 0;

		rc = api->xPhraseFirst(fts, i, &it, &column, &offset);
		if (rc != SQLITE_OK)
			return rc;
		for (; column >= 0; api->xPhraseNext(fts, &it, &column, &offset)) {
			n++;
			if (*length <= offset)
				*length = offset + 1;
		}
		s->phrases[i].count = n;
	}
	return SQLITE_OK;
}

/* Returns the score of a match with length words. */
static double
score_fulltext_match(const struct scorer *s, double length)
{
	double norm = K1 * (1 - B + B * length / s->mean_length), sum = 0;

	for (int i = 0; i < s->n; i++) {
		double n = s->phrases[i].count;
		if (n > 0)
			sum += s->phrases[i].rarity * (n * (K1 + 1) / (n + norm));
	}
	return sum;
}

static void
compute_bm25(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *out,
    int n_args, sqlite3_value **args)
{
	const struct ctx_score_floor *floor = n_args == 1 ? sqlite3_value_pointer(
								args[0], POINTER)
							  : NULL;
	struct scorer *s;
	double at_least = 0;
	int length = 0, rc;

	rc = get_scorer(api, fts, &s);
	if (rc == SQLITE_OK)
		rc = count_phrases(api, fts, s, &at_least);
	/* A shorter message scores higher, and the message is not shorter than the end of
	 * its last match. Its real length is in another table, and looking it up is the
	 * greatest part of the cost of scoring. */
	if (rc == SQLITE_OK && floor != NULL && floor->set &&
	    score_fulltext_match(s, at_least) < floor->score) {
		sqlite3_result_null(out);
		return;
	}
	if (rc == SQLITE_OK)
		rc = api->xColumnSize(fts, -1, &length);
	if (rc == SQLITE_OK)
		sqlite3_result_double(out, score_fulltext_match(s, length));
	else
		sqlite3_result_error_code(out, rc);
}

int
ctx_sqlite_fts5(struct ctx_db *db, fts5_api **api, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_new(db, "SELECT fts5(?1)", err);
	int rc;

	*api = NULL;
	sqlite3_bind_pointer(ctx_sqlite_stmt(q), 1, api, "fts5_api_ptr", NULL);
	rc = ctx_stmt_step(db, q, err);
	ctx_stmt_close(q);
	if (rc >= 0 && *api == NULL)
		return ctx_err_set(
		    err, CTX_ESTORE, "'%s': no full-text search", db->path);
	return rc < 0 ? -1 : 0;
}

int
ctx_score_register(struct ctx_db *db, struct ctx_err *err)
{
	fts5_api *api;

	if (db->scores)
		return 0;
	if (ctx_sqlite_fts5(db, &api, err) < 0)
		return -1;
	if (api->xCreateFunction(api, "ctx_bm25", NULL, compute_bm25, NULL) != SQLITE_OK)
		return ctx_sqlite_stmt_fail(db, err, "cannot search");
	db->scores = true;
	return 0;
}

void
ctx_score_bind(struct ctx_stmt *q, int at, const struct ctx_score_floor *floor)
{
	sqlite3_bind_pointer(ctx_sqlite_stmt(q), at, (void *)floor, POINTER, NULL);
}
