/* Pinned messages, which windows always contain, and hidden ranges, which they never
 * contain. */
#include "store/row.h"
#include "store/rows.h"
#include "store/stmt.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"

int
ctx_store_pins(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, int64_t **seqs, size_t *n, struct ctx_err *err)
{
	struct ctx_stmt *q;
	size_t cap = 0;
	int rc;

	*seqs = NULL;
	*n = 0;
	if (!s->has_pins)
		return 0;
	q = ctx_stmt_range(st,
	    "SELECT id FROM pin WHERE id BETWEEN ?1 AND ?2 ORDER BY id", s, first, last,
	    err);
	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		CTX_MEM_GROW(*seqs, *n, cap);
		(*seqs)[(*n)++] = ctx_row_seq(ctx_stmt_int64(q, 0));
	}
	ctx_stmt_free(&st->db, q);
	if (rc < 0) {
		free(*seqs);
		*seqs = NULL;
		*n = 0;
	}
	return rc;
}

int
ctx_store_hidden(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_seq_range **ranges, size_t *n, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_range(st,
	    "SELECT first_id, last_id "
	    "FROM hidden "
	    "WHERE first_id BETWEEN ?1 AND ?2 "
	    "ORDER BY first_id",
	    s, 0, CTX_SEQ_MAX, err);
	size_t cap = 0;
	int rc;

	*ranges = NULL;
	*n = 0;
	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		CTX_MEM_GROW(*ranges, *n, cap);
		struct ctx_row r = {&st->db, q, "hidden", err, false};
		int64_t first = ctx_row_of(&r, 0, "first_id", s->no);
		int64_t end = ctx_row_of(&r, 1, "last_id", s->no);
		if (end < first)
			ctx_row_refuse(&r, "last_id");
		(*ranges)[(*n)++] = (struct ctx_seq_range){first, end};
		if (ctx_row_end(&r) < 0) {
			rc = -1;
			break;
		}
	}
	ctx_stmt_free(&st->db, q);
	if (rc < 0) {
		free(*ranges);
		*ranges = NULL;
		*n = 0;
	}
	return rc;
}

int
ctx_store_hide(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_seq_range *ranges, size_t n, int64_t event, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_new(&st->db,
	    "INSERT INTO hidden (first_id, last_id, event) VALUES (?1, ?2, ?3)", err);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		ctx_stmt_bind_int(q, 1, ctx_row_id(s->no, ranges[i].first));
		ctx_stmt_bind_int(q, 2, ctx_row_id(s->no, ranges[i].last));
		ctx_stmt_bind_int(q, 3, event);
		rc = ctx_stmt_run(&st->db, q, err);
		s->hidden_count += ranges[i].last - ranges[i].first + 1;
	}
	ctx_stmt_free(&st->db, q);
	return rc;
}

int
ctx_store_hidden_last(struct ctx_store *st, const struct ctx_session *s, int64_t *event,
    int64_t *messages, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_range(st,
	    "SELECT event, sum(last_id - first_id + 1) "
	    "FROM hidden "
	    "WHERE first_id BETWEEN ?1 AND ?2 "
	    "GROUP BY event "
	    "ORDER BY event DESC "
	    "LIMIT 1",
	    s, 0, CTX_SEQ_MAX, err);
	int rc = ctx_stmt_step(&st->db, q, err);

	if (rc == 1) {
		*event = ctx_stmt_int64(q, 0);
		*messages = ctx_stmt_int64(q, 1);
	}
	ctx_stmt_free(&st->db, q);
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
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;
		if (ranges[mid].last < seq)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
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
