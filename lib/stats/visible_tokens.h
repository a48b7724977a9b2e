/* Counts the visible tokens of a session: the maximum number of tokens that the session's
 * history can have in a request. */
#ifndef CTX_STATS_VISIBLE_TOKENS_H
#define CTX_STATS_VISIBLE_TOKENS_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Sets *tokens to the number of tokens of all messages of the session that are not
 * hidden. If a summary is in use, the summary is counted instead of the messages that it
 * covers; of these messages, only pinned messages and opening system messages are still
 * counted. The tokens of the summary are counted with the tokenizer t. If recount is
 * true, the tokens of the messages are also counted with t. If recount is false, their
 * stored counts are used; for a session with neither hidden messages nor a summary, this
 * is the stored total, and no messages are read. Sets *tokens to -1 if the messages are
 * only in the archive. Returns 0, or -1 on error. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
