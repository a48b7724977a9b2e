/* Private to lib/provider/anthropic. */
#ifndef CTX_ANTHROPIC_INTERNAL_H
#define CTX_ANTHROPIC_INTERNAL_H

#include "render/internal.h"

/* render.c: the messages, and the value of "system" (render/internal.h). */
int ctx_anthropic_messages(struct render *r, struct ctx_buf *b);
void ctx_anthropic_system(struct render *r, struct ctx_span given, struct ctx_buf *b);

/* render_server.c: finds tools that the server ran whose call or result is missing. */
void ctx_anthropic_match_server(struct render *r);
bool ctx_anthropic_is_unpaired(const struct render *r, const struct ctx_part *p);

#endif
