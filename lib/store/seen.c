/* Things that messages mention and that are not known entities. */
#include <stdlib.h>

#include "store/mention.h"
#include "store/row.h"
#include "store/rows.h"

/* The column seen.no; its negative is the number of the thing as an entity. */
static const struct ctx_whole seen = {"seen", "no", 1, INT64_MAX};

int
ctx_seen_find(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    int64_t *no, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_stmt *q;
	int rc;

	if (db == NULL)
		return -1;
	q = ctx_stmt_kept(db, CTX_STMT_SEEN_FIND,
	    "SELECT no FROM seen WHERE type = ?1 AND name = ?2", err);
	if (q == NULL)
		return -1;
	ctx_stmt_bind(q, CTX_VALUES(ctx_text(type), ctx_text(name)));
	rc = ctx_stmt_step(db, q, err);
	if (rc == 1) {
		struct ctx_row r = {db, q, seen.table, err, false};
		*no = -ctx_row_whole(&r, 0, seen.name, seen.least, seen.most);
		rc = ctx_row_end(&r) < 0 ? -1 : 1;
	}
	ctx_stmt_reset(q);
	return rc;
}

int
ctx_seen_called(struct ctx_store *st, struct ctx_span name, struct ctx_span exact,
    int64_t **nos, size_t *n, struct ctx_err *err)
{
	/* one type after the other, because the index begins with the type */
	static const char sql[] =
	    "WITH RECURSIVE t (type) AS ("
	    "SELECT min(type) "
	    "FROM seen "
	    "UNION ALL SELECT (SELECT min(type) FROM seen WHERE type > t.type) "
	    "FROM t "
	    "WHERE t.type IS NOT NULL) "
	    "SELECT no "
	    "FROM t "
	    "JOIN seen ON seen.type = t.type AND seen.name IN (?1, ?2)";
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_numbers l = {NULL, 0, 0};
	int rc = ctx_stmt_list(
	    db, sql, CTX_VALUES(ctx_text(name), ctx_text(exact)), seen, &l, err);

	for (size_t i = 0; i < l.n; i++)
		l.v[i] = -l.v[i];
	*nos = l.v;
	*n = l.n;
	return rc < 0 ? -1 : 0;
}

int
ctx_seen_number(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    struct ctx_span spelling, int64_t *no, struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO seen (type, name, spelling) VALUES (?1, ?2, ?3) RETURNING no";
	int rc = ctx_seen_find(st, type, name, no, err);
	struct ctx_stmt *q;

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	q = ctx_stmt_kept(st->derived, CTX_STMT_SEEN_ADD, sql, err);
	if (q == NULL)
		return -1;
	if (ctx_span_eq(name, spelling))
		spelling = CTX_SPAN_NONE;
	ctx_stmt_bind(q, CTX_VALUES(ctx_text(type), ctx_text(name), ctx_text(spelling)));
	rc = ctx_stmt_insert(st->derived, q, no, err);
	*no = -*no;
	return rc;
}

int
ctx_seen_get(
    struct ctx_store *st, int64_t no, char **type, char **name, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_stmt *q;
	int rc;

	if (db == NULL)
		return -1;
	q = ctx_stmt_kept(db, CTX_STMT_SEEN_GET,
	    "SELECT type, coalesce(spelling, name) FROM seen WHERE no = ?1", err);
	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, -no);
	rc = ctx_stmt_step(db, q, err);
	if (rc == 1) {
		struct ctx_row r = {db, q, seen.table, err, false};
		*type = ctx_row_given(&r, 0, "type");
		*name = ctx_row_given(&r, 1, "name");
		rc = ctx_row_end(&r) < 0 ? -1 : 1;
	}
	ctx_stmt_reset(q);
	return rc;
}
