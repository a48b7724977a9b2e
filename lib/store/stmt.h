/* Private to the store: struct ctx_store and helpers for SQL on it. */
#ifndef CTX_STORE_STMT_H
#define CTX_STORE_STMT_H

#include "store/engine.h"

struct ctx_store {
	struct ctx_db db;
	/* the derived database: caches, the full-text index and other data that can be
	 * derived from the store; NULL until it is needed */
	struct ctx_db *derived;
	/* errno value if the derived file could not be created or read */
	int derived_why;
	/* true: a derived file exists that this process may not read */
	bool derived_refused;
	void (*progress)(int64_t more, const char *what, double part); /* may be NULL */
	char *tenant;
	/* cache of ctx_seen_get; may be NULL */
	struct ctx_seen_near *seen_near;
	/* names of the tokenizers, indexed by tokenizer number; elements 0 and 1 are
	 * built in */
	char **tokenizers;
	size_t n_tokenizers;
};

/* Returns the derived database of the store, the file "PATH-derived"; NULL on failure.
 * The file is created if it is missing. If the file is damaged or of another version, it
 * is deleted and created again, because nearly all of its contents can be derived again
 * from the store. If the file can be neither created nor read, for example beside a
 * read-only store, the database is in memory. The store owns the result. */
struct ctx_db *ctx_store_derived(struct ctx_store *st, struct ctx_err *err);

/* Commits a transaction in which rows were deleted, and gives free pages back to the file
 * system. Both happen in one transaction, so that pages which must be moved are written
 * only once. Adds the number of freed bytes to *bytes. */
int ctx_db_commit_smaller(struct ctx_db *db, int64_t *bytes, struct ctx_err *err);

/* Gives the copy of a store its own identity (store/owner.h). id: the text of the new
 * identity. */
int ctx_owner_mark_copy(struct ctx_db *copy, const char *id, struct ctx_err *err);

/* SQL condition: the session is not deleted, and its messages are in the store. */
#define CTX_SESSION_HAS_BODIES                                           \
	"(status = 0 OR (status = 1 AND coalesce(archive, '') NOT LIKE " \
	"'%\"cleaned\":true%'))"

/* Returns an SQL condition that selects the sessions of the tenant to which the store is
 * restricted; ?1 is the tenant. If there is no restriction, the condition is TRUE and
 * does not contain ?1. */
static inline const char *
ctx_store_shown(const struct ctx_store *st)
{
	return st->tenant != NULL ? "tenant_id = ?1" : "TRUE";
}

/* A row id of a message contains the session's number (no) and the message's sequence
 * number (seq). ctx_row_id makes the row id; ctx_row_seq returns the sequence number that
 * a row id contains. */
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
