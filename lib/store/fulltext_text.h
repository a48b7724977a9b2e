/* Private to full-text search: reads the texts of messages as they are indexed. */
#ifndef CTX_STORE_FULLTEXT_TEXT_H
#define CTX_STORE_FULLTEXT_TEXT_H

#include "store/fulltext_index.h"
#include "store/row.h"

/* Called for each message of a range, ascending. The text is borrowed for the call. role
 * is the value of the column "role" of fulltext_kept. Returns 0 to continue, 1 to stop,
 * -1 with err set on error. */
typedef int ctx_fulltext_row_fn(void *arg, int64_t id, struct ctx_span text, int role,
    int64_t created_at, struct ctx_err *err);

/* Calls fn for messages in the store, at most max of them. The text of a damaged message
 * is empty. */
int ctx_fulltext_each_body(struct ctx_store *st, int64_t first_id, int64_t last_id,
    int64_t max, ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn for messages of cleaned-up sessions whose texts are stored in the table
 * fulltext_kept. */
int ctx_fulltext_each_kept(struct ctx_db *db, int64_t first_id, int64_t last_id,
    ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn with texts, spaced as for the index, that have the words of the messages of n
 * sessions, given by their numbers in ascending order. Cheaper than reading the messages'
 * own texts, but the texts also have words that are not indexed, such as the names of
 * members, and lack an indexed word if the stored message nowhere contains it in the same
 * form. Returns 0 or -1. */
int ctx_fulltext_each_word_text(struct ctx_store *st, const int64_t *sessions, size_t n,
    ctx_index_row_fn *fn, void *arg, struct ctx_err *err);

/* Finds the roles whose words a message contains, as bits 1 << enum ctx_role, and when it
 * was created (ms): the message is looked up in the store and in the table fulltext_kept.
 * Returns 1 if the message was found, 0 if the message is neither in the store nor in that
 * table, -1 on error. */
int ctx_fulltext_roles(struct ctx_store *st, int64_t id, unsigned *roles,
    int64_t *created_at, struct ctx_err *err);

/* A kind of marks (ctx_derived_mark). If a session has such a mark, its texts in the
 * table fulltext_kept, up to the marked message, are still to be indexed. */
#define CTX_FULLTEXT_WAITS "fulltext-kept"

/* Sets *seq to the last message of the session up to which all messages are indexed; 0:
 * no message is indexed. */
int ctx_fulltext_indexed(
    struct ctx_store *st, int64_t no, int64_t *seq, struct ctx_err *err);

#endif
