/* Cache marks in a finished Anthropic body. */
#ifndef CTX_ANTHROPIC_CACHE_H
#define CTX_ANTHROPIC_CACHE_H

#include "base/buf.h"

/* Appends body (checked JSON, a Messages request) with cache_control marks of the
 * lifetime ttl ("5m" or "1h"). Marks are set where the next request can read from the
 * cache: at the end of tools and system text, at the end of the previous request, and
 * at the end of this one. If the last two are more than 20 blocks apart, another mark
 * goes between them. The lifetime of a mark that would stand before the user's longer or
 * after the user's shorter one is theirs. A request has at most four marks, the user's own included
 * (Anthropic, "Prompt caching"). All other bytes are unchanged. */
void ctx_cache_mark(struct ctx_buf *out, struct ctx_span body, const char *ttl);

/* Appends body without the cache_control marks that the provider refuses: those on blocks
 * that take none, those that outlive a mark before them, and surplus ones; of these first
 * the oldest ones in messages, then those of tools and system text. */
void ctx_cache_thin(struct ctx_buf *out, struct ctx_span body);

#endif
