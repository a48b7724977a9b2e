/* Private to the full text: texts as they are indexed. */
#ifndef CTX_STORE_FULLTEXT_TEXT_H
#define CTX_STORE_FULLTEXT_TEXT_H

#include "store/rows.h"

/* Called for each message of a range, upwards. Spans are borrowed for the call; 1 stops.
 * role is what fulltext_kept keeps. */
typedef int ctx_fulltext_row_fn(void *arg, int64_t id, struct ctx_span text, int role,
    int64_t created_at, struct ctx_err *err);

/* Of messages in the store, at most max of them (-1: all); the text of a damaged one is
 * empty. */
int ctx_fulltext_each_body(struct ctx_store *st, int64_t first_id, int64_t last_id,
    int64_t max, ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Of messages whose texts were kept. */
int ctx_fulltext_each_kept(struct ctx_db *db, int64_t first_id, int64_t last_id,
    ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* The roles that a message counts for, bits 1 << enum ctx_role, wherever it is: 1; 0 it is
 * nowhere; -1. message is a statement of CTX_FULLTEXT_MESSAGE. */
#define CTX_FULLTEXT_MESSAGE \
	"SELECT role, created_at, body, crc FROM message WHERE id = ?1"
int ctx_fulltext_roles(struct ctx_store *st, sqlite3_stmt *message, int64_t id,
    unsigned *roles, int64_t *created_at, struct ctx_err *err);

/* The last message of the session that is kept, and indexed therefore: 0 none. */
int ctx_fulltext_last_kept_of(
    struct ctx_db *db, int64_t no, int64_t *seq, struct ctx_err *err);

#endif
