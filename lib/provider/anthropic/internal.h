/* Private to lib/provider/anthropic. */
#ifndef CTX_ANTHROPIC_INTERNAL_H
#define CTX_ANTHROPIC_INTERNAL_H

#include "provider/provider.h"
#include "render/internal.h"

/* Functions for struct ctx_render_kind (render/internal.h), in render.c.
 * ctx_anthropic_messages appends the list of messages and returns 0, or -1 with err set.
 * ctx_anthropic_system appends the value of the member "system". */
int ctx_anthropic_messages(struct render *r, struct ctx_buf *b);
void ctx_anthropic_system(struct render *r, struct ctx_span given, struct ctx_buf *b);

/* Appends the HTTP headers that a request with this body needs, one per line: the version
 * of the API, and the beta features that members of the body require (headers.c).
 * Sources: "Beta headers", and the page of each feature. */
void ctx_anthropic_headers(struct ctx_buf *out, struct ctx_span body);

/* Appends a Messages request with cache_control marks added (cache.c). The provider
 * caches the request up to the block that has a mark. body: the request, valid JSON; ttl:
 * the lifetime of the added marks, "5m" or "1h". If the body itself has a member
 * "cache_control", the lifetime in this member is used and ttl is ignored.
 *
 * A mark is set at each place up to which the next request can read from the cache: at
 * the end of tools and system text, at the end of the previous request, and at the end of
 * this request. If the last two places are more than 18 blocks apart, another mark is set
 * between them, because the provider looks back only 20 blocks from a mark. An added mark
 * never has a longer lifetime than a user's mark before it, or a shorter lifetime than a
 * user's mark after it. A request has at most four marks, including the user's own
 * (Anthropic, "Prompt caching"). A string that gets a mark becomes a list with a text
 * block; everything else stays unchanged. */
void ctx_cache_mark(struct ctx_buf *out, struct ctx_span body, const char *ttl);

/* Appends a request body without the cache_control marks that the provider would refuse:
 * marks on blocks that do not accept marks, and marks with a longer lifetime than an
 * earlier mark. If more than four marks are left, removes the oldest marks in messages
 * first, then marks in tools and system text. */
void ctx_cache_thin(struct ctx_buf *out, struct ctx_span body);

/* Returns true for a block that must not have a cache mark (Anthropic, "Prompt caching",
 * "What cannot be cached"). */
bool ctx_anthropic_takes_no_mark(struct ctx_span block);

/* compaction.c */
extern const struct ctx_provider_compaction ctx_anthropic_compaction;

#endif
