/* Names of known entities, and patterns that find other entities. */
#include "store/entity.h"
#include "store/row.h"

int
ctx_entity_names(struct ctx_store *st, const char *tenant, ctx_entity_name_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity",
	    "SELECT name, type, id "
	    "FROM entity "
	    "WHERE tenant_id = ?1 "
	    "UNION ALL SELECT a.alias, NULL, a.entity_id "
	    "FROM entity_alias a "
	    "JOIN entity e ON e.id = a.entity_id "
	    "WHERE e.tenant_id = ?1",
	    CTX_VALUES(ctx_str(tenant)), err);

	while (ctx_rows_next(&r))
		fn(arg, ctx_stmt_span(r.q, 0), ctx_stmt_span(r.q, 1),
		    ctx_stmt_int64(r.q, 2));
	return ctx_rows_end(&r);
}

static int
change_pattern(struct ctx_store *st, const char *sql, const char *tenant,
    struct ctx_span type, struct ctx_span pattern, struct ctx_err *err)
{
	int n = ctx_stmt_change(&st->db, sql,
	    CTX_VALUES(ctx_str(tenant), ctx_text(type), ctx_text(pattern)), err);

	return n > 0 && ctx_entity_bump(st, tenant, true, err) < 0 ? -1 : n;
}

int
ctx_entity_pattern_put(struct ctx_store *st, const char *tenant, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err)
{
	if (ctx_db_make_catalog(&st->db, err) < 0)
		return -1;
	return change_pattern(st,
	    "INSERT INTO entity_pattern (tenant_id, type, pattern) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT DO NOTHING",
	    tenant, type, pattern, err);
}

int
ctx_entity_pattern_remove(struct ctx_store *st, const char *tenant, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err)
{
	return change_pattern(st,
	    "DELETE FROM entity_pattern "
	    "WHERE tenant_id = ?1 AND type = ?2 AND pattern = ?3",
	    tenant, type, pattern, err);
}

int
ctx_entity_patterns(struct ctx_store *st, const char *tenant, ctx_entity_pattern_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity_pattern",
	    "SELECT type, pattern "
	    "FROM entity_pattern "
	    "WHERE tenant_id = ?1 "
	    "ORDER BY type, pattern",
	    CTX_VALUES(ctx_str(tenant)), err);

	while (ctx_rows_next(&r))
		r.rc = fn(arg, ctx_stmt_span(r.q, 0), ctx_stmt_span(r.q, 1), err);
	return ctx_rows_end(&r);
}
