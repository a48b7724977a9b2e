/* Private to the full text: message texts as they are indexed. */
#ifndef CTX_STORE_FULLTEXT_TEXT_H
#define CTX_STORE_FULLTEXT_TEXT_H

#include "store/rows.h"

/* Called for each message of a range, ascending. Spans are borrowed for the call; returns
 * 1 to stop. role is the value stored in fulltext_kept. */
typedef int ctx_fulltext_row_fn(void *arg, int64_t id, struct ctx_span text, int role,
    int64_t created_at, struct ctx_err *err);

/* For messages in the store, at most max of them. A damaged message has an
 * empty text. */
int ctx_fulltext_each_body(struct ctx_store *st, int64_t first_id, int64_t last_id,
    int64_t max, ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* For messages whose texts are kept. */
int ctx_fulltext_each_kept(struct ctx_db *db, int64_t first_id, int64_t last_id,
    ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Finds the roles that a message counts as, as bits 1 << enum ctx_role, in the store or
 * among the kept texts. Returns 1, or 0 if the message is in neither, or -1 on error.
 * message is a prepared CTX_FULLTEXT_MESSAGE. */
#define CTX_FULLTEXT_MESSAGE \
	"SELECT role, created_at, body, crc FROM message WHERE id = ?1"
int ctx_fulltext_roles(struct ctx_store *st, struct ctx_stmt *message, int64_t id,
    unsigned *roles, int64_t *created_at, struct ctx_err *err);

/* The kind of the marks of sessions whose kept texts wait to be indexed: up to the mark. */
#define CTX_FULLTEXT_WAITS "fulltext-kept"

/* Reads up to which message the session is in the index; 0: nothing is. */
int ctx_fulltext_indexed(
    struct ctx_store *st, int64_t no, int64_t *seq, struct ctx_err *err);

/* Finds the last message of the session whose text is kept; 0: none. */
int ctx_fulltext_last_kept_of(
    struct ctx_db *db, int64_t no, int64_t *seq, struct ctx_err *err);

#endif
