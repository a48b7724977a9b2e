/* Private to full-text search: reads the texts of messages that are indexed. */
#ifndef CTX_STORE_FULLTEXT_TEXT_H
#define CTX_STORE_FULLTEXT_TEXT_H

#include "store/fulltext_index.h"
#include "store/row.h"
#include "store/stmt.h"

/* Called for each message of a range, in ascending order of row ids. id: the row id;
 * text: borrowed for the call; role: the message's role and the roles that contributed
 * content to the message (ctx_message_roles), packed as in the column "role" of the table
 * fulltext_kept. Returns 0 to continue, 1 to stop, -1 with err set on error. */
typedef int ctx_fulltext_row_fn(void *arg, int64_t id, struct ctx_span text, int role,
    int64_t created_at, struct ctx_err *err);

/* Calls fn for the messages in the store whose row ids are from first_id to last_id. max:
 * maximum number of messages. The text of a damaged message is empty. */
int ctx_fulltext_each_body(struct ctx_store *st, int64_t first_id, int64_t last_id,
    int64_t max, ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn for the messages in the table fulltext_kept (see below) whose row ids are from
 * first_id to last_id. */
int ctx_fulltext_each_kept(struct ctx_db *db, int64_t first_id, int64_t last_id,
    ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn with the words of all messages of n sessions, which is faster than reading the
 * messages' own texts. sessions: the numbers of the sessions, in ascending order. fn gets
 * one text for each message, prepared with ctx_words_space. The texts differ from the
 * indexed texts: they also contain words that are not indexed, such as the names of JSON
 * members, and an indexed word may be missing if the stored message contains that word in
 * another form. Returns 0 or -1. */
int ctx_fulltext_each_word_text(struct ctx_store *st, const int64_t *sessions, size_t n,
    ctx_index_row_fn *fn, void *arg, struct ctx_err *err);

/* Looks up a message in the store and in the table fulltext_kept. id: the message's row
 * id. Sets *created_at to the time at which the message was created, in ms since the
 * epoch. Sets *roles to the set of roles that contributed content to the message
 * (ctx_message_roles). Returns 1 if the message was found, 0 if not, -1 on error. */
int ctx_fulltext_roles(struct ctx_store *st, int64_t id, unsigned *roles,
    int64_t *created_at, struct ctx_err *err);

/* Kind of mark (ctx_derived_mark). A session has this mark if some of the session's texts
 * in the table fulltext_kept are not indexed yet. The mark is the sequence number of the
 * last message with such a text. */
#define CTX_FULLTEXT_WAITS "fulltext-kept"

/* Sets *seq to the sequence number of the session's last indexed message; 0: no message
 * is indexed. no: the session's number. */
int ctx_fulltext_indexed(
    struct ctx_store *st, int64_t no, int64_t *seq, struct ctx_err *err);

/* ---- the table fulltext_kept: the texts of archived sessions whose messages were
 * cleaned up ---- */

/* number of low bits of the column "role" that contain the message's role. The higher
 * bits are the set of roles that contributed content to the message
 * (ctx_message_roles). */
#define CTX_KEPT_ROLE_BITS 8

struct ctx_kept {
	int64_t id, created_at;
	int role_column;
	/* the message's role (enum ctx_role), unpacked from the member "role_column" */
	int role;
	/* set of the roles that contributed content to the message (ctx_message_roles),
	 * unpacked from the member "role_column" */
	unsigned roles;
};

/* start of the SQL queries whose rows ctx_kept_read reads; the caller appends
 * conditions */
#define CTX_KEPT_SELECT "SELECT id, role, created_at, size, text FROM fulltext_kept "

/* Reads the current row of the query q into *out. If text is not NULL, appends the
 * decompressed text to *text. Returns 0, or -1 with CTX_ESTORE if a value is invalid. */
int ctx_kept_read(struct ctx_db *db, struct ctx_stmt *q, struct ctx_kept *out,
    struct ctx_buf *text, struct ctx_err *err);

#endif
