/* Counts the visible tokens of a session: the maximum number of tokens that the session's
 * history can have in a request. */
#ifndef CTX_STATS_VISIBLE_TOKENS_H
#define CTX_STATS_VISIBLE_TOKENS_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Sets *tokens to the number of tokens of all messages of the session that are not hidden.
 * If a summary is in use, it is counted instead of the messages that it covers. The tokens
 * of the summary are counted with the tokenizer t. If recount is true, the tokens of the
 * messages are also counted with t; otherwise their stored counts are used. A session
 * with neither hidden messages nor a summary has its stored total, and its messages are
 * not read. Sets *tokens to -1 if the messages are only in the archive. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
