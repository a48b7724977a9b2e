#include "store/entity.h"

#include "store/link.h"
#include "store/rows.h"

int
ctx_entity_remove(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err)
{
	static const char *const steps[] = {
	    "DELETE FROM entity_alias WHERE entity_id = ?1",
	    "DELETE FROM entity_relation WHERE entity_id = ?1 OR target_id = ?1",
	    "UPDATE entity SET parent_id = NULL WHERE parent_id = ?1",
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
	/* while the entity's row, which names the tenant, still exists */
	if (ctx_entity_count_change(st, no, true, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (ctx_stmt_change(&st->db, steps[i], CTX_VALUES(ctx_int(no)), err) < 0)
			return -1;
	return ctx_link_move(st, no, 0, err) < 0 ? -1 : 1;
}

int
ctx_entity_unalias(
    struct ctx_store *st, int64_t no, struct ctx_span key, struct ctx_err *err)
{
	int n = ctx_stmt_change(&st->db,
	    "DELETE FROM entity_alias WHERE entity_id = ?1 AND key = ?2",
	    CTX_VALUES(ctx_int(no), ctx_text(key)), err);

	return n > 0 && ctx_entity_count_change(st, no, true, err) < 0 ? -1 : n;
}

int
ctx_entity_reset(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "UPDATE entity "
	    "SET external_id = NULL, slug = NULL, action = NULL, data = NULL, "
	    "data_expires_at = NULL "
	    "WHERE tenant_id = ?1 AND type = ?2 AND key = ?3",
	    CTX_VALUES(ctx_str(tenant), ctx_str(type), ctx_text(key)), err);
}

int
ctx_entity_detach(struct ctx_store *st, int64_t no, struct ctx_err *err)
{
	int parent = ctx_stmt_change(&st->db,
	    "UPDATE entity SET parent_id = NULL WHERE id = ?1 AND parent_id IS NOT NULL",
	    CTX_VALUES(ctx_int(no)), err);
	int relations = parent < 0
			    ? -1
			    : ctx_stmt_change(&st->db,
				  "DELETE FROM entity_relation WHERE entity_id = ?1",
				  CTX_VALUES(ctx_int(no)), err);

	if (relations < 0)
		return -1;
	return parent + relations > 0 ? ctx_entity_count_change(st, no, false, err) : 0;
}
