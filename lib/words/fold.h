/* Splits text into tokens, and folds the tokens so that names can be compared. After
 * folding, case, the encoding of accents (composed or decomposed) and the amount of white
 * space between words make no difference.
 *
 * A token is a word (letters, digits, combining marks and connecting punctuation such as
 * '_'), a sequence of white space, or a single other character with the combining marks
 * that follow it. In scripts without spaces between words (Han, Kana, Thai, Lao, Khmer,
 * Myanmar) every character is a separate token, because a name in such a script can be
 * anywhere inside a sentence. Folding means full case folding (CaseFolding.txt C+F) and
 * canonical decomposition; a token of white space is folded to ' '. */
#ifndef CTX_WORDS_FOLD_H
#define CTX_WORDS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_token {
	/* byte range of the token in the text: the byte at "offset" is included, the byte
	 * at "end" is not */
	size_t offset, end;
	uint64_t hash; /* hash of the folded token; equal tokens have equal hashes */
	bool space;
	bool ascii;
};

/* Returns the token that begins at a byte offset of the text. at: this offset, which must
 * be less than text.n; seed: the token's hash depends on the folded token and on this
 * number; *tmp: temporary memory. */
struct ctx_token ctx_fold_token(
    struct ctx_span text, size_t at, uint64_t seed, struct ctx_buf *tmp);

/* Appends the folded form of a token. text: the text that contains the token. */
void ctx_fold_add(struct ctx_span text, const struct ctx_token *t, struct ctx_buf *out);

/* Returns the text without white space (of any script) at both ends. */
struct ctx_span ctx_fold_trim(struct ctx_span text);

/* Appends the folded form of the text, without white space at both ends. */
void ctx_fold_text(struct ctx_span text, struct ctx_buf *out);

#endif
