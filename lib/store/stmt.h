/* Private to the store: the store over its engine (store/engine.h). */
#ifndef CTX_STORE_STMT_H
#define CTX_STORE_STMT_H

#include "store/engine.h"

struct ctx_store {
	struct ctx_db db;
	struct ctx_db *derived; /* opened on first use; NULL before */
	bool lent[CTX_STMT_N];  /* kept statements that a cursor reads from */
	void (*progress)(int64_t more, const char *what, double part); /* or NULL */
	char *tenant;
	char **tokenizers; /* by number; [0] and [1] are the built-in ones */
	size_t n_tokenizers;
};

/* The file of derived tables beside the store, "PATH-derived", made when it is missing
 * and made anew when it is damaged or of another version: nothing in it is the only copy.
 * NULL on failure. It belongs to the store. */
struct ctx_db *ctx_store_derived(struct ctx_store *st, struct ctx_err *err);

/* Give the database, a copy of a store, an identity of its own (store/owner.h): a
 * ctx_db_mark_fn; id is the text. */
int ctx_owner_mark_copy(void *id, struct ctx_db *copy, struct ctx_err *err);

/* Prepare with the ids of the session's rows first to last as ?1 and ?2. */
struct ctx_stmt *ctx_stmt_range(struct ctx_store *st, const char *sql,
    const struct ctx_session *s, int64_t first, int64_t last, struct ctx_err *err);

/* SQL that holds for sessions not deleted, and not archived and cleaned up. */
#define CTX_SESSION_HAS_BODIES                                         \
	"(status = 0 OR (status = 1 AND instr(coalesce(archive, ''), " \
	"'\"cleaned\":true') = 0))"

/* Before a statement on marks: the kinds that there are, each found by the primary key, so
 * that the marks of one session are found without reading all. */
#define CTX_WITH_MARK_KINDS                                                     \
	"WITH RECURSIVE kinds (kind) AS (SELECT min(kind) FROM mark UNION ALL " \
	"SELECT (SELECT min(m.kind) FROM mark m WHERE m.kind > kinds.kind) "    \
	"FROM kinds WHERE kinds.kind IS NOT NULL) "

/* SQL that holds for sessions of the tenant that the store shows, ?1; of all when it shows all,
 * and then ?1 is not in it. */
static inline const char *
ctx_store_shown(const struct ctx_store *st)
{
	return st->tenant != NULL ? "tenant_id = ?1" : "TRUE";
}

/* id of a session's row, and back */
static inline int64_t
ctx_row_id(int64_t no, int64_t seq)
{
	return (int64_t)((uint64_t)no << 32 | (uint64_t)seq);
}

static inline int64_t
ctx_row_seq(int64_t id)
{
	return id & CTX_SEQ_MAX;
}

#endif
