/* Private to the full text: taking sessions out of the index so that nothing of them is left
 * in its pages, at a cost that follows what is taken out. FTS5 itself marks rows as deleted
 * and forgets them when it merges all pages. */
#ifndef CTX_STORE_FULLTEXT_ERASE_H
#define CTX_STORE_FULLTEXT_ERASE_H

#include "store/fulltext_words.h"

/* Takes out the rows of n sessions, given by their numbers in ascending order, whose words are
 * in the list. Call inside a write transaction on the derived file. Returns 1; 0 if the index
 * is not as expected: then it is changed in part, and the transaction has to be taken back;
 * -1 on error. */
int ctx_fulltext_cut(struct ctx_db *db, const int64_t *sessions, size_t n,
    struct ctx_word_list *words, struct ctx_err *err);

/* Notes whether all rows that were taken out are gone from the pages of the index, or some are
 * marked as deleted. Call inside a write transaction on the derived file. */
int ctx_fulltext_set_cut(struct ctx_db *db, bool is_cut, struct ctx_err *err);

/* Merges the pages of the index into new ones, if some rows are only marked as deleted, or
 * with again in any case: scrub of struct ctx_derived_kind. */
int ctx_fulltext_scrub(struct ctx_store *st, bool again, struct ctx_err *err);

#endif
