#include "track/change.h"

#include <string.h>

#include "base/utf8.h"
#include "entity/fold.h"
#include "track/load.h"

static int
number_of(struct ctx_store *st, const char *tenant, struct ctx_named who, int64_t *no,
    struct ctx_err *err)
{
	return ctx_entity_named(st, tenant, who.type, who.name, no, err);
}

/* What may be given to an entity, as ctx_loader_add has it. */
static int
check_new(const char *text, const char *what, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	size_t n = strlen(text);
	bool fine = n <= CTX_ENTITY_NAME_MAX && ctx_utf8_valid(text, n) == n;

	if (fine)
		ctx_fold_text(ctx_span_of(text), &key);
	fine &= key.n > 0;
	ctx_buf_release(&key);
	return fine ? 0
		    : ctx_err_set(err, CTX_EUSAGE, "%s must be text of 1 to %d bytes",
			  what, CTX_ENTITY_NAME_MAX);
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
	int rc;

	if (!remove && check_new(relation, "a relation", err) < 0)
		return -1;
	rc = ctx_store_begin(st, err);
	if (rc == 0)
		rc = number_of(st, tenant, from, no, err);
	if (rc == 0)
		rc = number_of(st, tenant, to, &other, err);
	if (rc == 0 && (remove ? ctx_entity_unrelate : ctx_entity_relate)(
			   st, *no, relation, other, err) < 0)
		rc = -1;
	return finish(st, rc, err);
}

static int
change_alias(struct ctx_store *st, int64_t no, struct ctx_span key, const char *alias,
    bool remove, struct ctx_err *err)
{
	int rc;

	if (!remove)
		return check_new(alias, "an alias", err) < 0 ||
			       ctx_entity_alias(st, no, key, ctx_span_of(alias), err) < 0
			   ? -1
			   : 0;
	rc = ctx_entity_unalias(st, no, key, err);
	if (rc == 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "'%s' is no alias that was given", alias);
	return rc < 0 ? -1 : 0;
}

int
ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = number_of(st, tenant, who, no, err);
	for (int i = 0; rc == 0 && i < n; i++) {
		ctx_buf_reset(&key);
		ctx_fold_text(ctx_span_of(aliases[i]), &key);
		rc = change_alias(st, *no, ctx_buf_span(&key), aliases[i], remove, err);
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
