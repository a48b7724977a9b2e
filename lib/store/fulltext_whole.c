/* Finds archived sessions that searches miss. The kept texts of a cleaned-up session can
 * be lost with the derived file; only its archive has them then. */
#include <string.h>

#include "base/mem.h"
#include "store/fulltext.h"
#include "store/rows.h"

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

struct looking {
	struct ctx_store *st;
	const struct ctx_fulltext_options *o;
	/* number of missing sessions in all, and of those that are to be searched */
	int64_t missing, seen;
};

static int
look_at_session(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct looking *l = arg;
	struct ctx_session s = {
	    .no = ctx_stmt_int64(q, 0), .last_seq = ctx_stmt_int64(q, 1)};
	struct ctx_span tenant = ctx_stmt_span(q, 2);
	int rc = ctx_fulltext_keeps(l->st, &s, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	l->missing++;
	l->seen += is_session_listed(l->o, s.no) &&
		   (l->st->tenant == NULL || ctx_span_is(tenant, l->st->tenant));
	return 0;
}

static int
note_whole(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_session none = {.no = 0};
	int rc = ctx_derived_begin(st, err);

	if (rc == 0)
		rc = ctx_derived_set_mark(st, WHOLE, &none, 1, err);
	return ctx_derived_end(st, rc, err);
}

int
ctx_fulltext_missing(struct ctx_store *st, const struct ctx_fulltext_options *o,
    int64_t *n, struct ctx_err *err)
{
	struct ctx_session none = {.no = 0};
	struct looking l = {.st = st, .o = o};
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t whole;

	*n = 0;
	if (ctx_derived_mark(st, WHOLE, &none, &whole, err) < 0)
		return -1;
	if (whole > 0)
		return 0;
	if (ctx_stmt_rows(&st->db,
		"SELECT no, last_seq, tenant_id "
		"FROM session "
		"WHERE status = 1 "
		"AND last_seq > 0 "
		"AND archive LIKE '%\"cleaned\":true%' "
		"AND archive NOT LIKE '%\"forgotten\":true%'",
		NULL, 0, look_at_session, &l, err) < 0)
		return -1;
	*n = l.seen;
	if (l.missing == 0)
		/* if this fails, the next call examines the sessions again */
		note_whole(st, &ignored);
	return 0;
}

void
ctx_fulltext_not_whole(struct ctx_store *st)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	ctx_stmt_do(ctx_store_derived(st, &ignored),
	    "DELETE FROM mark WHERE session_no = 0 AND kind = '" WHOLE "'", NULL, 0,
	    &ignored);
}
