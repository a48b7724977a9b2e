/* Base64 (RFC 4648, section 4). */
#ifndef CTX_BASE_BASE64_H
#define CTX_BASE_BASE64_H

#include "base/buf.h"

/* Appends the n bytes, encoded with padding. */
void ctx_base64_add(struct ctx_buf *out, const void *bytes, size_t n);

#endif
