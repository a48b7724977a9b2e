/* Splits text into pieces. In byte-pair encoding, a token never extends over the end of a
 * piece. */
#ifndef CTX_TOKENS_SPLIT_H
#define CTX_TOKENS_SPLIT_H

#include <stddef.h>

enum ctx_split { CTX_SPLIT_CL100K, CTX_SPLIT_O200K };

/* Chooses the splitting pattern for a rank file (the file of a vocabulary). path: the
 * path of the file. Returns CTX_SPLIT_CL100K if the name of the file begins with cl100k,
 * otherwise CTX_SPLIT_O200K. */
enum ctx_split ctx_split_of_path(const char *path);

/* Both functions return the length in bytes of the first piece of a text. p, end: start
 * and end of the text (the byte at end is not included). The text must be well-formed
 * UTF-8 and not empty. Text is split as by the regular expressions that define the
 * encodings (pat_str in tiktoken's registry), with the character classes of Unicode
 * 16. */
size_t ctx_split_cl100k(const char *p, const char *end);
size_t ctx_split_o200k(const char *p, const char *end);

#endif
