/* What a request may hold of a session at most. */
#ifndef CTX_STATS_VISIBLE_H
#define CTX_STATS_VISIBLE_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Tokens of all that is not hidden, with the summary in use in place of what it covers. t
 * counts the summary and, with recount, the messages; else they are as counted when they
 * came. A session with neither costs nothing to look at; others the envelope of each of
 * their messages, with recount the message. -1 when they are in its archive alone. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
