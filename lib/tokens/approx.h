/* Token counts without a vocabulary. */
#ifndef CTX_TOKENS_APPROX_H
#define CTX_TOKENS_APPROX_H

#include <stddef.h>
#include <stdint.h>

/* An estimate of the tokens of o200k_base in n bytes of well-formed UTF-8. */
int64_t ctx_approx_text(const char *p, size_t n);

#endif
