#include "store/engine_pg.h"
int
ctx_pg_index_add(struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err)
{
	(void)db;
	(void)id;
	(void)text;
	(void)err;
	return 0;
}
int
ctx_pg_index_clear(struct ctx_db *db, struct ctx_err *err)
{
	(void)db;
	(void)err;
	return 0;
}
int
ctx_pg_index_erase(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, struct ctx_err *err)
{
	(void)db;
	(void)sessions;
	(void)n;
	(void)rows;
	(void)err;
	return 1;
}
int
ctx_pg_index_scrub(struct ctx_db *db, bool again, struct ctx_err *err)
{
	(void)db;
	(void)again;
	(void)err;
	return 0;
}
int
ctx_pg_index_search(struct ctx_db *db, const struct ctx_index_query *query,
    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err)
{
	(void)db;
	(void)query;
	(void)fn;
	(void)arg;
	(void)err;
	return 0;
}
int
ctx_pg_index_count(struct ctx_db *db, const struct ctx_index_query *query, int64_t max,
    int64_t *n, struct ctx_err *err)
{
	(void)db;
	(void)query;
	(void)max;
	(void)err;
	*n = 0;
	return 0;
}
