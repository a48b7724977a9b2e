#include "store/entity.h"
#include "store/rows.h"

/* Who has loaded the tenant's names loads them anew. */
static const char changed[] =
    "UPDATE entity_change SET generation = generation + 1, revision = revision + 1 "
    "WHERE tenant_id = (SELECT tenant_id FROM entity WHERE id = ?1)";

int
ctx_entity_remove(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err)
{
	/* the last but one while it still tells the tenant */
	static const char *const steps[] = {
	    "DELETE FROM entity_alias WHERE entity_id = ?1",
	    "DELETE FROM entity_relation WHERE entity_id = ?1 OR target_id = ?1",
	    "UPDATE entity SET parent_id = NULL WHERE parent_id = ?1",
	    changed,
	    "DELETE FROM entity WHERE id = ?1",
	};
	int64_t no = 0;

	if (ctx_db_make_catalog(&st->db, err) < 0 ||
	    ctx_stmt_ints(&st->db,
		"SELECT id FROM entity WHERE tenant_id = ?1 AND type = ?2 AND key = ?3",
		CTX_VALUES(ctx_str(tenant), ctx_str(type), ctx_text(key)), &no, 1,
		err) < 0)
		return -1;
	if (no == 0)
		return 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (ctx_stmt_change(&st->db, steps[i], CTX_VALUES(ctx_int(no)), err) < 0)
			return -1;
	return 1;
}

int
ctx_entity_unalias(
    struct ctx_store *st, int64_t no, struct ctx_span key, struct ctx_err *err)
{
	int n = ctx_stmt_change(&st->db,
	    "DELETE FROM entity_alias WHERE entity_id = ?1 AND key = ?2",
	    CTX_VALUES(ctx_int(no), ctx_text(key)), err);

	if (n > 0 && ctx_stmt_change(&st->db, changed, CTX_VALUES(ctx_int(no)), err) < 0)
		return -1;
	return n;
}
