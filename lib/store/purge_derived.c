/* Removes derived rows of sessions. */
#include "store/derived.h"
#include "store/purge.h"
#include "store/row.h"

/* All marks, or those of a kind. */
static int
erase_marks(
    struct ctx_db *db, const char *kind, struct ctx_session_run run, struct ctx_err *err)
{
	return ctx_stmt_do(db,
	    kind == NULL ? "DELETE FROM mark WHERE session_no BETWEEN ?1 AND ?2"
			 : "DELETE FROM mark "
			   "WHERE session_no BETWEEN ?1 AND ?2 AND kind = ?3",
	    CTX_VALUES(ctx_int(run.first), ctx_int(run.last), ctx_str(kind)), err);
}

static int
erase_kind(struct ctx_store *st, struct ctx_db *db, const struct ctx_derived_kind *k,
    const int64_t *no, size_t n, int64_t *rows, struct ctx_err *err)
{
	if (k->erase == NULL && k->erase_all(st, no, n, rows, err) < 0)
		return -1;
	for (size_t i = 0; i < n;) {
		struct ctx_session_run run = ctx_session_run_take(no, n, &i);
		if ((k->erase != NULL &&
			ctx_stmt_each(db, k->erase,
			    CTX_VALUES(ctx_int(run.first), ctx_int(run.last)), rows,
			    err) < 0) ||
		    erase_marks(db, k->name, run, err) < 0)
			return -1;
	}
	return 0;
}

static int
erase_kinds(struct ctx_store *st, struct ctx_db *db, const int64_t *no, size_t n,
    bool keep, struct ctx_removed *removed, struct ctx_err *err)
{
	int rc = 0;

	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds;
	     rc == 0 && *k != NULL; k++)
		if (!keep || !(*k)->serves_archived)
			rc = erase_kind(st, db, *k, no, n, &removed->derived, err);
	/* kinds that this version does not know */
	for (size_t i = 0; rc == 0 && !keep && i < n;)
		rc = erase_marks(db, NULL, ctx_session_run_take(no, n, &i), err);
	return rc;
}

static int
begin_derived_erase(struct ctx_store *st, const int64_t *nos, size_t n, bool keep,
    struct ctx_removed *removed, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	int rc;

	if (db == NULL || ctx_db_begin(db, err) < 0)
		return -1;
	rc = erase_kinds(st, db, nos, n, keep, removed, err);
	if (rc < 0)
		ctx_db_rollback(db);
	return rc;
}

int
ctx_derived_erase(struct ctx_store *st, int64_t *nos, size_t n, bool keep,
    struct ctx_removed *removed, struct ctx_err *err)
{
	int rc;

	if (n == 0 || !ctx_derived_exists(st))
		return 0;
	ctx_session_nos_sort(nos, n);
	rc = begin_derived_erase(st, nos, n, keep, removed, err);
	if (rc == 0)
		rc = keep ? ctx_db_commit(st->derived, err)
			  : ctx_db_commit_smaller(st->derived, &removed->bytes, err);
	ctx_derived_rollback(st);
	return rc;
}

int
ctx_derived_erase_begin(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err)
{
	if (ctx_db_is_whole(&st->db) || !ctx_derived_exists(st))
		return 0;
	return begin_derived_erase(st, &s->no, 1, false, removed, err) < 0 ? -1 : 1;
}
