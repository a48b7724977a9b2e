/* Finds archived sessions that searches miss. The kept texts of a cleaned-up session can
 * be lost with the derived file; only its archive has them then. */
#include <string.h>

#include "base/mem.h"
#include "store/fulltext.h"
#include "store/row.h"

/* Kind of the mark, with session number 0, which says that no session was missing when
 * all were examined. */
#define WHOLE "fulltext-whole"

static bool
is_session_listed(const struct ctx_fulltext_options *o, int64_t no)
{
	for (size_t i = 0; i < o->n_sessions; i++)
		if (o->sessions[i] == no)
			return true;
	return o->sessions == NULL;
}

static int
note_whole(struct ctx_store *st, struct ctx_err *err)
{
	return ctx_derived_begin(st, err) < 0
		   ? -1
		   : ctx_derived_end(st, ctx_derived_set_mark(st, WHOLE, 0, 1, err), err);
}

int
ctx_fulltext_missing(struct ctx_store *st, const struct ctx_fulltext_options *o,
    int64_t *n, struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_row r;
	int64_t whole, missing = 0;
	int rc;

	*n = 0;
	if (ctx_derived_mark(st, WHOLE, 0, &whole, err) < 0)
		return -1;
	if (whole > 0)
		return 0;
	r = ctx_rows(&st->db, "session",
	    "SELECT no, last_seq, tenant_id "
	    "FROM session "
	    "WHERE status = 1 "
	    "AND last_seq > 0 "
	    "AND archive LIKE '%\"cleaned\":true%' "
	    "AND archive NOT LIKE '%\"forgotten\":true%'",
	    NULL, 0, err);
	while (ctx_rows_next(&r)) {
		struct ctx_session s = {
		    .no = ctx_stmt_int64(r.q, 0), .last_seq = ctx_stmt_int64(r.q, 1)};
		int kept = ctx_fulltext_keeps(st, &s, err);
		r.rc = kept < 0 ? -1 : 0;
		missing += kept == 0;
		*n += kept == 0 && is_session_listed(o, s.no) &&
		      (st->tenant == NULL ||
			  ctx_span_is(ctx_stmt_span(r.q, 2), st->tenant));
	}
	rc = ctx_rows_end(&r);
	if (rc == 0 && missing == 0)
		/* if this fails, the next call examines the sessions again */
		note_whole(st, &ignored);
	return rc;
}

void
ctx_fulltext_not_whole(struct ctx_store *st)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	ctx_stmt_do(ctx_store_derived(st, &ignored),
	    "DELETE FROM mark WHERE session_no = 0 AND kind = '" WHOLE "'", NULL, 0,
	    &ignored);
}
