/* Private to full-text search: removes sessions from the FTS5 index, so that none of
 * their words is left in the pages of the index. The cost depends on the amount of
 * removed text. FTS5 itself would only mark the rows as deleted, and remove them when it
 * merges all pages. */
#ifndef CTX_STORE_ENGINE_SQLITE_ERASE_H
#define CTX_STORE_ENGINE_SQLITE_ERASE_H

#include "store/engine_sqlite_words.h"

/* Removes the rows of n sessions. sessions: numbers of the sessions, in ascending order;
 * words: a list of words that must contain all words of these rows. Call inside a write
 * transaction on the derived file.
 *
 * If stop is true, the function returns earlier, to save time: when it has removed as
 * many word positions as the rows have words. The argument "stop" may be true only if no
 * row in the index is marked as deleted.
 *
 * Returns 1 if the rows were removed; 0 if the index has an unexpected form; -1 on error.
 * After 0, the index may be partly changed, and the caller must roll back. */
int ctx_fulltext_cut(struct ctx_db *db, const int64_t *sessions, size_t n,
    struct ctx_word_list *words, bool stop, struct ctx_err *err);

#endif
