/* Private to the full text: rows of fulltext_kept, checked as they are read. */
#ifndef CTX_STORE_FULLTEXT_KEPT_H
#define CTX_STORE_FULLTEXT_KEPT_H

#include "store/stmt.h"

/* The column "role" holds the role and, above these bits, the roles that the message counts
 * for. */
#define CTX_KEPT_ROLE_BITS 8

struct ctx_kept {
	int64_t id, created_at;
	int role_column;
	int role;       /* enum ctx_role */
	unsigned roles; /* bits 1 << enum ctx_role */
};

/* The beginning of statements whose rows ctx_kept_read reads. */
#define CTX_KEPT_SELECT "SELECT id, role, created_at, size, text FROM fulltext_kept "

/* Reads the row of q, and appends the text unless text is NULL. Returns 0, or CTX_ESTORE for
 * values that are not of this kind. */
int ctx_kept_read(struct ctx_db *db, struct ctx_stmt *q, struct ctx_kept *out,
    struct ctx_buf *text, struct ctx_err *err);

#endif
