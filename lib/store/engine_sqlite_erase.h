/* Private to full-text search: removes sessions from the FTS5 index, so that none of
 * their words is left in the pages of the index. The cost depends on the amount removed.
 * FTS5 itself only marks rows as deleted, and removes them when it merges all pages. */
#ifndef CTX_STORE_ENGINE_SQLITE_ERASE_H
#define CTX_STORE_ENGINE_SQLITE_ERASE_H

#include "store/engine_sqlite_words.h"

/* Removes the rows of n sessions, given by their numbers in ascending order; words must
 * contain all words of these rows. With stop = true, segments that cannot contain more of
 * the removed words are not read; the caller may set stop only if no row is marked as
 * deleted in the index. Call inside a write transaction on the derived file. Returns 1 if
 * removed; 0 if the index has an unexpected form, in which case it may be partly changed
 * and the caller must roll back; -1 on error. */
int ctx_fulltext_cut(struct ctx_db *db, const int64_t *sessions, size_t n,
    struct ctx_word_list *words, bool stop, struct ctx_err *err);

#endif
