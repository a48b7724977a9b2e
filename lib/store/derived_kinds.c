/* The list of kinds of derived data. Add a new kind at the end. */
#include "store/derived.h"
#include "store/fulltext.h"
#include "store/mention.h"
#include "store/row.h"

static int
exec_derived(struct ctx_store *st, const char *sql, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);

	return db == NULL ? -1 : ctx_stmt_exec(db, sql, err);
}

/* ---- caches ---- */

static int
cache_clear(struct ctx_store *st, struct ctx_err *err)
{
	return exec_derived(st, "DELETE FROM cache", err);
}

static const struct ctx_derived_kind cache_kind = {
    .name = "cache",
    .erase =
	(const char *const[]){
	    "DELETE FROM cache WHERE session_no BETWEEN ?1 AND ?2",
	    NULL,
	},
    .clear = cache_clear,
};

/* ---- entities ---- */

static const struct ctx_derived_kind entity_kind = {
    .name = "entity",
    .serves_archived = true,
    .erase =
	(const char *const[]){
	    "DELETE FROM mention WHERE id BETWEEN (?1 << 32) AND (?2 << 32 | 4294967295)",
	    /* rows of seen for entities that only these sessions mention; a negative number
	     * in session_entity is the number of such a row */
	    "DELETE FROM seen "
	    "WHERE no IN ("
	    "SELECT -entity "
	    "FROM session_entity "
	    "WHERE session_no BETWEEN ?1 AND ?2 AND entity < 0) "
	    "AND NOT EXISTS ("
	    "SELECT 1 "
	    "FROM session_entity o "
	    "WHERE o.entity = -seen.no AND o.session_no NOT BETWEEN ?1 AND ?2)",
	    "DELETE FROM session_entity WHERE session_no BETWEEN ?1 AND ?2",
	    "DELETE FROM mark "
	    "WHERE session_no BETWEEN ?1 AND ?2 "
	    "AND kind IN ('entity', '" CTX_MARK_NAMES "')",
	    NULL,
	},
    .clear = ctx_mention_clear,
};

int
ctx_mention_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err)
{
	int64_t ignored = 0;

	return ctx_stmt_each(ctx_store_derived(st, err), entity_kind.erase,
	    CTX_VALUES(ctx_int(first_no), ctx_int(last_no)), &ignored, err);
}

/* ---- token counts ---- */

static int
recount_clear(struct ctx_store *st, struct ctx_err *err)
{
	/* ctx_recount_catch_up needs to know which sessions were counted by which
	 * tokenizer */
	return exec_derived(st,
	    "DELETE FROM recount; "
	    "UPDATE recount_total "
	    "SET seq = 0, tokens = 0",
	    err);
}

static const struct ctx_derived_kind recount_kind = {
    .name = "tokens",
    .erase =
	(const char *const[]){
	    "DELETE FROM recount "
	    "WHERE counter IN (SELECT no FROM counter) "
	    "AND id BETWEEN (?1 << 32) "
	    "AND (?2 << 32 | 4294967295)",
	    "DELETE FROM recount_total "
	    "WHERE counter IN (SELECT no FROM counter) "
	    "AND session_no BETWEEN ?1 AND ?2",
	    NULL,
	},
    .clear = recount_clear,
};

const struct ctx_derived_kind *const ctx_derived_kinds[] = {
    &cache_kind, ctx_fulltext_kind, &entity_kind, &recount_kind, NULL};
