/* Cutting text into pieces, inside which alone a byte-pair encoding merges. */
#ifndef CTX_TOKENS_SPLIT_H
#define CTX_TOKENS_SPLIT_H

#include <stddef.h>

enum ctx_split { CTX_SPLIT_CL100K, CTX_SPLIT_O200K };

/* The pattern for a rank file, by its name: cl100k_base's where that begins with cl100k. */
enum ctx_split ctx_split_of_path(const char *path);

/* Length of the first piece of the text from p to end, which holds at least one
 * character and is well-formed UTF-8. The pieces are those of the patterns that the
 * encodings define (pat_str in the registry of tiktoken), with Unicode 16. */
size_t ctx_split_cl100k(const char *p, const char *end);
size_t ctx_split_o200k(const char *p, const char *end);

#endif
