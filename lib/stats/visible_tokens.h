/* Counts the visible tokens of a session: the most that a request can contain of its
 * history. */
#ifndef CTX_STATS_VISIBLE_TOKENS_H
#define CTX_STATS_VISIBLE_TOKENS_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Counts the tokens of all messages that are not hidden. A summary in use is counted
 * instead of the messages that it covers. Tokenizer t counts the summary; with recount it
 * counts the messages too, otherwise their stored counts are used. A session without
 * hidden messages and without a summary is not read at all. Sets *tokens to -1 if the
 * messages are only in the archive. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
