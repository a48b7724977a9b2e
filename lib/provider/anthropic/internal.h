/* Private to lib/provider/anthropic. */
#ifndef CTX_ANTHROPIC_INTERNAL_H
#define CTX_ANTHROPIC_INTERNAL_H

#include "provider/provider.h"
#include "render/internal.h"

/* render.c: the messages, and the value of "system" (render/internal.h). */
int ctx_anthropic_messages(struct render *r, struct ctx_buf *b);
void ctx_anthropic_system(struct render *r, struct ctx_span given, struct ctx_buf *b);

/* render_server.c: finds tools that the server ran whose call or result is missing. */
void ctx_anthropic_match_server(struct render *r);
bool ctx_anthropic_is_unpaired(const struct render *r, const struct ctx_part *p);

/* headers.c: appends the version of the API and the names of the beta features that members
 * of the body belong to, a line each ("Beta headers", and the page of each feature). */
void ctx_anthropic_headers(struct ctx_buf *out, struct ctx_span body);

/* cache.c: appends body (checked JSON, a Messages request) with cache_control marks of the
 * lifetime ttl ("5m" or "1h"). Marks are set where the next request can read from the
 * cache: at the end of tools and system text, at the end of the previous request, and at
 * the end of this one. If the last two are more than 20 blocks apart, another mark goes
 * between them. The lifetime of a mark that would stand before the user's longer or after
 * the user's shorter one is theirs. A request has at most four marks, the user's own
 * included (Anthropic, "Prompt caching"). All other bytes are unchanged. */
void ctx_cache_mark(struct ctx_buf *out, struct ctx_span body, const char *ttl);

/* Appends body without the cache_control marks that the provider refuses: those on blocks
 * that take none, those that outlive a mark before them, and surplus ones; of these first
 * the oldest ones in messages, then those of tools and system text. */
void ctx_cache_thin(struct ctx_buf *out, struct ctx_span body);

/* compaction.c */
extern const struct ctx_provider_compaction ctx_anthropic_compaction;

#endif
