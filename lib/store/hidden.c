/* Pinned messages, which windows always contain, and hidden ranges, which they never
 * contain. */
#include "store/row.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"

int
ctx_store_pins(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, int64_t **seqs, size_t *n, struct ctx_err *err)
{
	static const struct ctx_whole what = {"pin", "id", 0, CTX_SEQ_MAX};
	struct ctx_numbers list = {NULL, 0, 0};
	int rc = 0;

	if (s->has_pins)
		rc = ctx_stmt_list(&st->db,
		    "SELECT id & 4294967295 "
		    "FROM pin "
		    "WHERE id BETWEEN ?1 AND ?2 "
		    "ORDER BY id",
		    CTX_VALUES(CTX_SEQ_ROWS(s, first, last)), what, &list, err);
	*seqs = list.v;
	*n = list.n;
	return rc;
}

int
ctx_store_hidden(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_seq_range **ranges, size_t *n, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "hidden",
	    "SELECT first_id, last_id "
	    "FROM hidden "
	    "WHERE first_id BETWEEN ?1 AND ?2 "
	    "ORDER BY first_id",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), err);
	size_t cap = 0;

	*ranges = NULL;
	*n = 0;
	while (ctx_rows_next(&r)) {
		CTX_MEM_GROW(*ranges, *n, cap);
		int64_t first = ctx_row_of(&r, 0, "first_id", s->no);
		int64_t end = ctx_row_of(&r, 1, "last_id", s->no);
		if (end < first)
			ctx_row_refuse(&r, "last_id");
		(*ranges)[(*n)++] = (struct ctx_seq_range){first, end};
	}
	if (ctx_rows_end(&r) == 0)
		return 0;
	free(*ranges);
	*ranges = NULL;
	*n = 0;
	return -1;
}

int
ctx_store_hide(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_seq_range *ranges, size_t n, int64_t event, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = ctx_stmt_do(&st->db,
		    "INSERT INTO hidden (first_id, last_id, event) VALUES (?1, ?2, ?3)",
		    CTX_VALUES(
			CTX_SEQ_ROWS(s, ranges[i].first, ranges[i].last), ctx_int(event)),
		    err);
		s->hidden_count += ranges[i].last - ranges[i].first + 1;
	}
	return rc;
}

int
ctx_store_hidden_last(struct ctx_store *st, const struct ctx_session *s, int64_t *event,
    int64_t *messages, struct ctx_err *err)
{
	int64_t out[2];
	int rc = ctx_stmt_ints(&st->db,
	    "SELECT event, sum(last_id - first_id + 1) "
	    "FROM hidden "
	    "WHERE first_id BETWEEN ?1 AND ?2 "
	    "GROUP BY event "
	    "ORDER BY event DESC "
	    "LIMIT 1",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), out, 2, err);

	*event = out[0];
	*messages = out[1];
	return rc;
}

int
ctx_store_unhide(
    struct ctx_store *st, const struct ctx_session *s, int64_t event, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "DELETE FROM hidden WHERE first_id BETWEEN ?1 AND ?2 AND event = ?3",
	    CTX_VALUES(CTX_SESSION_ROWS(s), ctx_int(event)), err);
}

size_t
ctx_seq_range_from(const struct ctx_seq_range *ranges, size_t n, int64_t seq)
{
	size_t i;

	CTX_BOUND(i, n, ranges[i].last < seq);
	return i;
}

const struct ctx_seq_range *
ctx_seq_range_at(const struct ctx_seq_range *ranges, size_t n, int64_t seq)
{
	size_t i = ctx_seq_range_from(ranges, n, seq);

	return i < n && ranges[i].first <= seq ? &ranges[i] : NULL;
}

bool
ctx_seq_among(const int64_t *seqs, size_t n, int64_t seq)
{
	return n > 0 && bsearch(&seq, seqs, n, sizeof(*seqs), ctx_compare_int64) != NULL;
}
