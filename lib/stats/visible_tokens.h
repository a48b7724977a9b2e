/* Counts the visible tokens of a session: the maximum number of tokens that the session's
 * history can have in a request. */
#ifndef CTX_STATS_VISIBLE_TOKENS_H
#define CTX_STATS_VISIBLE_TOKENS_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Sets *tokens to the number of tokens of the session's visible messages: those that are
 * not hidden and not covered by a summary in use. The tokens of this summary are added,
 * counted with the tokenizer t. Pinned messages and opening system messages count even if
 * the summary covers them.
 *
 * If recount is true, the tokens of the messages are also counted with t. If recount is
 * false, stored token counts are used: the count of each message or, if the session has
 * no hidden messages and no summary, the session's total count. Sets *tokens to -1 if the
 * messages are only in the archive. Returns 0, or -1 on error. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
