/* The list of kinds of derived data. Add a new kind at the end. */
#include "store/derived.h"
#include "store/fulltext.h"
#include "store/mention.h"
#include "store/recount.h"
#include "store/rows.h"

/* ---- caches ---- */

static int
cache_erase(struct ctx_store *st, int64_t first_no, int64_t last_no, int64_t *rows,
    struct ctx_err *err)
{
	int n = ctx_stmt_change(ctx_store_derived(st, err),
	    "DELETE FROM cache WHERE session_no BETWEEN ?1 AND ?2",
	    CTX_VALUES(ctx_int(first_no), ctx_int(last_no)), err);

	*rows += n > 0 ? n : 0;
	return n < 0 ? -1 : 0;
}

static int
cache_clear(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);

	return db == NULL ? -1 : ctx_stmt_exec(db, "DELETE FROM cache", err);
}

static const struct ctx_derived_kind cache_kind = {
    .name = "cache",
    .erase = cache_erase,
    .clear = cache_clear,
};

/* ---- entities ---- */

static int
entity_erase(struct ctx_store *st, int64_t first_no, int64_t last_no, int64_t *rows,
    struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	int64_t before;
	int rc;

	if (db == NULL)
		return -1;
	before = ctx_db_total_changes(db);
	rc = ctx_mention_forget(st, first_no, last_no, err);
	*rows += ctx_db_total_changes(db) - before;
	return rc;
}

static const struct ctx_derived_kind entity_kind = {
    .name = "entity",
    .serves_archived = true,
    .erase = entity_erase,
    .clear = ctx_mention_clear,
};

/* ---- token counts ---- */

static const struct ctx_derived_kind recount_kind = {
    .name = "tokens",
    .erase = ctx_recount_erase,
    .clear = ctx_recount_clear,
};

const struct ctx_derived_kind *const ctx_derived_kinds[] = {
    &cache_kind, ctx_fulltext_kind, &entity_kind, &recount_kind, NULL};
