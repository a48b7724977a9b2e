/* The HTTP headers that a request body needs. */
#ifndef CTX_ANTHROPIC_HEADERS_H
#define CTX_ANTHROPIC_HEADERS_H

#include "base/buf.h"
#include "provider/provider.h"

/* Appends a line for each header that a request with this body (checked JSON) needs, as
 * curl -H @FILE reads them: the content type and, for Anthropic, the version of the API and
 * the names of the beta features that members of the body belong to. Authorization is not
 * among them. (Anthropic: "Beta headers", and the page of each feature) */
void ctx_headers_put(
    struct ctx_buf *out, struct ctx_span body, enum ctx_provider provider);

#endif
