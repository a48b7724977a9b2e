/* The numbers of words of each row and of all rows, which FTS5 uses for ranking. */
#include "store/engine_sqlite_segment.h"
#include "store/row.h"

#include <stdlib.h>

#include "base/mem.h"

static int
take_totals(
    struct ctx_segments *all, const struct ctx_fulltext_sizes *less, struct ctx_err *err)
{
	struct ctx_fulltext_sizes now;
	int rc = ctx_segments_totals(all, &now, err);

	if (rc <= 0 || now.rows < less->rows || now.words < less->words)
		return rc < 0 ? -1 : 0;
	now.rows -= less->rows;
	now.words -= less->words;
	return ctx_segments_set_totals(all, &now, err) < 0 ? -1 : 1;
}

int
ctx_fulltext_take_sizes(struct ctx_segments *all, const int64_t *sessions, size_t n,
    struct ctx_fulltext_sizes *sum, struct ctx_err *err)
{
	for (size_t i = 0; i < n;) {
		struct ctx_session_run run = ctx_session_run_take(sessions, n, &i);
		struct ctx_value range[] = {CTX_RUN_ROWS(run)};
		struct ctx_row r = ctx_rows(all->db, "fulltext_docsize",
		    "SELECT sz FROM fulltext_docsize WHERE id BETWEEN ?1 AND ?2", range,
		    2, err);
		while (ctx_rows_next(&r)) {
			struct ctx_span size = ctx_stmt_bytes(r.q, 0);
			uint64_t v;
			if (ctx_varint_get((const unsigned char *)size.p, size.n, &v) > 0)
				sum->words += (int64_t)v;
			sum->rows++;
		}
		if (ctx_rows_end(&r) < 0 ||
		    ctx_stmt_do(all->db,
			"DELETE FROM fulltext_docsize WHERE id BETWEEN ?1 AND ?2", range,
			2, err) < 0)
			return -1;
	}
	return take_totals(all, sum, err);
}

int
ctx_fulltext_has_others(struct ctx_db *db, const int64_t *sessions, size_t n,
    int64_t *rows, struct ctx_err *err)
{
	struct ctx_fulltext_sizes all = {0, 0};
	struct ctx_segments segments;
	int64_t more;
	int rc = 1;

	*rows = 0;
	for (size_t i = 0; rc >= 0 && i < n; *rows += more) {
		struct ctx_session_run run = ctx_session_run_take(sessions, n, &i);
		rc = ctx_stmt_ints(db,
		    "SELECT count(*) FROM fulltext_docsize WHERE id BETWEEN ?1 AND ?2",
		    CTX_VALUES(CTX_RUN_ROWS(run)), &more, 1, err);
	}
	if (rc < 0)
		return -1;
	rc = ctx_segments_open(&segments, db, err);
	if (rc == 1)
		rc = ctx_segments_totals(&segments, &all, err);
	ctx_segments_close(&segments);
	return rc < 0 ? -1 : rc == 0 || all.rows != *rows;
}

/* ---- where rows are ---- */

/* Lists the segments from the oldest rows to the newest: higher levels are older, and within a
 * level they are in the order of their age. */
static void
list_by_age(const struct ctx_segments *s, size_t *order)
{
	size_t n = 0;

	for (size_t level = s->levels; level-- > 0;)
		for (size_t i = 0; i < s->n; i++)
			if (s->v[i].level == level)
				order[n++] = i;
}

/* Sessions are indexed about in the order of their numbers: a session is about where as many
 * pages are before it as its number says. */
int
ctx_segments_order(
    struct ctx_segments *s, int64_t session_no, size_t *order, struct ctx_err *err)
{
	size_t *by_age = ctx_mem_new((s->n + 1) * sizeof(*by_age)), at = 0, n = 0;
	int64_t last = 0, pages = 0, before = 0;

	list_by_age(s, by_age);
	for (size_t i = 0; i < s->n; i++)
		pages += s->v[i].last - s->v[i].first + 1;
	if (ctx_stmt_number(
		s->db, "SELECT max(id) >> 32 FROM fulltext_docsize", &last, err) < 0) {
		free(by_age);
		return -1;
	}
	for (; at + 1 < s->n; at++) {
		before += s->v[by_age[at]].last - s->v[by_age[at]].first + 1;
		if ((double)before * (double)last >= (double)pages * (double)session_no)
			break;
	}
	/* that one, then those around it */
	for (size_t d = 0; n < s->n; d++) {
		if (at + d < s->n)
			order[n++] = by_age[at + d];
		if (d > 0 && d <= at)
			order[n++] = by_age[at - d];
	}
	free(by_age);
	return 0;
}
