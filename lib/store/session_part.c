#include "store/rows.h"
#include "store/stmt.h"

#include <stdlib.h>

int
ctx_store_session_part(
    struct ctx_store *st, const char *part, char *ids[], int max, struct ctx_err *err)
{
	static const char sql[] = "SELECT DISTINCT session_id "
				  "FROM session "
				  "WHERE (?1 IS NULL OR tenant_id = ?1) "
				  "AND length(?2) >= 4 "
				  "AND (substr(session_id, 1, length(?2)) = ?2 "
				  "OR substr(session_id, -length(?2)) = ?2) "
				  "ORDER BY session_id "
				  "LIMIT ?3";
	struct ctx_stmt *q = ctx_stmt_new(&st->db, sql, err);
	int n = 0, rc = -1;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_str(q, 1, st->tenant);
	ctx_stmt_bind_str(q, 2, part);
	ctx_stmt_bind_int64(q, 3, max);
	while (n < max && (rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		ids[n] = ctx_stmt_str(q, 0);
		n += ids[n] != NULL;
	}
	ctx_stmt_close(q);
	return rc < 0 ? -1 : n;
}

int
ctx_store_session_ids(struct ctx_store *st, void (*fn)(void *arg, const char *session_id),
    void *arg, struct ctx_err *err)
{
	static const char sql[] = "SELECT DISTINCT session_id "
				  "FROM session "
				  "WHERE ?1 IS NULL OR tenant_id = ?1";
	struct ctx_stmt *q = ctx_stmt_new(&st->db, sql, err);
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_str(q, 1, st->tenant);
	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		char *id = ctx_stmt_str(q, 0);
		if (id != NULL)
			fn(arg, id);
		free(id);
	}
	ctx_stmt_close(q);
	return rc < 0 ? -1 : 0;
}

int
ctx_store_session_last(struct ctx_store *st, int64_t *no, struct ctx_err *err)
{
	int rc = ctx_stmt_ints(
	    &st->db, "SELECT coalesce(max(no), 0) FROM session", NULL, 0, no, 1, err);

	return rc < 0 ? -1 : 0;
}
