/* Private to full-text search: reads the texts of messages as they are indexed. */
#ifndef CTX_STORE_FULLTEXT_TEXT_H
#define CTX_STORE_FULLTEXT_TEXT_H

#include "store/fulltext_index.h"
#include "store/row.h"

/* Called for each message of a range, in ascending order. The text is borrowed for the
 * call. role is a value as in the column "role" of the table fulltext_kept. Returns 0 to
 * continue, 1 to stop, -1 with err set on error. */
typedef int ctx_fulltext_row_fn(void *arg, int64_t id, struct ctx_span text, int role,
    int64_t created_at, struct ctx_err *err);

/* Calls fn for the messages in the store with row ids from first_id to last_id, at most
 * max messages. The text of a damaged message is empty. */
int ctx_fulltext_each_body(struct ctx_store *st, int64_t first_id, int64_t last_id,
    int64_t max, ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn for each message, with a row id from first_id to last_id, whose text is in the
 * table fulltext_kept. (This table has the texts of cleaned-up sessions.) */
int ctx_fulltext_each_kept(struct ctx_db *db, int64_t first_id, int64_t last_id,
    ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn with texts that contain the words of the messages of n sessions; sessions has
 * the sessions' numbers in ascending order. The texts are prepared with ctx_words_space.
 * This is faster than reading the messages' own texts. However, these texts also contain
 * words that are not indexed, such as the names of members, and they lack an indexed word
 * if the stored message does not contain it in the same form. Returns 0 or -1. */
int ctx_fulltext_each_word_text(struct ctx_store *st, const int64_t *sessions, size_t n,
    ctx_index_row_fn *fn, void *arg, struct ctx_err *err);

/* Looks up a message in the store and in the table fulltext_kept. Sets *roles to the
 * roles whose words the message contains, as bits 1 << enum ctx_role, and *created_at to
 * the time of its creation in ms. Returns 1 if the message was found, 0 if it is in
 * neither place, -1 on error. */
int ctx_fulltext_roles(struct ctx_store *st, int64_t id, unsigned *roles,
    int64_t *created_at, struct ctx_err *err);

/* A kind of mark (ctx_derived_mark). If a session has such a mark, its texts in the table
 * fulltext_kept are not indexed yet. The mark is the sequence number of the last message
 * with such a text. */
#define CTX_FULLTEXT_WAITS "fulltext-kept"

/* Sets *seq to the sequence number up to which the session's messages are indexed; 0: no
 * message is indexed. no is the number of the session. */
int ctx_fulltext_indexed(
    struct ctx_store *st, int64_t no, int64_t *seq, struct ctx_err *err);

#endif
