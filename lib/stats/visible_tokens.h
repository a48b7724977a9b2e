/* Counts the visible tokens of a session: the most that a request can take from it. */
#ifndef CTX_STATS_VISIBLE_TOKENS_H
#define CTX_STATS_VISIBLE_TOKENS_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Counts the tokens of all messages that are not hidden; a summary in use is counted
 * instead of the messages that it covers. t counts the summary and, with recount, the
 * messages; otherwise stored counts are used. Nothing is read for a session without
 * hidden messages and summary. Sets *tokens to -1 if the messages are only in the
 * archive. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
