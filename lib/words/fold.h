/* Words of a text, folded, so that names compare without regard to case, to composed or
 * decomposed accents, and to how much white space stands between words.
 *
 * A token is a word (letters, digits, marks and connecting punctuation such as '_'), a
 * run of white space, or one other character with the marks behind it. In scripts that
 * put no space between words (Han, Kana, Thai, Lao, Khmer, Myanmar) every character is a
 * token of its own, so that names are found inside a sentence. Folding is full case
 * folding (CaseFolding.txt C+F) and canonical decomposition; white space folds to ' '. */
#ifndef CTX_WORDS_FOLD_H
#define CTX_WORDS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_token {
	size_t offset, end; /* bytes of the text */
	uint64_t hash;      /* hash of the folded token; equal tokens have equal hashes */
	bool space;
	bool ascii;
};

/* Returns the token that starts at offset at (< text.n). seed varies the hash; tmp is
 * scratch memory. */
struct ctx_token ctx_fold_token(
    struct ctx_span text, size_t at, uint64_t seed, struct ctx_buf *tmp);

/* Append the folded token. */
void ctx_fold_add(struct ctx_span text, const struct ctx_token *t, struct ctx_buf *out);

/* Returns the text without white space (of any script) at its ends. */
struct ctx_span ctx_fold_trim(struct ctx_span text);

/* Appends the folded text, without white space at its ends. */
void ctx_fold_text(struct ctx_span text, struct ctx_buf *out);

#endif
