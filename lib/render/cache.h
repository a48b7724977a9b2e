/* Cache marks in a finished Anthropic body. */
#ifndef CTX_RENDER_CACHE_H
#define CTX_RENDER_CACHE_H

#include "base/buf.h"

/* Appends body (checked JSON, a Messages request) with cache_control marks, of the lifetime
 * ttl ("5m" or "1h"), at the places where the next request can read: the end of tools and
 * system text, the end of the request before this one, and the end of this one, with at most
 * 20 blocks between two of the last. The user's own marks count: there are at most four in
 * all (Anthropic, "Prompt caching"). Nothing else changes. */
void ctx_cache_mark(struct ctx_buf *out, struct ctx_span body, const char *ttl);

/* Appends body with at most four cache_control marks: of too many, the oldest ones in
 * messages are removed first, then those of tools and system text. */
void ctx_cache_thin(struct ctx_buf *out, struct ctx_span body);

#endif
