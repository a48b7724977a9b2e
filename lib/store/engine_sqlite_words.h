/* Private to full-text search: splits texts into words as the index does. */
#ifndef CTX_STORE_ENGINE_SQLITE_WORDS_H
#define CTX_STORE_ENGINE_SQLITE_WORDS_H

#include "store/stmt.h"

/* A word, and the numbers of the sessions in whose texts it occurs. */
struct ctx_word {
	struct ctx_span text;
	const int64_t *sessions;
	size_t n_sessions;
};

/* Compares words in the order of the index. Returns a negative number, 0 or a positive
 * number. */
int ctx_word_compare(struct ctx_span a, struct ctx_span b);

struct ctx_word_list;
/* Creates a list of words that uses the tokenizer of the index. Returns NULL on error. */
struct ctx_word_list *ctx_word_list_new(struct ctx_db *db, struct ctx_err *err);
void ctx_word_list_free(struct ctx_word_list *l);

/* Adds the words of a text of the session to the list, in the form in which the index
 * stores them. Texts must be added session by session, in ascending order of the session
 * numbers. Returns 0 or -1. */
int ctx_word_list_add(struct ctx_word_list *l, int64_t session_no, struct ctx_span text,
    struct ctx_err *err);

typedef int ctx_word_fn(void *arg, const char *word, size_t n);
/* Calls fn with each word of a text, in order and in the form in which the index stores
 * it. Does not add the words to the list. fn returns 0 to continue; any other value is an
 * error. Returns 0 or -1. */
int ctx_word_list_each(struct ctx_word_list *l, struct ctx_span text, ctx_word_fn *fn,
    void *arg, struct ctx_err *err);

/* Returns the words of the list, sorted and without duplicates, and sets *n to their
 * number. The list owns the words. No text may be added to the list afterwards. */
const struct ctx_word *ctx_word_list_sort(struct ctx_word_list *l, size_t *n);

#endif
