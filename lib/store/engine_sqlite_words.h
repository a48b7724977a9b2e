/* Private to full-text search: splits texts into words as the index does. */
#ifndef CTX_STORE_ENGINE_SQLITE_WORDS_H
#define CTX_STORE_ENGINE_SQLITE_WORDS_H

#include "store/stmt.h"

/* A word that occurs in a session. */
struct ctx_word {
	size_t at, n; /* offset and length of the word in the list's text, in bytes */
	int64_t session_no;
};

struct ctx_word_list;
/* Creates a list of words that uses the tokenizer of the index. Returns NULL on error. */
struct ctx_word_list *ctx_word_list_new(struct ctx_db *db, struct ctx_err *err);
void ctx_word_list_free(struct ctx_word_list *l);

/* Adds the words of a text, in the form in which the index stores them. Returns 0 or
 * -1. */
int ctx_word_list_add(struct ctx_word_list *l, int64_t session_no, struct ctx_span text,
    struct ctx_err *err);

/* Calls fn with each word of a text in order, in the form in which the index stores it,
 * and adds none to the list. fn returns 0 to continue; any other value is an error.
 * Returns 0 or -1. */
typedef int ctx_word_fn(void *arg, const char *word, size_t n);
int ctx_word_list_each(struct ctx_word_list *l, struct ctx_span text, ctx_word_fn *fn,
    void *arg, struct ctx_err *err);

/* Returns the list's words, sorted by word and session, without duplicates. *text is set
 * to the text that their offsets refer to. Both belong to the list. */
const struct ctx_word *ctx_word_list_sort(
    struct ctx_word_list *l, size_t *n, const char **text);

#endif
