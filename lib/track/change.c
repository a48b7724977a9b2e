#include "track/change.h"

#include "entity/fold.h"
#include "track/load.h"

static int
number_of(struct ctx_store *st, const char *tenant, struct ctx_named who, int64_t *no,
    struct ctx_err *err)
{
	return ctx_entity_named(st, tenant, who.type, who.name, no, err);
}

static int
finish(struct ctx_store *st, int rc, struct ctx_err *err)
{
	if (rc == 0)
		rc = ctx_store_commit(st, err);
	ctx_store_rollback(st);
	return rc;
}

int
ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err)
{
	int64_t other = 0;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = number_of(st, tenant, from, no, err);
	if (rc == 0)
		rc = number_of(st, tenant, to, &other, err);
	if (rc == 0 && (remove ? ctx_entity_unrelate : ctx_entity_relate)(
			   st, *no, relation, other, err) < 0)
		rc = -1;
	return finish(st, rc, err);
}

int
ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, int64_t *no, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = number_of(st, tenant, who, no, err);
	for (int i = 0; rc == 0 && i < n; i++) {
		struct ctx_span alias = ctx_span_of(aliases[i]);
		ctx_buf_reset(&key);
		ctx_fold_text(alias, &key);
		if (key.n == 0)
			rc = ctx_err_set(err, CTX_EUSAGE, "an empty alias");
		else if (ctx_entity_alias(st, *no, ctx_buf_span(&key), alias, err) < 0)
			rc = -1;
	}
	ctx_buf_release(&key);
	return finish(st, rc, err);
}

int
ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err)
{
	int64_t other = 0;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = number_of(st, tenant, from, &other, err);
	if (rc == 0)
		rc = number_of(st, tenant, into, no, err);
	if (rc == 0 && other == *no)
		rc = ctx_err_set(err, CTX_EANSWER, "'%s' and '%s' are one entity",
		    from.name, into.name);
	if (rc == 0)
		rc = ctx_entity_merge(st, other, *no, err);
	return finish(st, rc, err);
}
