/* Private to the store: the store over its engine (store/engine.h). */
#ifndef CTX_STORE_STMT_H
#define CTX_STORE_STMT_H

#include "store/engine.h"

struct ctx_store {
	struct ctx_db db;
	struct ctx_db *derived; /* opened on first use; NULL before */
	int derived_why;        /* errno: why there is no file for it */
	bool derived_refused;   /* there is one that this process may not read */
	bool lent[CTX_STMT_N];  /* kept statements that a cursor reads from */
	void (*progress)(int64_t more, const char *what, double part); /* or NULL */
	char *tenant;
	char **tokenizers; /* by number; [0] and [1] are the built-in ones */
	size_t n_tokenizers;
};

/* Returns the file of derived tables beside the store, "PATH-derived"; NULL on
 * failure. It is created if missing, and rebuilt if it is damaged or of another
 * version, because it only holds copies. Beside a store that may only be read, where it
 * cannot be created or read, it is in memory. It belongs to the store. */
struct ctx_db *ctx_store_derived(struct ctx_store *st, struct ctx_err *err);

/* Commits a transaction in which rows were deleted, and returns the free pages to the file
 * system with it: then pages to which others move are not written twice. Adds their bytes to
 * *bytes. */
int ctx_db_commit_smaller(struct ctx_db *db, int64_t *bytes, struct ctx_err *err);

/* A ctx_db_mark_fn: gives the copy of a store its own identity (store/owner.h); id is
 * its text. */
int ctx_owner_mark_copy(void *id, struct ctx_db *copy, struct ctx_err *err);

/* Prepares a statement and binds the row ids of the session's messages first and last
 * to ?1 and ?2. */
struct ctx_stmt *ctx_stmt_range(struct ctx_store *st, const char *sql,
    const struct ctx_session *s, int64_t first, int64_t last, struct ctx_err *err);

/* SQL condition: the session is not deleted, and its messages are in the store. */
#define CTX_SESSION_HAS_BODIES                                           \
	"(status = 0 OR (status = 1 AND coalesce(archive, '') NOT LIKE " \
	"'%\"cleaned\":true%'))"

/* Returns an SQL condition for the sessions of the tenant that the store is restricted
 * to, ?1. Without a restriction it is always true and does not contain ?1. */
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
