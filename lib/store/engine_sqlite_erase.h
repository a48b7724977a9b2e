/* Private to the full text: taking sessions out of the index so that nothing of them is left
 * in its pages, at a cost that follows what is taken out. FTS5 itself marks rows as deleted
 * and forgets them when it merges all pages. */
#ifndef CTX_STORE_ENGINE_SQLITE_ERASE_H
#define CTX_STORE_ENGINE_SQLITE_ERASE_H

#include "store/engine_sqlite_words.h"

/* Removes the rows of n sessions, given by their numbers in ascending order; words holds the
 * words of these rows. Call inside a write transaction on the derived file. Returns 1; 0 if
 * the index is not as expected, in which case it may be changed in part and the caller must
 * roll the transaction back; -1 on error. */
int ctx_fulltext_cut(struct ctx_db *db, const int64_t *sessions, size_t n,
    struct ctx_word_list *words, struct ctx_err *err);

#endif
