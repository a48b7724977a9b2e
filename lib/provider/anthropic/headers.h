/* HTTP headers of requests to Anthropic. */
#ifndef CTX_ANTHROPIC_HEADERS_H
#define CTX_ANTHROPIC_HEADERS_H

#include "base/buf.h"

/* Appends the version of the API and the names of the beta features that members of the body
 * belong to, a line each ("Beta headers", and the page of each feature). */
void ctx_anthropic_headers(struct ctx_buf *out, struct ctx_span body);

#endif
