/* Private to full-text search: reads and checks rows of the table fulltext_kept, which
 * stores the texts of archived sessions whose messages were cleaned up. */
#ifndef CTX_STORE_FULLTEXT_KEPT_H
#define CTX_STORE_FULLTEXT_KEPT_H

#include "store/stmt.h"

/* number of low bits of the column "role" that are the message's role. The higher bits
 * are a set of roles, those whose words the message contains; the bit of a role is 1 <<
 * enum ctx_role. */
#define CTX_KEPT_ROLE_BITS 8

struct ctx_kept {
	int64_t id, created_at;
	int role_column;
	/* the message's role (enum ctx_role), unpacked from the member role_column */
	int role;
	/* set of the roles whose words the message contains; the bit of a role is 1 <<
	 * enum ctx_role */
	unsigned roles;
};

/* start of the SQL queries whose rows ctx_kept_read reads; the caller appends
 * conditions */
#define CTX_KEPT_SELECT "SELECT id, role, created_at, size, text FROM fulltext_kept "

/* Reads the current row of q into *out, and appends the decompressed text unless text is
 * NULL. Returns 0, or -1 with CTX_ESTORE if a value is invalid. */
int ctx_kept_read(struct ctx_db *db, struct ctx_stmt *q, struct ctx_kept *out,
    struct ctx_buf *text, struct ctx_err *err);

#endif
